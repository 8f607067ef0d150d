import { Button } from '../../web/client/ui.tsx'
import { render, useEffect, useState } from '../../web/client/view.ts'
import { keepSites, readSites } from '../settings.ts'
import { parseSites } from '../sites.ts'
import { rootOf, tell, usePanel } from './worker.ts'

/** The options: which sites tasks may act on, and the end of the pairing. */
const Options = () => (
  <main>
    <h1>Browser tasks options</h1>
    <Pairing />
    <SitesForm />
  </main>
)

function Pairing() {
  const panel = usePanel()
  const { origin = null, workspace = null } = panel ?? {}
  const named = workspace === null ? '' : `, workspace ${workspace}`
  return (
    <section aria-labelledby="pairing-title">
      <h2 id="pairing-title">Pairing</h2>
      <p>
        {panel === null
          ? null
          : origin === null
            ? 'This browser is not paired.'
            : `This browser is paired with ${origin}${named}.`}
      </p>
      {origin === null ? null : <Button act={() => tell({ type: 'forget' })}>Unpair this browser</Button>}
    </section>
  )
}

function SitesForm() {
  const [allow, setAllow] = useState('')
  const [deny, setDeny] = useState('')
  const [said, setSaid] = useState<string | null>(null)
  const [wrong, setWrong] = useState<'allow' | 'deny' | null>(null)
  // What is typed before the lists have been read would be replaced by them.
  const [isRead, setRead] = useState(false)
  const read = async () => {
    const sites = await readSites()
    setAllow(sites.allow.join('\n'))
    setDeny(sites.deny.join('\n'))
    setRead(true)
  }
  useEffect(() => void read(), [])
  const save = async (event: Event) => {
    event.preventDefault()
    const lists = { allow: parseSites(allow), deny: parseSites(deny) }
    const bad = (['allow', 'deny'] as const).find((name) => lists[name].wrong !== null) ?? null
    setWrong(bad)
    if (bad !== null) {
      document.getElementById(bad)?.focus()
      return setSaid(`“${lists[bad].wrong}” is not a valid site. Nothing was saved.`)
    }
    await keepSites({ allow: lists.allow.sites, deny: lists.deny.sites })
    await read()
    setSaid('Saved.')
  }
  return (
    <section aria-labelledby="sites-title">
      <h2 id="sites-title">Sites</h2>
      <p>
        One site per line, such as <code>example.com</code>. Subdomains are included. Both lists are checked before
        every action and after every navigation.
      </p>
      <form onSubmit={save}>
        <label for="allow">Allow only these sites</label>
        <textarea
          id="allow"
          spellcheck={false}
          disabled={!isRead}
          aria-describedby="allow-hint"
          aria-invalid={wrong === 'allow'}
          value={allow}
          onInput={({ currentTarget }) => setAllow(currentTarget.value)}
        />
        <p id="allow-hint" class="quiet">
          Leave empty to allow every site.
        </p>
        <label for="deny">Block these sites</label>
        <textarea
          id="deny"
          spellcheck={false}
          disabled={!isRead}
          aria-invalid={wrong === 'deny'}
          value={deny}
          onInput={({ currentTarget }) => setDeny(currentTarget.value)}
        />
        <div class="actions">
          <button type="submit" class="main">
            Save
          </button>
        </div>
        <p role="status">{said}</p>
      </form>
    </section>
  )
}

render(<Options />, rootOf())
