import type { TreeLine } from './read.ts'

/** It speaks to the user. */
const MESSAGE = /^(alert|alertdialog|status|log|dialog|tooltip|timer)\b|\] (\S+ )*invalid\b/

/** Whether lines that are asked for in their order are, or are in, one that matches. */
export class Depth {
  readonly #pattern: RegExp
  #outer: number | null = null

  constructor(pattern: RegExp) {
    this.#pattern = pattern
  }

  at({ depth, text }: Pick<TreeLine, 'depth' | 'text'>): boolean {
    if (this.#outer !== null && depth > this.#outer) return true
    this.#outer = this.#pattern.test(text) ? depth : null
    return this.#outer !== null
  }
}

/** Whether lines are, or are in, what the page says to its user: alerts, notices, dialogs, fields that it does not take. */
export class MessageDepth extends Depth {
  constructor() {
    super(MESSAGE)
  }
}
