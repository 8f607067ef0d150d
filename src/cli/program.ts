import { Command, CommanderError, Option } from 'commander'
import type { ServiceOptions } from './client.ts'
import { EXIT } from './exit-codes.ts'
import { dieOfBugs, lineOf } from './terminal.ts'

const SERVICE_URL = 'http://127.0.0.1:3456'
/** Of an option that may be given several times. */
const several = (given: string, before: readonly string[] = []) => [...before, given]

export const serviceOption = () =>
  new Option('--service <url>', 'the service').default(process.env.BROWSER_TASK_URL ?? SERVICE_URL)
/** As `browser` and `inspect` called it; it means the page in `run`. */
export const formerServiceOption = () => new Option('--url <service>').hideHelp()
export const takeFormerOption = (command: Command) => {
  const { url } = command.opts<{ url?: string }>()
  if (url !== undefined) command.setOptionValue('service', url)
}

/** A program without commands, for `addClientCommands`. */
export const createProgram = (name: string, version: string): Command =>
  new Command(name)
    .description('Say in plain language what should be done on the web, and have it done in your own browser.')
    .version(version, '--version', 'print the version')
    .exitOverride()

/** Runs the command of the arguments, and ends the process with its exit code. What goes wrong is one line. */
export async function runProgram(program: Command): Promise<void> {
  dieOfBugs()
  try {
    await program.parseAsync()
    process.exit()
  } catch (error) {
    // Commander has said what is wrong with the arguments, or has shown the help.
    if (error instanceof CommanderError) process.exit(error.exitCode === 0 ? EXIT.done : EXIT.usage)
    process.stderr.write(`${lineOf(error)}\n`)
    process.exit((await import('./client.ts')).exitCodeOf(error))
  }
}

/**
 * [Q21] The commands that need a service and a key alone. They are loaded when they are asked for: help and version wait
 * for nothing.
 */
export function addClientCommands(program: Command, mcp: (options: ServiceOptions) => Promise<void>): void {
  program
    .command('run <task>')
    .description('run one task, and print its steps as they happen')
    .option('--url <page>', 'the page to open first')
    .addOption(serviceOption())
    .option('--key <key>', 'an API key (default: BROWSER_TASK_KEY)')
    .option('--session <id>', 'the browser session (default: the one that connected last)')
    .option('--pool <name>', 'a browser of this pool instead')
    .option(
      '--profile <name>',
      'the profile that signs the task in to sites; the pool is `default` unless --pool names one',
    )
    .option('--file <path...>', 'files that the task may read and upload: paths, or URLs that the service fetches')
    .option('--continue <task-id>', 'continue an ended task, in its browser: its conversation is read first')
    .option('--approvals <which>', 'ask before: never, irreversible or always (default: never)')
    .option('--effort <how>', 'how hard the model thinks: low, medium or high')
    .option('--ask-user', 'the task may ask you questions')
    .option('--allow <domain>', 'a site that the task may reach; others it may not (several)', several)
    .option('--secret <name=source>', 'a secret that the task may type: name=env:VARIABLE or name=file:path', several)
    .option('--totp <name=source>', 'the same for what one-time codes are made of', several)
    .option('--secret-domain <domain>', 'a site on which secrets may be typed (default: that of --url)', several)
    .option('--schema <file>', 'a JSON Schema that the output has to fit')
    .option('--input <name=value>', 'fills {{name}} in the task and in --url (several)', several)
    .option('--recipe <how>', 'off, auto, only or new (default: off): do it without a model, as it was done before')
    .option('--metadata <name=value>', 'a name and a value to find the task by (several)', several)
    .option('--json', 'print the ended task as one JSON object, and nothing else')
    .action(async (task, options) => {
      const { runCommand } = await import('./run.ts')
      process.exitCode = await runCommand(task, { key: process.env.BROWSER_TASK_KEY, ...options })
    })

  program
    .command('follow <task-id>')
    .description('print the steps of a task from its start on, as they happen')
    .addOption(serviceOption())
    .option('--key <key>', 'an API key (default: BROWSER_TASK_KEY)')
    .action(async (taskId, options) => {
      const { followCommand } = await import('./follow.ts')
      process.exitCode = await followCommand(taskId, { key: process.env.BROWSER_TASK_KEY, ...options })
    })

  program
    .command('files <task-id> [folder]')
    .description('save what a task has downloaded; in this folder unless one is given')
    .addOption(serviceOption())
    .option('--key <key>', 'an API key (default: BROWSER_TASK_KEY)')
    .action(async (taskId, folder, options) => {
      const { filesCommand } = await import('./files.ts')
      await filesCommand(taskId, folder ?? '.', { key: process.env.BROWSER_TASK_KEY, ...options })
    })

  program
    .command('answer <task-id> <request-id> <action> [content]')
    .description('answer what a task asks: accept, decline or cancel; content is the answer to a question')
    .option('--for-task', 'accept all that is like it, too, until the task ends')
    .addOption(serviceOption())
    .option('--key <key>', 'an API key (default: BROWSER_TASK_KEY)')
    .action(async (taskId, requestId, action, content, options) => {
      const { answerCommand } = await import('./answer.ts')
      await answerCommand([taskId, requestId, action, content], { key: process.env.BROWSER_TASK_KEY, ...options })
    })

  for (const [name, does] of [
    ['pause', 'pause a task: it makes no call and asks for no reply until it is resumed'],
    ['resume', 'resume a task that was paused'],
    ['cancel', 'end a running task'],
    ['message', 'say something to a running task'],
  ] as const)
    program
      .command(`${name} <task-id>${name === 'message' ? ' <text>' : ''}`)
      .description(does)
      .addOption(serviceOption())
      .option('--key <key>', 'an API key (default: BROWSER_TASK_KEY)')
      .action(async (taskId, ...given) => {
        const [text, options] = name === 'message' ? given : ['', given[0]]
        const { steerCommand } = await import('./answer.ts')
        await steerCommand(name, taskId, text, { key: process.env.BROWSER_TASK_KEY, ...options })
      })

  const tasks = program.command('tasks').description('read tasks, as JSON for scripts')
  const withService = (command: Command) =>
    command.addOption(serviceOption()).option('--key <key>', 'an API key (default: BROWSER_TASK_KEY)')
  const readsTasks = (command: Command) => withService(command).option('--json', 'the default')
  const withKey = (options: object) => ({ key: process.env.BROWSER_TASK_KEY, ...options }) as never
  readsTasks(tasks.command('list').description('print tasks, one a line, newest first'))
    .option('--limit <n>', 'so many at most', '20')
    .option('--status <status>', 'running, complete or error')
    .option('--metadata <name=value>', 'only those with this value (several)', several)
    .action(async (options) => (await import('./tasks.ts')).listTasks(withKey(options)))
  readsTasks(tasks.command('get <task-id>').description('print a task')).action(async (id, options) =>
    (await import('./tasks.ts')).getTask(id, withKey(options)),
  )
  readsTasks(
    tasks.command('events <task-id>').description('print the events of a task, one a line, until it has ended'),
  )
    .option('--after <seq>', 'only those after this one')
    .action(async (id, options) => (await import('./tasks.ts')).taskEvents(id, withKey(options)))

  const recipes = program
    .command('recipes')
    .description('what is done again without a model: list, show, export, delete')
  const forRecipes = (name: string, does: string) =>
    recipes
      .command(name)
      .description(does)
      .addOption(serviceOption())
      .option('--key <key>', 'an API key (default: BROWSER_TASK_KEY)')
  forRecipes('list', 'list recipes, newest first')
    .option('--json', 'one JSON object a line')
    .action(async (options) => (await import('./recipes.ts')).listRecipes(withKey(options)))
  forRecipes('show <id>', 'print a recipe with its steps in words')
    .option('--json', 'as one JSON object')
    .action(async (id, options) => (await import('./recipes.ts')).showRecipe(id, withKey(options)))
  forRecipes('export <id>', 'print a recipe as a Playwright test in TypeScript').action(async (id, options) =>
    (await import('./recipes.ts')).exportRecipe(id, withKey(options)),
  )
  for (const [name, does] of [
    ['disable', 'do not play a recipe any more'],
    ['enable', 'play it again'],
    ['delete', 'delete a recipe'],
  ] as const)
    forRecipes(`${name} <id>`, does).action(async (id, options) =>
      (await import('./recipes.ts')).changeRecipe(name, id, withKey(options)),
    )

  const browsers = program.command('browsers').description('pair browsers, and list those that are paired')
  withService(browsers.command('pair').description('print a link that pairs a browser; it is valid for five minutes'))
    .option('--label <label>', 'its name in lists')
    .option('--json', 'print one JSON object')
    .action(async (options) => (await import('./browsers.ts')).pairCommand(withKey(options)))
  withService(browsers.command('list').description('list the browsers of the workspace, newest first'))
    .option('--json', 'one JSON object a line')
    .action(async (options) => (await import('./browsers.ts')).listBrowsers(withKey(options)))

  const profiles = program.command('profiles').description('keep tasks signed in to sites')
  withService(profiles.command('create <name>').description('create an empty profile')).action(async (name, options) =>
    (await import('./profiles.ts')).createProfile(name, withKey(options)),
  )
  withService(profiles.command('list').description('list the profiles')).action(async (options) =>
    (await import('./profiles.ts')).listProfiles(withKey(options)),
  )
  withService(profiles.command('delete <name>').description('delete a profile and what it holds')).action(
    async (name, options) => (await import('./profiles.ts')).deleteProfile(name, withKey(options)),
  )
  withService(profiles.command('sign-in <name> <url>').description('open a page in which you sign in, for a profile'))
    .option('--pool <name>', 'the pool that lends the browser (default: default)')
    .action(async (name, url, options) => (await import('./profiles.ts')).signIn(name, url, withKey(options)))

  program
    .command('webhooks')
    .description('receive webhooks on this machine')
    .command('listen')
    .description('send the events of the workspace to an address of this machine, signed as webhooks are')
    .requiredOption('--forward-to <url>', 'where they are sent, such as http://localhost:3000/hooks')
    .option('--types <types>', 'only these types, separated by commas (default: those that endpoints get)')
    .addOption(serviceOption())
    .option('--key <key>', 'an API key (default: BROWSER_TASK_KEY)')
    .action(async (options) => {
      process.exitCode = await (await import('./webhooks.ts')).listenCommand(withKey(options))
    })

  program
    .command('completion <shell>')
    .description('print a script that completes commands in bash, zsh or fish')
    .action(async (shell) => {
      const { completionOf } = await import('./completion.ts')
      const words = program.commands.map((command): [string, string[]] => [
        command.name(),
        [...command.commands.map((inner) => inner.name()), ...command.options.map(({ long }) => long ?? '')],
      ])
      process.stdout.write(`${completionOf(shell, program.name(), new Map(words))}\n`)
    })

  program
    .command('mcp')
    .description('serve MCP over standard input and output, for clients that start their servers themselves')
    .addOption(serviceOption())
    .option('--key <key>', 'an API key (default: BROWSER_TASK_KEY)')
    .action(async (options) => mcp({ key: process.env.BROWSER_TASK_KEY, ...options }))
}
