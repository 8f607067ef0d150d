import type { Pairing } from '../../../wire/sessions.ts'
import type { Api } from '../api.ts'
import { PairForm } from '../browsers/pair.tsx'
import { Icon } from '../icons.tsx'
import type { ComponentChildren } from '../view.ts'

interface OnboardingProps {
  readonly api: Api
  readonly paired: number
  /** Something else on the page is to be pressed first. */
  readonly isSecond: boolean
  /** Called with the link that pairs a browser. */
  shows(pairing: Pairing): void
  /** What can be done before the first step. */
  readonly children: ComponentChildren
}

/** The way to the first task, for who has just come. Each part is ticked off by itself. */
export const Onboarding = ({ api, paired, isSecond, shows, children }: OnboardingProps) => (
  <section class="onboarding" aria-labelledby="onboarding-title">
    {children}
    <h2 id="onboarding-title">Three steps to your first task</h2>
    <ol>
      <Part title="Get the browser extension" isDone={paired > 0}>
        <p>
          <a class="button plain" href="/extension.zip" download>
            Download the extension
          </a>
        </p>
        <p>
          Unpack it. Open <code>chrome://extensions</code>, turn on <strong>Developer mode</strong>, choose{' '}
          <strong>Load unpacked</strong> and select the folder. (It is not in the Chrome Web Store.)
        </p>
      </Part>
      <Part title="Pair this browser" isDone={false}>
        <p>Tasks run in your own browser, where you are already signed in.</p>
        <PairForm api={api} kind={paired === 0 && !isSecond ? 'main' : 'plain'} shows={shows} />
        {paired > 0 ? <p class="quiet">A browser is paired, but not connected. Start it.</p> : null}
      </Part>
      <Part title="Say what should be done" isDone={false}>
        <p>As soon as a browser is connected, start a task below.</p>
      </Part>
    </ol>
  </section>
)

interface PartProps {
  readonly title: string
  readonly isDone: boolean
  readonly children: ComponentChildren
}

const Part = ({ title, isDone, children }: PartProps) => (
  <li class={isDone ? 'done' : ''}>
    <h3>
      {title}
      {isDone ? (
        <span class="good">
          {' '}
          <Icon name="check" />
          <span class="hidden">done</span>
        </span>
      ) : null}
    </h3>
    {children}
  </li>
)
