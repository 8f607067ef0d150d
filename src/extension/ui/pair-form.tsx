import { useState } from '../../web/client/view.ts'
import { PAIRING_CODE } from '../messages.ts'
import type { Act } from './panel.tsx'

/** Pairs by a link that was pasted, or by its code alone and the address of the service. */
export function PairForm({ act }: { readonly act: Act }) {
  const [pasted, setPasted] = useState('')
  const [service, setService] = useState('http://localhost:3456')
  const given = pasted.trim()
  // A code alone does not say whose it is.
  const isCode = PAIRING_CODE.test(given)
  const pair = (event: Event) => {
    event.preventDefault()
    const link = isCode && URL.canParse(service) ? `${new URL(service).origin}/pair/${given}` : given
    void act({ type: 'paste', link })
  }
  return (
    <section aria-labelledby="pair-title">
      <h2 id="pair-title">Pair this browser</h2>
      <p>Open a pairing link of your service, or paste it here.</p>
      <form class="start" onSubmit={pair}>
        <label>
          Pairing link or code
          <input
            inputMode="url"
            autocomplete="off"
            spellcheck={false}
            required
            value={pasted}
            onInput={({ currentTarget }) => setPasted(currentTarget.value)}
          />
        </label>
        {isCode ? (
          <label>
            Address of the service
            <input
              type="url"
              autocomplete="off"
              spellcheck={false}
              value={service}
              onInput={({ currentTarget }) => setService(currentTarget.value)}
            />
          </label>
        ) : null}
        <button type="submit" class="main">
          Pair
        </button>
      </form>
    </section>
  )
}
