import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { pythonWheel } from '../../clients/python-wheel.ts'
import { packageFiles, tarball } from '../../src/web/archive.ts'
import { ROOT } from '../support/built.ts'
import { tempFolder } from '../support/stores.ts'
import { ask, depsOf, type Fakes, serve } from './world.ts'

const test = suite('archives of the clients')

const opened: { close(): Promise<void> }[] = []
async function served(deps: Fakes): Promise<number> {
  const service = await serve(depsOf(deps))
  opened.push(service)
  return service.port
}
test.after(async () => {
  for (const service of opened) await service.close()
})

const TOGETHER = 10
const NAMES = { typescript: 'browser-task-client.tgz', python: 'c-1-py3-none-any.whl', service: 's.tgz' }
const bytes = (text: string) => new TextEncoder().encode(text)

test('[P45] they are read once, however many ask at the same time, and again after a failure', async () => {
  let reads = 0
  let asked = 0
  let open = () => {}
  const allAsked = new Promise<void>((resolve) => {
    open = resolve
  })
  const port = await served({
    requestOriginOf: () => {
      if (++asked === TOGETHER) open()
      return { origin: 'http://svc.example', host: 'svc.example', secure: false, address: '192.0.2.1' }
    },
    archives: {
      names: NAMES,
      async read() {
        reads++
        await allAsked
        if (reads === 1) throw new Error('no room')
        return new Map([[NAMES.typescript, bytes('client')]])
      },
    },
  })
  const together = Array.from({ length: TOGETHER }, () => ask(port, `/clients/${NAMES.typescript}`))
  const failed = await Promise.all(together)
  assert.equal(
    [...new Set(failed.map(({ status, text }) => `${status} ${JSON.parse(text).code}`))],
    ['503 archives_not_built'],
  )
  assert.is(reads, 1)
  const answer = await ask(port, `/clients/${NAMES.typescript}`)
  assert.equal([answer.status, answer.text, answer.headers['content-type']], [200, 'client', 'application/gzip'])
  assert.match(String(answer.headers['cache-control']), /^public, max-age=\d+$/)
  const known = { headers: { 'if-none-match': String(answer.headers.etag) } }
  assert.is((await ask(port, `/clients/${NAMES.typescript}`, known)).status, 304)
  assert.is(reads, 2)
})

test('[P45] an address has 30 downloads a minute; names that are not archives cost none and read nothing', async () => {
  let reads = 0
  const archives = {
    names: NAMES,
    async read() {
      reads++
      return new Map([[NAMES.service, bytes('service')]])
    },
  }
  const port = await served({ archives })
  for (const path of ['package.json', '..%2fpackage.json', '%2e%2e/package.json', 's.tgz%00', 'S.TGZ', ''])
    assert.is.not((await ask(port, `/clients/${path}`)).text, 'service', path)
  assert.is(reads, 0)
  const statuses: (number | undefined)[] = []
  for (let n = 0; n < 31; n++) statuses.push((await ask(port, `/clients/${NAMES.service}`)).status)
  assert.equal([statuses.filter((status) => status === 200).length, statuses[30]], [30, 429])
  const refused = await ask(port, `/clients/${NAMES.service}`)
  assert.equal([JSON.parse(refused.text).code, refused.headers['retry-after']], ['too_many_downloads', '60'])
})

test('[P45] the page names each by the address that was asked', async () => {
  const port = await served({ archives: { names: NAMES, read: () => Promise.reject(new Error('not asked')) } })
  const { status, text } = await ask(port, '/clients', { headers: { host: 'svc.example:3456' } })
  assert.is(status, 200)
  for (const name of Object.values(NAMES)) assert.ok(text.includes(`http://svc.example:3456/clients/${name}`), name)
})

/** The names in an archive, as tar reads them. */
const namesIn = (archive: Uint8Array) =>
  execFileSync('tar', ['-tz'], { input: archive, encoding: 'utf8' }).trim().split('\n').sort()

test('[P45] an archive has what npm would pack, without deploy/ and settings, and equal bytes each time', async () => {
  const listed = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  const [{ files }] = JSON.parse(listed) as [{ files: { path: string }[] }]
  // What is built changes while other tests pack; npm adds what a folder says of itself.
  const isWritten = (path: string) => !/^(?:dist|clients)\//.test(path)
  const wanted = files.map(({ path }) => path).filter((path) => isWritten(path) && !/^deploy\/|\.env$/.test(path))
  const written = async () => new Map([...(await packageFiles(ROOT))].filter(([path]) => isWritten(path)))
  const packed = await written()
  assert.equal([...packed.keys()], wanted.sort())
  const archive = await tarball(packed)
  assert.equal(namesIn(archive), wanted.map((path) => `package/${path}`).sort())
  assert.ok(Buffer.from(archive).equals(await tarball(await written())))
})

test('[P45] nothing that an operator keeps in the folder is in the archive: data, settings, git, links, other files', async () => {
  const root = tempFolder()
  const secrets = ['data/store.mdb', '.git/config', '.env', 'deploy/service.env', 'deploy/tls.pem', 'src/threads.env']
  const others = ['node_modules/x/index.js', 'docs/eval.json', 'docs/notes.txt', '.npmrc', 'docs/.env', 'dist/old/x.js']
  const wanted = ['README.md', 'docs/a.md', 'docs/deep/b.md', 'dist/service/cli.js', 'LICENSE']
  for (const name of [...secrets, ...others, ...wanted]) {
    mkdirSync(join(root, name, '..'), { recursive: true })
    writeFileSync(join(root, name), name)
  }
  const { files } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  writeFileSync(join(root, 'package.json'), JSON.stringify({ files }))
  symlinkSync(join(root, 'data/store.mdb'), join(root, 'docs/link.md'))
  symlinkSync(join(root, 'data'), join(root, 'docs/images'))
  assert.equal([...(await packageFiles(root)).keys()], [...wanted, 'package.json'].sort())
})

test('[P45] a path that the format of archives cannot name is refused, and one of 200 characters is not', async () => {
  const long = `docs/${'a'.repeat(90)}/${'b'.repeat(90)}.md`
  const archive = await tarball(new Map([[long, bytes('x')]]))
  assert.equal(namesIn(archive), [`package/${long}`])
  assert.is(gunzipSync(archive).length % 512, 0)
  const refused = await tarball(new Map([['c'.repeat(101), bytes('x')]])).catch(String)
  assert.match(String(refused), /too long for an archive/)
})

const check = spawnSync('python3', ['--version']).status === 0 ? test : test.skip
check('[P45] the wheel says what the project of the Python client does, with the version of the service', () => {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  const { name, bytes: wheel } = pythonWheel(new URL('clients/python/', `file://${ROOT}`))
  assert.is(name, `browser_task_client-${version}-py3-none-any.whl`)
  const project = readFileSync(join(ROOT, 'clients/python/pyproject.toml'), 'utf8')
  const info = execFileSync('python3', ['-c', METADATA], { input: wheel, encoding: 'utf8' })
  const described = JSON.parse(info)
  assert.equal([described.Name, described.Version], ['browser-task-client', version])
  assert.equal(
    JSON.stringify(described.Requires).replaceAll('","', '", "'),
    /^dependencies = (.*)$/m.exec(project)?.[1],
  )
  assert.equal(described.wrong, [])
  for (const page of ['docs/start.md', 'docs/sdk.md'])
    for (const [address] of readFileSync(join(ROOT, page), 'utf8').matchAll(/browser_task_client-\S+\.whl/g))
      assert.is(address, name, page)
})

/** Reads the wheel on standard input: its description, and what does not have the hash or length that it records. */
const METADATA = `
import base64, csv, email, hashlib, io, json, sys, zipfile
wheel = zipfile.ZipFile(io.BytesIO(sys.stdin.buffer.read()))
info = next(name.split("/")[0] for name in wheel.namelist() if name.endswith("/METADATA"))
about = email.message_from_bytes(wheel.read(info + "/METADATA"))
rows = [row for row in csv.reader(io.TextIOWrapper(wheel.open(info + "/RECORD"))) if row[1]]
digest = lambda name: "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(wheel.read(name)).digest()).decode().rstrip("=")
wrong = [name for name, hash, size in rows if hash != digest(name) or int(size) != len(wheel.read(name))]
wrong += sorted(set(wheel.namelist()) - {name for name, *_ in rows} - {info + "/RECORD"})
print(json.dumps({"Name": about["Name"], "Version": about["Version"], "Requires": about.get_all("Requires-Dist"), "wrong": wrong}))
`

test.run()
