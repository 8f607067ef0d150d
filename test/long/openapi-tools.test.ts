import { execFile } from 'node:child_process'
import { copyFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { TestBrowser } from '../support/service/browser.ts'
import { openJobModel } from '../support/service/model.ts'
import { allowManyStarts, openService } from '../support/service.ts'
import { tempFolder } from '../support/stores.ts'

/** What other people's tools say of the document: fetched from their registries, skipped where they are not to be had. */

const test = suite('the OpenAPI document by tools of others')
const CASES = process.env.CASES ?? '25'
const folder = tempFolder()
const model = await openJobModel()
const service = await openService({ env: model.env })
allowManyStarts(service, 'running_tasks=50')
const session = await service.api.pair()
const browser = await TestBrowser.open({ relayPort: session.relayPort, token: session.token })
writeFileSync(join(folder, 'openapi.json'), await (await fetch(`${service.url}/openapi.json`)).text())
// Whom to ask is said by who runs the service.
writeFileSync(join(folder, '.spectral.yaml'), 'extends: ["spectral:oas"]\nrules: { info-contact: off }\n')
copyFileSync('test/api/schemathesis_hooks.py', join(folder, 'schemathesis_hooks.py'))

const run = async (command: string, env: Record<string, string> = {}) => {
  const options = { cwd: folder, env: { ...process.env, ...env }, timeout: 30 * 60_000, maxBuffer: 100_000_000 }
  return promisify(execFile)('sh', ['-c', `exec 2>&1; ${command}`], options).then(
    ({ stdout }) => ({ ok: true, out: stdout }),
    ({ stdout, message }) => ({ ok: false, out: String(stdout || message) }),
  )
}

/** A test of a tool that `install` brings here. */
async function tool(name: string, install: string, check: () => Promise<void>): Promise<void> {
  const { ok, out } = await run(install)
  if (ok) test(`[P4] [P9] ${name}`, check)
  else console.log(`SKIPPED 1 ${name} is not to be had: ${out.trim().split('\n').at(-1)}`)
}
const npx = (name: string, command: string) => `npx -y -p ${name} ${command}`
const clean = async (command: string, wanted: RegExp) => {
  const { ok, out } = await run(command)
  assert.ok(ok, out)
  assert.match(out, wanted)
  assert.not.match(out, /You have \d+ (warning|error)/)
}

const REDOCLY = '@redocly/cli@2.77.0'
await tool('redocly', npx(REDOCLY, 'redocly --version'), () =>
  clean(npx(REDOCLY, 'redocly lint openapi.json'), /is valid/),
)

const SPECTRAL = '@stoplight/spectral-cli@6.16.3'
await tool('spectral', npx(SPECTRAL, 'spectral --version'), () =>
  clean(npx(SPECTRAL, 'spectral lint --fail-severity hint openapi.json'), /No results/),
)

const OPENAPI_TYPESCRIPT = 'openapi-typescript@7.13.0'
await tool('openapi-typescript', npx(OPENAPI_TYPESCRIPT, 'openapi-typescript --version'), async () => {
  const tsc = `${resolve('node_modules/.bin/tsc')} --noEmit --strict --types "" --lib es2022,dom types.ts`
  await clean(`${npx(OPENAPI_TYPESCRIPT, 'openapi-typescript openapi.json -o types.ts')} && ${tsc}`, /types\.ts/)
})

const PIP = 'python3 -m venv py && py/bin/pip -q install'
await tool('openapi-python-client', `${PIP} openapi-python-client==0.29.1`, async () => {
  const { ok, out } = await run('py/bin/openapi-python-client generate --path openapi.json --output-path client')
  assert.ok(ok, out)
  // It knows no images. Everything else is generated.
  const omitted = [...out.matchAll(/parsing (GET \S+)/g)].map(([, route]) => route).sort()
  assert.equal(omitted, ['GET /v1/tasks/{id}/pictures/{picture}', 'GET /v1/tasks/{id}/screenshots/{step}'])
  const imports = `import importlib, pkgutil, browser_task_service_client as c
for m in pkgutil.walk_packages(c.__path__, c.__name__ + "."): importlib.import_module(m.name)`
  const imported = await run(`py/bin/python -c '${imports}'`, { PYTHONPATH: join(folder, 'client') })
  assert.ok(imported.ok, imported.out)
})

const OAPI_CODEGEN = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2'
await tool('oapi-codegen', `go run ${OAPI_CODEGEN} -version`, async () => {
  // It drops schemas of webhooks as unused and still names them, unless it drops none.
  const generate = `go run ${OAPI_CODEGEN} -generate types,client,skip-prune -package api -o api/api.go openapi.json`
  const { ok, out } = await run(`mkdir -p api && ${generate} && go mod init x && go mod tidy && go vet ./api`)
  assert.ok(ok, out)
})

await tool('schemathesis', `${PIP} schemathesis==4.32.5`, async () => {
  const { keys } = (await service.api.get('/v1/api-keys')).json
  const checks = [
    ...['not_a_server_error_of_ours', 'status_code_conformance', 'response_schema_conformance'],
    ...['content_type_conformance', 'response_headers_conformance'],
  ]
  const { ok, out } = await run(
    `py/bin/st run ${service.url}/openapi.json -H "Authorization: Bearer ${service.key}" --continue-on-failure -n ${CASES} -c ${checks}`,
    { PYTHONPATH: folder, SCHEMATHESIS_HOOKS: 'schemathesis_hooks', SESSION: session.id, KEY_ID: keys[0].id },
  )
  assert.ok(ok, out.slice(-20_000))
})

test.after(async () => {
  browser.disconnect()
  await service.kill()
  await model.endpoint.close()
})
test.run()
