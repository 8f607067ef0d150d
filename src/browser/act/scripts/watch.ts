/**
 * Scripts that every document gets before its own run. They are texts, because a compiler's helpers do not exist in
 * the page. `WATCH` runs in our isolated world and tells what happens through the binding `TELL`; `HOOKS` runs in the
 * page's own world, where alone timers, printing and permission prompts can be noticed, and tells `WATCH` by an event.
 * What they tell is only evidence: it decides how long an action is waited for, and is words of the page otherwise.
 */

/** The name of the binding in our world. */
export const TELL = 'browserTaskTell'

/** What the page tells, as JSON: `{kind, …}`. */
export type Told =
  | { readonly kind: 'changed' }
  /** A timer was set that fires within a second or two, or has fired or been cleared since. */
  | { readonly kind: 'timer'; readonly pending: 1 | -1 }
  | { readonly kind: 'print' }
  | { readonly kind: 'permission'; readonly name: string }
  /** Something that was shown for a moment: a toast, an alert. */
  | { readonly kind: 'gone'; readonly text: string; readonly ageMs: number; readonly isLive: boolean }

/** Changes of the document are reported at most this often, in milliseconds; well below TREE_STILL_MS of the settling. */
const CHANGED_EVERY_MS = 20
const TRANSIENT_CHARS_MAX = 200
const TRANSIENT_MS_MAX = 15_000
const FOLLOWED_MAX = 50
/** Outside of live regions only what a person could read counts: drawn for so long, and so short. */
const READABLE_MS_MIN = 300
const NOTICE_CHARS_MAX = 80
const DRAWN_LOOK_MS = 100

export const watchScript = (event: string): string => `(() => {
  const tell = globalThis.${TELL}
  if (typeof tell !== 'function' || globalThis.browserTaskWatches) return
  globalThis.browserTaskWatches = true
  const say = (message) => tell(JSON.stringify(message))
  // On the window, so that these are not among the listeners of the document.
  addEventListener('${event}', (event) => {
    try { say(JSON.parse(event.detail)) } catch {}
  })
  let toldAt = 0
  let later = 0
  const changed = () => {
    const now = performance.now()
    if (later) return
    if (now - toldAt >= ${CHANGED_EVERY_MS}) { toldAt = now; say({ kind: 'changed' }) }
    else later = setTimeout(() => { later = 0; toldAt = performance.now(); say({ kind: 'changed' }) }, ${CHANGED_EVERY_MS})
  }
  const textIn = (node) => (node.textContent || '').trim().replace(/\\s+/g, ' ').slice(0, ${TRANSIENT_CHARS_MAX})
  const LIVE = '[role=alert], [role=status], [role=log], [aria-live=polite], [aria-live=assertive]'
  // Nodes that were added lately, and texts of live regions: when they go they are told.
  const added = new Map()
  const live = new Map()
  const NO_NOTICE = 'script, style, template, noscript, link, meta, [role=menu], [role=listbox], [role=tooltip]'
  const CONTROLS = 'a[href], input, select, textarea, [role=menuitem], [role=option]'
  let looksLater = 0
  // Whether it is drawn can be seen only as long as it is there.
  const lookAtDrawn = () => {
    looksLater = 0
    for (const [node, entry] of added) {
      if (entry.isDrawn || !node.isConnected || !node.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue
      const { left, top, right, bottom } = node.getBoundingClientRect()
      entry.isDrawn = right > 0 && bottom > 0 && left < innerWidth && top < innerHeight && (right - left) * (bottom - top) > 16
    }
  }
  const follow = (node) => {
    if (node.nodeType !== 1 || !document.body || node === document.body || node.matches(NO_NOTICE)) return
    if (added.size >= ${FOLLOWED_MAX}) added.delete(added.keys().next().value)
    added.set(node, { at: performance.now(), isDrawn: false })
    looksLater = looksLater || setTimeout(lookAtDrawn, ${DRAWN_LOOK_MS})
  }
  const gone = ({ at }, text, isLive) => {
    const ageMs = performance.now() - at
    if (text && ageMs <= ${TRANSIENT_MS_MAX}) say({ kind: 'gone', text, ageMs, isLive })
  }
  const isNotice = (node, { at, isDrawn }) =>
    isDrawn && performance.now() - at >= ${READABLE_MS_MIN} && textIn(node).length <= ${NOTICE_CHARS_MAX} && !node.querySelector(CONTROLS)
  // What was said just before another page was opened would be lost with this one.
  addEventListener('pagehide', () => { for (const entry of live.values()) gone(entry, entry.text, true) })
  const observed = new WeakSet()
  const observer = new MutationObserver((records) => {
    let counts = false
    for (const record of records) {
      if (record.type !== 'attributes' || record.attributeName !== 'style') counts = true
      const target = record.target.nodeType === 1 ? record.target : record.target.parentElement
      const region = target && target.closest(LIVE)
      if (region) {
        const text = textIn(region)
        const before = live.get(region)
        if (before && before.text !== text) gone(before, before.text, true)
        if (text) live.set(region, before && before.text === text ? before : { at: performance.now(), text })
        else live.delete(region)
      }
      for (const node of record.addedNodes) { follow(node); watchShadows(node) }
      for (const node of record.removedNodes) {
        const entry = added.get(node)
        if (!entry) continue
        added.delete(node)
        const isLive = node.matches(LIVE) || node.querySelector(LIVE) !== null
        if (!region && !node.isConnected && (isLive || isNotice(node, entry))) gone(entry, textIn(node), isLive)
      }
    }
    if (counts) changed()
  })
  const OPTIONS = { subtree: true, childList: true, characterData: true, attributes: true }
  const watchRoot = (root) => {
    if (observed.has(root)) return
    observed.add(root)
    observer.observe(root, OPTIONS)
  }
  const watchShadows = (node) => {
    if (node.nodeType !== 1) return
    if (node.shadowRoot) watchRoot(node.shadowRoot)
    if (!node.firstElementChild) return
    for (const inner of node.querySelectorAll('*')) if (inner.shadowRoot) watchRoot(inner.shadowRoot)
  }
  watchRoot(document)
  const shadows = () => { if (document.documentElement) watchShadows(document.documentElement) }
  if (document.readyState === 'loading') addEventListener('DOMContentLoaded', shadows)
  else shadows()
})()`

/** An action does not wait for longer timers; shorter ones than the minimum are drawing loops. */
const TIMER_MS_MIN = 20
const TIMER_MS_MAX = 1_500
/** Timers count that are set while the page handles an input, or so soon after. */
const INPUT_MS = 60

export const hooksScript = (event: string): string => `(() => {
  const key = Symbol.for('${event}')
  if (globalThis[key]) return
  Object.defineProperty(globalThis, key, { value: true })
  const dispatch = dispatchEvent.bind(globalThis)
  const Told = CustomEvent
  const text = JSON.stringify
  const tell = (message) => { try { dispatch(new Told('${event}', { detail: text(message) })) } catch {} }
  const hook = (owner, name, apply) => {
    const native = owner && owner[name]
    if (typeof native === 'function') owner[name] = new Proxy(native, { apply })
  }
  let inputAt = -Infinity
  const now = performance.now.bind(performance)
  const heard = (input) => { if (input.isTrusted) inputAt = now() }
  for (const type of ['pointerover', 'pointermove', 'pointerdown', 'pointerup', 'click', 'keydown', 'input', 'change', 'drop'])
    addEventListener(type, heard, { capture: true, passive: true })
  const pending = new Set()
  const done = (id) => { if (pending.delete(id)) tell({ kind: 'timer', pending: -1 }) }
  hook(globalThis, 'setTimeout', (native, self, args) => {
    const ms = Number(args[1])
    const counts = typeof args[0] === 'function' && ms >= ${TIMER_MS_MIN} && ms <= ${TIMER_MS_MAX} && now() - inputAt <= ${INPUT_MS} && pending.size < 50
    if (!counts) return Reflect.apply(native, self, args)
    const run = args[0]
    let id
    args[0] = function (...given) { try { return Reflect.apply(run, this, given) } finally { done(id) } }
    id = Reflect.apply(native, self, args)
    pending.add(id)
    tell({ kind: 'timer', pending: 1 })
    return id
  })
  hook(globalThis, 'clearTimeout', (native, self, args) => { done(args[0]); return Reflect.apply(native, self, args) })
  hook(globalThis, 'print', () => tell({ kind: 'print' }))
  const state = navigator.permissions && navigator.permissions.query.bind(navigator.permissions)
  // A prompt is answered with a denial; permissions that were granted or denied before stay as they are.
  const guard = (owner, method, name, refuse) => hook(owner, method, (native, self, args) => {
    const asked = state ? state({ name }).then(({ state }) => state === 'prompt', () => false) : Promise.resolve(false)
    return refuse(asked.then((prompts) => { if (prompts) tell({ kind: 'permission', name }); return prompts }), () => Reflect.apply(native, self, args), args)
  })
  const position = (prompts, go, args) => {
    prompts.then((no) => no ? args[1] && args[1]({ code: 1, message: 'User denied Geolocation', PERMISSION_DENIED: 1, POSITION_UNAVAILABLE: 2, TIMEOUT: 3 }) : go())
  }
  const rejecting = (prompts, go) => prompts.then((no) => { if (no) throw new DOMException('Permission denied', 'NotAllowedError'); return go() })
  const geolocation = globalThis.Geolocation && Geolocation.prototype
  guard(geolocation, 'getCurrentPosition', 'geolocation', position)
  guard(geolocation, 'watchPosition', 'geolocation', (prompts, go, args) => { position(prompts, go, args); return 0 })
  guard(globalThis.Notification, 'requestPermission', 'notifications', (prompts, go, args) => prompts.then((no) => {
    if (no && typeof args[0] === 'function') args[0]('denied')
    return no ? 'denied' : go()
  }))
  guard(globalThis.MediaDevices && MediaDevices.prototype, 'getUserMedia', 'camera', rejecting)
  guard(globalThis.Clipboard && Clipboard.prototype, 'readText', 'clipboard-read', rejecting)
})()`
