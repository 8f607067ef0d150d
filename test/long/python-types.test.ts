import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { installPythonClient } from '../clients/packed.ts'

const test = suite('the types of the Python client, by mypy')
const run = promisify(execFile)

const HEAD = `from pydantic import BaseModel
from typing_extensions import assert_type
from browser_task_client import BrowserTasks, models

class Tea(BaseModel):
    price: float

client = BrowserTasks("http://x", "k")
tasks = client.tasks
`
const START = 'task="x", browser_session_id="s"'
/** What a checker has to refuse. */
const MISTAKES: readonly string[] = [
  'tasks.run(browser_session_id="s")',
  'tasks.run("x")',
  `tasks.run(${START}, taks="x")`,
  `tasks.run(${START}, approvals="sometimes")`,
  `tasks.run(${START}, priority="high")`,
  `tasks.run(${START}, metadata={"order": 4711})`,
  `tasks.run(${START}, secrets=[{"name": "pin"}])`,
  `tasks.run(${START}, on_events=print)`,
  `tasks.run(${START}, on_input="yes")`,
  `tasks.run(${START}, output=5)`,
  `tasks.run(${START}, output=Tea).output.price`,
  `tasks.run(${START}, timeout="long")`,
  `tasks.run(${START}).ansewr`,
  'tasks.wait(4711)',
  'tasks.wait("a", output=Tea).output.cost',
  'tasks.list(status="done")',
  'next(tasks.list()).turns',
  'next(tasks.events("a", after="later"))',
  'next(tasks.events("a")).cursr',
  'client.webhooks.create(types=["task.ended"])',
  'client.keys.create(name="x", type="private")',
]
const RIGHT = `
assert_type(tasks.run(${START}, context=None, output=Tea, timeout=1.5, idempotency_key="x").output, Tea | None)
assert_type(tasks.wait("a", output=Tea).output, Tea | None)
assert_type(tasks.get("a").id, str)
for task in tasks.list(status="running", metadata={"order": "4711"}):
    assert_type(task, models.TaskSummary)
for event in tasks.events("a", after="now"):
    assert_type(event.cursor, int)
    if event.type == "tool.called":
        tool: str = event.tool
`

const client = await installPythonClient()
const mypy =
  client &&
  (await run('python3', ['-m', 'pip', '-q', '--python', client.python, 'install', 'mypy==1.18.2']).then(
    () => true,
    () => false,
  ))
if (!client || !mypy) console.log('SKIPPED 1 Python with venv, or mypy, is not to be had')
else
  test(`[Y12] [Y13] they refuse ${MISTAKES.length} mistakes, and infer the output`, async () => {
    const lines = MISTAKES.map((line) => `${line}  # type: ignore`)
    writeFileSync(join(client.folder, 'right.py'), HEAD + RIGHT)
    writeFileSync(join(client.folder, 'wrong.py'), `${HEAD}${lines.join('\n')}\n`)
    const args = ['-m', 'mypy', '--strict', '--warn-unused-ignores', 'right.py', 'wrong.py']
    const { stdout } = await run(client.python, args, { cwd: client.folder }).catch((error) => error)
    assert.match(stdout, /^Success/, stdout)
  })

test.run()
