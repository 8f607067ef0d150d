import {
  addClientCommands,
  createProgram,
  formerServiceOption,
  runProgram,
  serviceOption,
  takeFormerOption,
} from './cli/program.ts'
import { packageVersion } from './config/version.ts'

/** The command of the service: those of the clients' command, and more. */
const program = createProgram('browser-task-service', packageVersion() ?? 'unknown')

program
  .command('serve')
  .description('run the service; its settings come from the environment (docs/settings.md)')
  .action(async () => (await import('./cli/serve.ts')).serveCommand())

const keys = program.command('keys').description('create, list and revoke API keys; also works while the service runs')
keys
  .command('create')
  .description('create a key; it is shown once')
  .requiredOption('--workspace <name>', 'the workspace of the key; created if it does not exist')
  .option('--name <name>', 'the name of the key in lists', 'command line')
  .option('--type <type>', 'secret or publishable', 'secret')
  .option('--json', 'print one JSON object')
  .option('--plain', 'print the key alone')
  .action(async (options) => (await import('./cli/keys.ts')).createKey(options))
keys
  .command('list')
  .description('list the keys of all workspaces')
  .option('--workspace <name>', 'list only the keys of this workspace')
  .option('--json', 'print one JSON object')
  .action(async (options) => (await import('./cli/keys.ts')).listKeys(options))
keys
  .command('revoke <id>')
  .description('revoke a key; a running service rejects it within a second')
  .option('--json', 'print one JSON object')
  .action(async (id, options) => (await import('./cli/keys.ts')).revokeKey(id, options))

program
  .command('browser')
  .description('start a browser on this machine and pair it with a service')
  .addOption(serviceOption())
  .addOption(formerServiceOption())
  .hook('preAction', takeFormerOption)
  .option('--token <token>', 'a pairing token (POST /v1/browser-sessions/pair; default: BROWSER_TASK_PAIRING_TOKEN)')
  .option('--key <key>', 'an API key that makes the pairing token (default: BROWSER_TASK_KEY)')
  .option('--headed', 'show its window')
  .option(
    '--pool <name>',
    'join a pool: tasks that ask for the pool are given to its browsers, each in a context of its own',
  )
  .option('--tasks <n>', 'how many tasks of the pool it takes at a time (default: 4)')
  .option('--label <label>', 'its name in lists')
  .option('--idle <seconds>', 'end when it has had no task for so long')
  .action(async (options) =>
    (await import('./cli/browser.ts')).browserCommand({
      key: process.env.BROWSER_TASK_KEY,
      token: process.env.BROWSER_TASK_PAIRING_TOKEN,
      ...options,
    }),
  )

addClientCommands(program, async (options) =>
  (await import('./cli/mcp.ts')).mcpCommand(options, packageVersion() ?? 'unknown'),
)

program
  .command('demo [task]')
  .description('run a demonstration: service, browser, web shop and a task')
  .option('--headed', 'show the window of the browser')
  .option('--crash', 'kill the service with SIGKILL mid-task, and show that the task continues')
  .option('--nodes <n>', 'several nodes over MongoDB and NATS: kill the one that runs the task', Number)
  .option('--url <page>', 'the page to open first, for a task of your own (needs a model key)')
  .action(async (task, options) => {
    const { demoCommand } = await import('./cli/demo.ts')
    if (!(await demoCommand(task ?? null, options))) process.exitCode = 1
  })

program
  .command('inspect')
  .description('print a link to the inspector that shows the actors of all workspaces')
  .option('--service <url>', 'the service (default: where it listens)')
  .addOption(formerServiceOption())
  .hook('preAction', takeFormerOption)
  .option('--rotate', 'invalidate all links printed before')
  .option('--json', 'print one JSON object')
  .action(async (options) => (await import('./cli/inspect.ts')).inspectCommand(options))

program
  .command('reset-password <email>')
  .description('print a link by which a user sets a new password; also works while the service runs')
  .option('--json', 'print one JSON object')
  .action(async (email, options) => (await import('./cli/reset-password.ts')).resetPasswordCommand(email, options))

program
  .command('limits <workspace> [changes...]')
  .description('show the limits of a workspace, or set them: running_tasks=20 retention_days=default')
  .option('--json', 'print one JSON object')
  .action(async (workspace, changes, options) =>
    (await import('./cli/limits.ts')).limitsCommand(workspace, changes, options),
  )

program
  .command('audit')
  .description('print the audit log, newest first; also works while the service runs')
  .option('--workspace <name>', 'only what was done in this workspace')
  .option('--since <when>', 'all since then: 30m, 12h, 7d or a date (default: the last 50 entries)')
  .option('--action <name>', 'only this action, such as createApiKey')
  .option('--json', 'print one JSON object a line')
  .action(async (options) => (await import('./cli/audit.ts')).auditCommand(options))

program
  .command('backup <folder>')
  .description('copy the embedded store into a new folder; also works while the service runs')
  .option('--json', 'print one JSON object')
  .action(async (folder, options) => (await import('./cli/backup.ts')).backupCommand(folder, options))
program
  .command('restore <folder>')
  .description('put a backup into DATA_DIR, which must not have a store yet')
  .option('--json', 'print one JSON object')
  .action(async (folder, options) => (await import('./cli/backup.ts')).restoreCommand(folder, options))

program
  .command('export <workspace> <file>')
  .description('write the keys, browsers and finished tasks of a workspace to a file')
  .action(async (workspace, file) => (await import('./cli/backup.ts')).exportCommand(workspace, file))
program
  .command('import <file>')
  .description('add an exported workspace to the store')
  .action(async (file) => (await import('./cli/backup.ts')).importCommand(file))

program
  .command('shop')
  .description('serve the demo shop on this machine')
  .option('--port <port>', 'the port; 0 picks a free one', '4000')
  .action(async (options) => (await import('./cli/shop.ts')).shopCommand(options))

await runProgram(program)
