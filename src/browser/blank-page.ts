import { type ShrinkOptions, shrinkJpeg } from './shrink.ts'

interface ScriptablePage {
  isClosed(): boolean
  evaluate(script: typeof shrinkJpeg, options: ShrinkOptions): Promise<string>
}
interface PageContext {
  pages(): ScriptablePage[]
  newPage(): Promise<ScriptablePage>
}

/** The empty page that a browser starts with, which no task has: a canvas for programs that have none. */
export class BlankPage {
  readonly #context: PageContext
  #page: ScriptablePage | undefined

  constructor(context: PageContext) {
    this.#context = context
    this.#page = context.pages()[0]
  }

  shrink = async (options: ShrinkOptions): Promise<string> => {
    if (!this.#page || this.#page.isClosed()) this.#page = await this.#context.newPage()
    return this.#page.evaluate(shrinkJpeg, options)
  }
}
