import { LABEL_CHARS_MAX } from '../../../wire/limits.ts'
import type { Pairing } from '../../../wire/sessions.ts'
import type { Api } from '../api.ts'
import { Form, FormDialog, type FormProps } from '../form.tsx'
import { CopyButton, Pre } from '../ui.tsx'
import { useEffect, useState } from '../view.ts'
import { qrOf } from './qr.ts'

interface PairProps {
  readonly api: Api
  /** Called with the link that pairs a browser. */
  shows(pairing: Pairing): void
}

const formOf = ({ api, shows }: PairProps, placeholder: string) => ({
  send: async ({ label }: Readonly<Record<string, string>>) => shows(await api.browsers.pair({ label })),
  at: { too_many_pairings: 'label', too_many_browsers: 'label' },
  fields: [{ name: 'label', label: 'Name (optional)', maxLength: LABEL_CHARS_MAX, placeholder }],
})

/** Makes a pairing link. */
export const PairForm = ({ kind, ...props }: PairProps & Required<Pick<FormProps, 'kind'>>) => (
  <Form {...formOf(props, 'My laptop')} kind={kind} layout="" button="Pair a browser" />
)

/** The same above the page. */
export const PairDialog = ({ close, ...props }: PairProps & { close(): void }) => (
  <FormDialog {...formOf(props, 'Office laptop')} title="Pair a browser" button="Create pairing link" close={close} />
)

/** What is done with the extension that was downloaded. */
export const Unpack = () => (
  <p>
    Unpack it. Open <code>chrome://extensions</code>, turn on <strong>Developer mode</strong>, choose{' '}
    <strong>Load unpacked</strong> and select the folder. (It is not in the Chrome Web Store.)
  </p>
)

const LOOK_EVERY_MS = 1_500

interface PairingLinkProps {
  readonly api: Api
  readonly workspaceId: string
  readonly pairing: Pairing
}

/** [P15] A pairing link as text and as a QR code. The page goes on to the tasks once a browser has come that was not there before. */
export function PairingLink({
  api,
  workspaceId,
  pairing: { pairing_url: link, expires_in_seconds: s },
}: PairingLinkProps) {
  const [isPaired, setPaired] = useState(false)
  useEffect(() => {
    let before: ReadonlySet<string> | null = null
    const look = async () => {
      const now = new Set<string>()
      for await (const { id } of api.browsers.list({ status: 'connected' })) now.add(id)
      const known = before
      before ??= now
      if (known === null || [...now].every((id) => known.has(id))) return
      setPaired(true)
      location.assign(`/dashboard?workspace=${workspaceId}`)
    }
    const lookOn = () => void look().catch(() => {})
    lookOn()
    const timer = setInterval(lookOn, LOOK_EVERY_MS)
    return () => clearInterval(timer)
  }, [api])
  return (
    <section aria-label="The pairing link">
      <p>
        Open this link in the browser that should carry out your tasks. It works once, within {Math.round(s / 60)}{' '}
        minutes.
      </p>
      <div class="pairing">
        <figure>
          <QrCode text={link} />
          <figcaption class="quiet">The same link as a QR code</figcaption>
        </figure>
        <div>
          <p>
            <a class="button main" href={link} target="_blank" rel="noopener">
              Open the pairing page in this browser
            </a>
          </p>
          <Pre label="The link">{link}</Pre>
          <p>
            <CopyButton text={link}>Copy</CopyButton>
          </p>
          <p class="quiet">Anyone with this link can pair a browser with this workspace. Do not share it.</p>
        </div>
      </div>
      <p role="status">
        {isPaired ? (
          'The browser is paired.'
        ) : (
          <>
            <span class="pulse" /> Waiting for the browser … Once it is paired, this page continues by itself.
          </>
        )}
      </p>
    </section>
  )
}

/** Dark on light whatever the page's colours are, because cameras expect it so. */
function QrCode({ text }: { readonly text: string }) {
  const { side, dark } = qrOf(text)
  return (
    <svg
      class="qr"
      viewBox={`0 0 ${side} ${side}`}
      shape-rendering="crispEdges"
      role="img"
      aria-label="QR code of the pairing link"
    >
      <rect width={side} height={side} fill="#fff" />
      <path fill="#000" d={dark} />
    </svg>
  )
}
