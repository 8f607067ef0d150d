import type { JavascriptToolInput } from '../../../wire/tools.ts'
import { JAVASCRIPT_OUTPUT_CHARS_MAX } from '../../limits.ts'
import { type Evaluated, type RemoteObject, ToolError } from '../cdp.ts'
import { type Call, readable } from '../page.ts'
import type { Result } from '../result.ts'
import { truncate } from '../text.ts'

/** Runs the model's JavaScript in the page: the value of its last expression as text. What it throws is a ToolError. */
export async function javascript(call: Call, { text }: JavascriptToolInput): Promise<Result> {
  await readable(call)
  let evaluated: Evaluated
  try {
    evaluated = await run(call, (await isFunctionBody(call, text)) ? `(async () => {\n${text}\n})()` : text)
  } catch (error) {
    if (call.signal.aborted) throw error
    if (wasStopped(error)) throw new ToolError('The script did not end and was stopped.')
    if (!leftThePage(error)) throw error
    return { said: 'The script led to another page.', content: '' }
  }
  const failure = thrown(evaluated)
  if (failure !== null) throw new ToolError('The script failed.', truncate(failure, JAVASCRIPT_OUTPUT_CHARS_MAX))
  const output = await shown(call, evaluated.result)
  const cut = output.length - JAVASCRIPT_OUTPUT_CHARS_MAX
  const bounded = cut > 0 ? `${output.slice(0, JAVASCRIPT_OUTPUT_CHARS_MAX)}… cut: ${cut} more characters.` : output
  return { said: '', content: bounded }
}

async function run(call: Call, expression: string): Promise<Evaluated> {
  const evaluated = await call.send('Runtime.evaluate', {
    expression,
    replMode: true,
    awaitPromise: true,
    userGesture: true,
    // A script that never ends is ended, so that the page lives on.
    timeout: call.page.patience.answerMs * SCRIPT_SHARE,
  })
  const { subtype, objectId } = evaluated.result
  // What this mode awaits is the script itself, not what it comes to.
  return subtype === 'promise' && objectId !== undefined
    ? call.send('Runtime.awaitPromise', { promiseObjectId: objectId })
    : evaluated
}

/** Of the time that a page has to answer: the rest is for saying so. */
const SCRIPT_SHARE = 0.5

/** Models write function bodies, too: with `return` outside of any function. */
async function isFunctionBody(call: Call, text: string): Promise<boolean> {
  if (!/\breturn\b/.test(text)) return false
  if (/^return\b/m.test(text)) return true
  const script = { expression: text, sourceURL: '', persistScript: false }
  const { exceptionDetails } = await call.send('Runtime.compileScript', script)
  return exceptionDetails?.exception?.description?.includes('Illegal return') === true
}

function thrown({ exceptionDetails }: Pick<Evaluated, 'exceptionDetails'>): string | null {
  if (!exceptionDetails) return null
  const { exception, text } = exceptionDetails
  if (!exception) return text
  // Without the stack: it shows nothing of the page, only of this evaluation.
  const described = exception.description?.split('\n    at ')[0]
  return described ?? `Thrown: ${String(exception.value ?? exception.type)}`
}

async function shown(call: Call, value: RemoteObject): Promise<string> {
  if (value.unserializableValue !== undefined) return value.unserializableValue
  if (value.type === 'undefined') return 'undefined'
  if (value.objectId === undefined) return typeof value.value === 'string' ? value.value : JSON.stringify(value.value)
  if (value.type === 'function' || value.type === 'symbol') return value.description ?? value.type
  const { result } = await call.send('Runtime.callFunctionOn', {
    objectId: value.objectId,
    functionDeclaration: TO_TEXT,
    returnByValue: true,
  })
  return typeof result.value === 'string' ? result.value : (value.description ?? '')
}

/** All that the protocol says of a script that it ended at its time limit. */
const wasStopped = (error: unknown): boolean =>
  error instanceof Error && /Internal error|terminated/i.test(error.message)

const leftThePage = (error: unknown): boolean =>
  error instanceof Error &&
  /context was destroyed|navigated or closed|Cannot find (default )?(execution )?context/i.test(error.message)

/** JSON, with what JSON cannot hold in words. */
const TO_TEXT = `function () {
  const around = []
  const replace = function (key, value) {
    while (around.length && around[around.length - 1] !== this) around.pop()
    if (typeof value === 'bigint') return String(value) + 'n'
    if (typeof value === 'function') return '[function ' + (value.name || 'anonymous') + ']'
    if (typeof value === 'symbol') return String(value)
    if (value === null || typeof value !== 'object') return value
    if (around.includes(value)) return '[circular]'
    if (value === globalThis) return '[window]'
    if (value instanceof Node) return value.nodeType === 1 ? value.outerHTML.slice(0, 300) : value.nodeType === 9 ? '[document]' : value.data
    if (value instanceof Error) return String(value)
    if (value instanceof RegExp) return String(value)
    around.push(value)
    if (value instanceof Map) return [...value]
    if (value instanceof Set || value instanceof NodeList || value instanceof HTMLCollection) return [...value]
    return value
  }
  if (this instanceof Error) return String(this)
  if (this instanceof Node && this.nodeType === 1) return this.outerHTML
  try { return JSON.stringify(this, replace, 1) ?? String(this) } catch { return String(this) }
}`
