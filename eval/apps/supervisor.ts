import { pythonPackage } from '../harness/cache.ts'
import { linesOf } from '../harness/hands.ts'
import { type App, type AppTask, press, printed, serve } from './app.ts'

const SETTINGS = (port: number) => `[supervisord]
nodaemon=true
[inet_http_server]
port=127.0.0.1:${port}
[rpcinterface:supervisor]
supervisor.rpcinterface_factory=supervisor.rpcinterface:make_main_rpcinterface
[program:kettle]
command=sleep 100000
startsecs=0
[program:teapot]
command=sleep 100000
startsecs=0
autostart=false
[program:broken]
command=./nothing
startretries=0
autostart=false
`
const ASK = `import json, sys, xmlrpc.client
print(json.dumps(xmlrpc.client.ServerProxy(sys.argv[1] + "RPC2").supervisor.getProcessInfo(sys.argv[2])["statename"]))`

/** Processes in a table, whose links act and answer with a line above it. */
export const SUPERVISOR: App = {
  name: 'supervisor',
  async start() {
    const packages = await pythonPackage('supervisor', '4.3.0')
    const { port, close } = await serve(
      (_, free) => ({
        file: 'sh',
        args: [
          '-c',
          'printf %s "$SETTINGS" > supervisord.conf && exec python3 -m supervisor.supervisord -c supervisord.conf',
        ],
        env: { PYTHONPATH: packages, SETTINGS: SETTINGS(free) },
      }),
      (free) => `http://127.0.0.1:${free}/`,
    )
    const url = `http://127.0.0.1:${port}/`
    return { url, ask: async (name) => JSON.parse(await printed('python3', ['-c', ASK, url, name])), close }
  },
  get tasks() {
    return TASKS
  },
}

/** The reference of a link in the row of a process. */
const linkOf = (page: string, link: string, process: string): string =>
  linesOf(page, new RegExp(`link "${link}".*processname=${process}&`))[0]?.ref ?? ''

const acting = (name: string, process: string, link: string, message: RegExp, state: string): AppTask => ({
  name,
  about: 'a link of a row acts, and the line above the table says so',
  async solve(s, url, hears) {
    hears('saved', await s.click(linkOf(await s.open(url), link, process)), message)
  },
  done: [process, state],
})

const TASKS: readonly AppTask[] = [
  acting('supervisor-start', 'teapot', 'Start', /Process teapot started/, 'RUNNING'),
  acting('supervisor-stop', 'teapot', 'Stop', /Process teapot stopped/, 'STOPPED'),
  acting('supervisor-clear-log', 'kettle', 'Clear Log', /Log for kettle cleared/, 'RUNNING'),
  {
    name: 'supervisor-broken',
    about: 'a process that cannot start',
    async solve(s, url, hears) {
      hears('refused', await s.click(linkOf(await s.open(url), 'Start', 'broken')), /ERROR|no such file/i)
    },
    done: ['broken', 'STOPPED'],
  },
  {
    name: 'supervisor-stop-all',
    about: 'one link for all rows',
    async solve(s, url, hears) {
      hears('saved', await press(s, /link "Stop All"/, await s.open(url)), /All stopped at/)
    },
    done: ['kettle', 'STOPPED'],
  },
]
