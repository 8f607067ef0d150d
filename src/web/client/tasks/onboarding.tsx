import type { Pairing } from '../../../wire/sessions.ts'
import type { Api } from '../api.ts'
import { PairForm, Unpack } from '../browsers/pair.tsx'
import { type ComponentChildren, useState } from '../view.ts'

interface OnboardingProps {
  readonly api: Api
  readonly paired: number
  /** Whether tasks can run in a browser of a pool meanwhile. */
  readonly hasPool: boolean
  /** Called with the link that pairs a browser. */
  shows(pairing: Pairing): void
  /** What can be seen without any step. */
  readonly children: ComponentChildren
}

/** The way to the first task, for who has just come: one step after the other, each ticked off by itself. */
export function Onboarding({ api, paired, hasPool, shows, children }: OnboardingProps) {
  const [hasDownloaded, setDownloaded] = useState(false)
  const isExtensionDone = paired > 0 || hasDownloaded
  return (
    <section class="onboarding" aria-labelledby="onboarding-title">
      <h2 id="onboarding-title">Three steps to your first task</h2>
      {hasPool ? (
        <p>Or start one below at once: it runs in a browser of the service, which is signed in nowhere.</p>
      ) : null}
      <ol>
        <Part title="Get the browser extension" isDone={isExtensionDone} isCurrent={!isExtensionDone}>
          <p class="on-phone">Open this page on a computer: the extension is for Chrome and Edge there.</p>
          <p>
            <a class="button main" href="/extension.zip" download onClick={() => setDownloaded(true)}>
              Download the extension
            </a>
          </p>
          <Unpack />
        </Part>
        <Part title="Pair this browser" isDone={false} isCurrent={isExtensionDone}>
          {hasDownloaded && paired === 0 ? <Unpack /> : null}
          <p>Tasks run in your own browser, where you are already signed in.</p>
          <PairForm api={api} kind={isExtensionDone ? 'main' : 'plain'} shows={shows} />
          {paired > 0 ? <p class="quiet">A browser is paired, but not connected. Start it.</p> : null}
        </Part>
        <Part title="Say what should be done" isDone={false} isCurrent={false}>
          <p>As soon as a browser is connected, start a task below.</p>
        </Part>
      </ol>
      {children}
    </section>
  )
}

interface PartProps {
  readonly title: string
  readonly isDone: boolean
  /** Whether it is the one to do now: it is open. */
  readonly isCurrent: boolean
  readonly children: ComponentChildren
}

const Part = ({ title, isDone, isCurrent, children }: PartProps) => (
  <li class={isDone ? 'done' : isCurrent ? 'current' : ''}>
    <details open={isCurrent}>
      <summary>
        <strong>{title}</strong>
        {isDone ? <span class="hidden"> done</span> : null}
      </summary>
      {children}
    </details>
  </li>
)
