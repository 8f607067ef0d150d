import { PANEL, readPanel } from '../panel-state.ts'
import { keepSites, readSites } from '../settings.ts'
import { parseSites } from '../sites.ts'
import { element, say, tell } from './dom.ts'

/** The options: which sites tasks may act on, and the end of the pairing. */

const allow = element<HTMLTextAreaElement>('allow')
const deny = element<HTMLTextAreaElement>('deny')

async function showPairing(): Promise<void> {
  const { origin, workspace } = await readPanel()
  const named = workspace === null ? '' : `, workspace ${workspace}`
  say('pairing', origin === null ? 'This browser is not paired.' : `This browser is paired with ${origin}${named}.`)
  element('forget').hidden = origin === null
}

async function showSites(): Promise<void> {
  const sites = await readSites()
  allow.value = sites.allow.join('\n')
  deny.value = sites.deny.join('\n')
}

async function save(): Promise<void> {
  const [allowed, denied] = [parseSites(allow.value), parseSites(deny.value)]
  for (const [field, { wrong }] of [
    [allow, allowed],
    [deny, denied],
  ] as const) {
    field.setAttribute('aria-invalid', String(wrong !== null))
    if (wrong === null) continue
    say('saved', `“${wrong}” is not a valid site. Nothing was saved.`)
    field.focus()
    return
  }
  await keepSites({ allow: allowed.sites, deny: denied.sites })
  await showSites()
  say('saved', 'Saved.')
}

element<HTMLFormElement>('sites').onsubmit = (event) => {
  event.preventDefault()
  void save()
}
element('forget').onclick = () => void tell({ type: 'forget' })
chrome.storage.session.onChanged.addListener((changes) => {
  if (changes[PANEL]) void showPairing()
})
void showSites()
void showPairing()
