import { type EvalTask, must } from '../harness/task.ts'

/** What is typed arrives as it was given. */
export const TYPING: readonly EvalTask[] = [
  {
    name: 'type-newline-chat',
    about: 'B3 a line break is a line break, not Enter',
    page: `<label>Message <textarea id="f"></textarea></label><script>window.sent = []; f.onkeydown = (e) => { if (e.key === 'Enter' && !e.shiftKey) { e.preventDefault(); sent.push(f.value); f.value = '' } }</script>`,
    async solve(s) {
      await s.open()
      await s.type('Hello\nworld', /textbox "Message"/)
    },
    check: `sent.length === 0 && f.value === 'Hello\\nworld'`,
  },
  {
    name: 'type-long-lines',
    about: 'B3 long texts are typed as short ones are',
    page: `<label>Message <textarea id="f"></textarea></label>`,
    async solve(s) {
      await s.open()
      await s.type('Tea and toast\n'.repeat(40), /textbox "Message"/)
    },
    check: `f.value === 'Tea and toast\\n'.repeat(40)`,
  },
  {
    name: 'type-tells-the-field',
    about: 'B17 type says what the field holds afterwards',
    page: `<label>Card <input id="f" maxlength="9" oninput="this.value = this.value.replace(/\\D/g, '').replace(/(\\d{4})(?=\\d)/g, '$1 ')"></label>`,
    async solve(s) {
      await s.open()
      must(await s.type('42424242', /textbox "Card"/), /4242 4242/)
    },
  },
  {
    name: 'type-clear',
    about: 'type with clear replaces',
    page: `<label>Name <input id="f" value="Grace"></label>`,
    async solve(s) {
      await s.open()
      await s.call('computer', { action: 'type', text: 'Ada', clear: true, ref: await s.ref(/textbox "Name"/) })
    },
    check: `f.value === 'Ada'`,
    oursOnly: true,
  },
  {
    name: 'editor-bold',
    about: 'shortcuts in an editable region',
    page: `<div id="f" contenteditable="true" role="textbox" aria-label="Body" style="min-height:60px"></div>`,
    async solve(s) {
      await s.open()
      await s.type('Dear ', /textbox "Body"/)
      await s.press('ctrl+b')
      await s.type('Ada')
    },
    check: `f.textContent.replace(/\\u00a0/g, ' ') === 'Dear Ada' && /<b>|bold/.test(f.innerHTML)`,
  },
]
