import { refIn } from '../harness/hands.ts'
import type { Widget } from './tasks.ts'

const parts = (...names: string[]) =>
  `import '@shoelace-style/shoelace/dist/themes/light.css'\n${names.map((name) => `import '@shoelace-style/shoelace/dist/components/${name}/${name}.js'`).join('\n')}`

const value = (of = 'f', field = 'value') => `document.getElementById('${of}').${field}`

/** Web components with open shadow roots: Shoelace. */
export const SHOELACE: readonly Widget[] = [
  {
    name: 'shoelace-input',
    page: '<sl-input id="f" label="Nickname" clearable value="old"></sl-input>',
    script: parts('input'),
    async solve(s) {
      await s.open()
      await s.fill(/textbox "Nickname"/, 'ada')
    },
    check: `${value()} === 'ada'`,
  },
  {
    name: 'shoelace-select',
    page: `<sl-select id="f" label="Size">${['S', 'M', 'XL'].map((size) => `<sl-option value="${size}">Size ${size}</sl-option>`).join('')}</sl-select>`,
    script: parts('select', 'option'),
    async solve(s) {
      await s.open()
      const told = await s.click(/combobox "Size"/)
      await s.click(refIn(told, /option "Size XL"/) ?? /option "Size XL"/)
    },
    check: `${value()} === 'XL'`,
  },
  {
    name: 'shoelace-checkbox-and-switch',
    page: '<sl-checkbox id="f">Gift wrap</sl-checkbox> <sl-switch id="g">Newsletter</sl-switch>',
    script: parts('checkbox', 'switch'),
    async solve(s) {
      await s.open()
      await s.click(/checkbox "Gift wrap"/)
      await s.click(/switch "Newsletter"/)
    },
    check: `${value('f', 'checked')} && ${value('g', 'checked')}`,
  },
  {
    name: 'shoelace-radio',
    page: `<sl-radio-group id="f" label="Delivery" value="1"><sl-radio value="1">Standard</sl-radio><sl-radio value="2">Express</sl-radio></sl-radio-group>`,
    script: parts('radio-group', 'radio'),
    async solve(s) {
      await s.open()
      await s.click(/radio "Express"/)
    },
    check: `${value()} === '2'`,
  },
  {
    name: 'shoelace-range',
    page: '<sl-range id="f" label="Volume" min="0" max="100" value="10"></sl-range>',
    script: parts('range'),
    async solve(s) {
      await s.open()
      await s.fill(/slider "Volume"/, 70)
    },
    check: `${value()} === 70`,
  },
  {
    name: 'shoelace-rating',
    page: '<sl-rating id="f" label="Rating"></sl-rating>',
    script: parts('rating'),
    async solve(s) {
      await s.open()
      await s.press('ArrowRight ArrowRight ArrowRight ArrowRight', /slider "Rating"/)
    },
    check: `${value()} === 4`,
  },
  {
    name: 'shoelace-dialog',
    page: `<sl-button id="b">Delete account</sl-button><sl-dialog id="f" label="Really?"><p>All is lost.</p><sl-button slot="footer" id="c" variant="danger">Delete for good</sl-button></sl-dialog>`,
    script: `${parts('button', 'dialog')}\nb.onclick = () => f.show(); c.onclick = () => { window.done = true; f.hide() }`,
    async solve(s) {
      await s.open()
      const told = await s.click(/button "Delete account"/)
      await s.click(refIn(told, /button "Delete for good"/) ?? /button "Delete for good"/)
    },
    check: 'window.done === true',
  },
  {
    name: 'shoelace-menu',
    page: `<sl-dropdown><sl-button slot="trigger" caret>Actions</sl-button><sl-menu id="f"><sl-menu-item value="a">Rename</sl-menu-item><sl-menu-item value="b">Archive</sl-menu-item></sl-menu></sl-dropdown>`,
    script: `${parts('button', 'dropdown', 'menu', 'menu-item')}\nf.addEventListener('sl-select', (e) => { window.chosen = e.detail.item.value })`,
    async solve(s) {
      await s.open()
      const told = await s.click(/button "Actions"/)
      await s.click(refIn(told, /menuitem "Archive"/) ?? /menuitem "Archive"/)
    },
    check: `window.chosen === 'b'`,
  },
  {
    name: 'shoelace-tabs',
    page: `<sl-tab-group><sl-tab slot="nav" panel="a">General</sl-tab><sl-tab slot="nav" panel="b">Billing</sl-tab><sl-tab-panel name="a">One</sl-tab-panel><sl-tab-panel name="b"><button id="x">Add card</button></sl-tab-panel></sl-tab-group>`,
    script: `${parts('tab-group', 'tab', 'tab-panel')}\nx.onclick = () => { window.done = true }`,
    async solve(s) {
      await s.open()
      const told = await s.click(/tab "Billing"/)
      await s.click(refIn(told, /button "Add card"/) ?? /button "Add card"/)
    },
    check: 'window.done === true',
  },
  {
    name: 'shoelace-details-and-tree',
    page: `<sl-tree><sl-tree-item>Docs<sl-tree-item>Plans<sl-tree-item id="t">2026</sl-tree-item></sl-tree-item></sl-tree-item></sl-tree>`,
    script: `${parts('tree', 'tree-item')}\nt.parentNode.parentNode.parentNode.addEventListener('sl-selection-change', (e) => { window.chosen = e.detail.selection[0].id })`,
    async solve(s) {
      await s.open()
      await s.press('ArrowRight', /treeitem "Docs/)
      await s.wait(0.5)
      await s.press('ArrowRight', /treeitem "Plans/)
      await s.wait(0.5)
      await s.click(/treeitem "2026/)
    },
    check: `window.chosen === 't'`,
  },
]
