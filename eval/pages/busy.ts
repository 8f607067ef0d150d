/** What a counter of another site does. */
export const REPORT = `for (const type of ['click', 'input']) addEventListener(type, () => {
  const { origin } = new URL(document.querySelector('script[src]').src)
  fetch(origin + '/slow', { mode: 'no-cors', method: 'POST', body: 'x' }).catch(() => {})
  navigator.sendBeacon(origin + '/slow', 'x')
}, true)`

/** Pages that are busy by themselves, as those of applications are: none of that is an effect of an action. */
export const BUSY: Readonly<Record<string, string>> = {
  'polls its server': `<title>Dashboard</title><h1>Dashboard</h1><p id="n">0 messages</p><script>let n = 0
setInterval(() => fetch('/poll').then(() => { n += 1 }), 400)</script>`,
  'polls slowly, all the time': `<title>Chat</title><h1>Chat</h1><script>const poll = () => fetch('/stuck').then(poll); poll()</script>`,
  'reports each click to another site': `<title>News</title><h1>News</h1><script src="{{other}}/report.js"></script>`,
  'has a clock and a spinner': `<title>Live</title><style>@keyframes t { to { transform: rotate(1turn) } } .s { width: 20px; height: 20px; border: 3px solid; border-top-color: transparent; border-radius: 50%; animation: t 1s linear infinite }</style>
<h1>Live</h1><div class="s"></div><p>It is <time id="c"></time></p><script>setInterval(() => { c.textContent = new Date().toISOString().slice(11, 19) }, 1000)</script>`,
}
