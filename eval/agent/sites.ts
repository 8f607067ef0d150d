import type { AgentTask } from './tasks.ts'

const done = `const done = (what) => fetch('/done?' + new URLSearchParams(what))`
const late = (ms: number, body: string) => `fetch('/slow?${ms}').then(() => { ${body} })`

export const SITES: readonly AgentTask[] = [
  {
    name: 'search-late-results',
    task: 'Search the library for "tea" and tell me the price of the cheapest book.',
    pages: {
      '/': `<title>Library</title><h1>Library</h1><label>Search <input id="q"></label><button id="go">Search</button><div id="out"></div><script>
go.onclick = () => { out.textContent = 'Searching…'; ${late(600, `out.innerHTML = '<ul><li>The Book of Tea, $12.40</li><li>Tea Horse Road, $31.00</li></ul>'`)} }</script>`,
    },
    async solve(m) {
      await m.act(['fill', /textbox "Search"/, 'tea'], ['click', /button "Search"/])
      return `The cheapest is The Book of Tea at ${await m.learn(/Book of Tea, (\$[\d.]+)/)}.`
    },
    done: [],
    answer: /\$12\.40/,
  },
  {
    name: 'sign-in-and-read',
    task: 'Sign in as ada with the password "tea4two" and tell me the balance of the savings account.',
    pages: {
      '/': `<title>Bank</title><form action="/home"><label>User <input name="u"></label><label>Password <input type="password" name="p"></label><button>Sign in</button></form>`,
      '/home': `<title>Home</title><h1>Welcome, Ada</h1><a href="/accounts">Accounts</a> <a href="/cards">Cards</a>`,
      '/accounts': `<title>Accounts</title><table><tr><td>Current</td><td>1,204.11</td></tr><tr><td>Savings</td><td>8,730.55</td></tr></table>`,
    },
    async solve(m) {
      await m.act(
        ['fill', /textbox "User"/, 'ada'],
        ['fill', /textbox "Password"/, 'tea4two'],
        ['click', /button "Sign in"/],
      )
      await m.act(['click', /link "Accounts"/])
      await m.learn(/Savings/)
      return `Savings hold ${await m.learn(/8,730\.55/)}.`
    },
    done: [],
    answer: /8,730\.55/,
  },
  {
    name: 'wizard',
    task: 'Book the quiet room for two nights, for Ada Lovelace, and tell me the booking code.',
    pages: {
      '/': `<title>Rooms</title><h1>Choose a room</h1><a href="/nights">Quiet room</a> <a href="/x">Street room</a>`,
      '/nights': `<title>Nights</title><form action="/guest"><label>Nights <select name="n"><option>1</option><option>2</option></select></label><button>Continue</button></form>`,
      '/guest': `<title>Guest</title><form action="/sum"><label>Full name <input name="name"></label><label><input type="checkbox" name="ok"> I agree</label><button>Continue</button></form>`,
      '/sum': `<title>Summary</title><h1>Summary</h1><button id="b">Book now</button><p id="out"></p><script>${done}
b.onclick = () => { done({ booked: location.search }); ${late(400, `out.textContent = 'Booking code QR-5521'`)} }</script>`,
    },
    async solve(m) {
      await m.act(['click', /link "Quiet room"/])
      await m.act(['fill', /combobox "Nights"/, '2'], ['click', /button "Continue"/])
      await m.act(
        ['fill', /textbox "Full name"/, 'Ada Lovelace'],
        ['fill', /checkbox "I agree"/, true],
        ['click', /button "Continue"/],
      )
      await m.act(['click', /button "Book now"/])
      return `The booking code is ${await m.learn(/Booking code (\S+?\d+)/)}.`
    },
    done: [/booked=.*Ada/],
    answer: /QR-5521/,
  },
  {
    name: 'to-do-list',
    task: 'Add "Milk" and "Tea" to the list, tick off "Bread", and tell me how many items are open.',
    pages: {
      '/': `<title>List</title><h1>Shopping</h1><label>New item <input id="n"></label><button id="add">Add</button><ul id="l"></ul><p id="c"></p><script>${done}
let items = [['Bread', false], ['Rice', false]]
const draw = () => { l.innerHTML = items.map(([name, ok], i) => '<li><label><input type="checkbox" data-i="' + i + '"' + (ok ? ' checked' : '') + '> ' + name + '</label></li>').join(''); c.textContent = items.filter(([, ok]) => !ok).length + ' items open'; done({ items: JSON.stringify(items) }) }
add.onclick = () => { items.push([n.value, false]); n.value = ''; draw() }
l.onchange = (e) => { items[e.target.dataset.i][1] = e.target.checked; draw() }
draw()</script>`,
    },
    async solve(m) {
      await m.act(['fill', /textbox "New item"/, 'Milk'], ['click', /button "Add"/])
      await m.learn(/checkbox "Milk"/)
      await m.act(['fill', /textbox "New item"/, 'Tea'], ['click', /button "Add"/])
      await m.learn(/checkbox "Tea"/)
      await m.act(['click', /checkbox "Bread"/])
      return `There are ${await m.learn(/(3) items open/)} items open.`
    },
    done: [/\["Bread",true\].*\["Milk",false\],\["Tea",false\]/],
    answer: /\b3\b/,
  },
  {
    name: 'settings-saved',
    task: 'Turn on weekly mails, set the language to Norwegian, save, and tell me what the page says then.',
    pages: {
      '/': `<title>Settings</title><a href="/prefs">Preferences</a>`,
      '/prefs': `<title>Preferences</title><label><input type="checkbox" id="w"> Weekly mail</label><label>Language <select id="g"><option>English</option><option>Norwegian</option></select></label><button id="s">Save</button><div id="t"></div><script>${done}
s.onclick = () => { s.disabled = true; done({ w: w.checked, g: g.value }); ${late(500, `t.innerHTML = '<p role=status>Preferences saved at 14:07</p>'; s.disabled = false`)} }</script>`,
    },
    async solve(m) {
      await m.act(['click', /link "Preferences"/])
      await m.act(
        ['fill', /checkbox "Weekly mail"/, true],
        ['fill', /combobox "Language"/, 'Norwegian'],
        ['click', /button "Save"/],
      )
      return await m.learn(/Preferences saved at [\d:]+/)
    },
    done: [/w=true&g=Norwegian/],
    answer: /saved at 14:07/,
  },
  {
    name: 'suggestions',
    task: 'Find the trains from Oslo and tell me when the first one leaves.',
    pages: {
      '/': `<title>Trains</title><label>From <input id="f"></label><ul id="l" role="listbox"></ul><button id="go" disabled>Find</button><div id="out"></div><script>
f.oninput = () => { if (window.asked) return; window.asked = true; ${late(250, `l.innerHTML = ['Oslo S', 'Oslo Airport'].map((x) => '<li role=option tabindex=0>' + x + '</li>').join('')`)} }
l.onclick = (e) => { f.value = e.target.textContent; l.innerHTML = ''; go.disabled = false }
go.onclick = () => { ${late(450, `out.innerHTML = '<table><tr><td>06:25</td><td>Bergen</td></tr><tr><td>08:03</td><td>Bergen</td></tr></table>'`)} }</script>`,
    },
    async solve(m) {
      await m.act(['type', /textbox "From"/, 'Oslo'])
      await m.act(['click', /option "Oslo S"/])
      await m.act(['click', /button "Find"/])
      return `The first one leaves at ${await m.learn(/06:25/)}.`
    },
    done: [],
    answer: /06:25/,
  },
]
