import { refIn } from '../harness/hands.ts'
import type { Widget } from './tasks.ts'

const fruit = ['Apple', 'Banana', 'Cherry', 'Damson', 'Elderberry', 'Fig', 'Grape', 'Honeydew']
const select = (more = '') =>
  `<label for="f">Fruit</label><select id="f" ${more}>${fruit.map((f) => `<option>${f}</option>`).join('')}</select>`
const chosen = `[...document.getElementById('f').selectedOptions].map((o) => o.value).join()`

const FLATPICKR = `import flatpickr from 'flatpickr'\nimport 'flatpickr/dist/flatpickr.min.css'\n`
const TOM = `import TomSelect from 'tom-select'\nimport 'tom-select/dist/css/tom-select.css'\n`
const CHOICES = `import Choices from 'choices.js'\nimport 'choices.js/public/assets/styles/choices.min.css'\n`
const SELECT2 = `import $ from 'jquery'\nimport select2 from 'select2'\nimport 'select2/dist/css/select2.css'\nselect2(window, $)\n`

/** Dates and choices: flatpickr, Tom Select, Choices.js, Select2. */
export const PICKERS: readonly Widget[] = [
  {
    name: 'flatpickr-date',
    page: '<label for="f">Departure</label> <input id="f">',
    script: `${FLATPICKR}flatpickr('#f', { defaultDate: '2026-03-10' })`,
    async solve(s) {
      await s.open()
      await s.click(/textbox "Departure"/)
      await s.click(/March 24, 2026/)
    },
    check: `document.getElementById('f').value === '2026-03-24'`,
  },
  {
    name: 'flatpickr-next-month',
    page: '<label for="f">Departure</label> <input id="f">',
    script: `${FLATPICKR}flatpickr('#f', { defaultDate: '2026-03-10' })`,
    async solve(s) {
      await s.open()
      await s.click(/textbox "Departure"/)
      const tree = await s.look()
      const next = refIn(tree, /next/i)
      if (next === null) await s.fill(/combobox "Month"/, 'April')
      else await s.click(next)
      await s.click(/April 7, 2026/)
    },
    check: `document.getElementById('f').value === '2026-04-07'`,
  },
  {
    name: 'flatpickr-range',
    page: '<label for="f">Stay</label> <input id="f">',
    script: `${FLATPICKR}flatpickr('#f', { mode: 'range', defaultDate: ['2026-03-01', '2026-03-02'] })`,
    async solve(s) {
      await s.open()
      await s.click(/textbox "Stay"/)
      await s.click(/March 12, 2026/)
      await s.click(/March 15, 2026/)
    },
    check: `/2026-03-12 to 2026-03-15/.test(document.getElementById('f').value)`,
  },
  {
    name: 'flatpickr-time',
    page: '<label for="f">At</label> <input id="f">',
    script: `${FLATPICKR}flatpickr('#f', { enableTime: true, noCalendar: true, time_24hr: true, dateFormat: 'H:i', defaultDate: '09:00' })`,
    async solve(s) {
      await s.open()
      await s.click(/textbox "At"/)
      await s.fill(/spinbutton "Hour"/, 14)
      await s.fill(/spinbutton "Minute"/, 30)
      await s.press('Enter')
    },
    check: `document.getElementById('f').value === '14:30'`,
  },
  {
    name: 'tom-select-one',
    page: select(),
    script: `${TOM}new TomSelect('#f')`,
    async solve(s) {
      await s.open()
      await s.click(/combobox "Fruit"/)
      await s.click(/option "Cherry"/)
    },
    check: `${chosen} === 'Cherry'`,
  },
  {
    name: 'tom-select-search',
    page: select(),
    script: `${TOM}new TomSelect('#f', { load: (q, done) => setTimeout(() => done([{ value: 'Kiwi', text: 'Kiwi' }]), 300) })`,
    async solve(s) {
      await s.open()
      await s.click(/combobox "Fruit"/)
      await s.type('Kiwi')
      await s.click(/option "Kiwi"/)
    },
    check: `${chosen} === 'Kiwi'`,
  },
  {
    name: 'tom-select-several',
    page: select('multiple'),
    script: `${TOM}new TomSelect('#f', { plugins: ['remove_button'] })`,
    async solve(s) {
      await s.open()
      await s.click(/combobox "Fruit"/)
      await s.click(/option "Banana"/)
      await s.click(/option "Fig"/)
      await s.press('Escape')
    },
    check: `${chosen} === 'Banana,Fig'`,
  },
  {
    name: 'choices-one',
    page: select(),
    script: `${CHOICES}new Choices('#f')`,
    async solve(s) {
      await s.open()
      await s.click(/combobox|listbox/)
      await s.click(/option "Grape/)
    },
    check: `${chosen} === 'Grape'`,
  },
  {
    name: 'choices-search',
    page: select(),
    script: `${CHOICES}new Choices('#f', { searchResultLimit: 3 })`,
    async solve(s) {
      await s.open()
      await s.click(/combobox|listbox/)
      await s.type('Elder')
      await s.press('Enter')
    },
    check: `${chosen} === 'Elderberry'`,
  },
  {
    name: 'choices-several',
    page: select('multiple'),
    script: `${CHOICES}new Choices('#f', { removeItemButton: true })`,
    async solve(s) {
      await s.open()
      await s.click(/textbox|searchbox|combobox|listbox/)
      await s.click(/option "Apple/)
      await s.click(/option "Fig/)
    },
    check: `${chosen} === 'Apple,Fig'`,
  },
  {
    name: 'choices-remove',
    page: select('multiple'),
    script: `${CHOICES}const c = new Choices('#f', { removeItemButton: true }); c.setChoiceByValue(['Apple', 'Fig'])`,
    async solve(s) {
      await s.open()
      await s.click(/Remove item: Apple|Remove item.*Apple/)
    },
    check: `${chosen} === 'Fig'`,
  },
  {
    name: 'select2-search',
    page: select('style="width:220px"'),
    script: `${SELECT2}$('#f').select2()`,
    async solve(s) {
      await s.open()
      await s.click(/combobox/)
      await s.type('Dam')
      await s.click(/option "Damson"/)
    },
    check: `${chosen} === 'Damson'`,
  },
  {
    name: 'select2-several',
    page: select('multiple style="width:320px"'),
    script: `${SELECT2}$('#f').select2()`,
    async solve(s) {
      await s.open()
      await s.click(/searchbox|combobox|textbox/)
      await s.click(/option "Cherry"/)
      await s.click(/searchbox|combobox|textbox/)
      await s.click(/option "Grape"/)
    },
    check: `${chosen} === 'Cherry,Grape'`,
  },
]
