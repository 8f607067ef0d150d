import * as assert from 'uvu/assert'
import { browserSuite } from '../support/driven-browser.ts'

const test = browserSuite('options that are drawn beside a copy for screen readers')

/** As Ant Design's Select draws it: the list of the field has no size, its options are drawn beside it. */
const SELECT = `<label for="tea">Tea</label>
<div id="box" style="width:150px;position:relative;border:1px solid"><span><span><input id="tea" type="search" role="combobox" readonly
  aria-expanded="false" aria-haspopup="listbox" aria-controls="list" style="opacity:0"></span><span id="shown">Choose</span></span></div>
<div id="popup" hidden><div>
  <div id="list" role="listbox" style="width:0;height:0;overflow:hidden">
    <div role="option" aria-label="Green" aria-selected="false">g</div><div role="option" aria-label="Black" aria-selected="false">b</div></div>
  <div id="drawn"></div></div></div>
<script>
  for (const name of ['Green', 'Black', 'Sold']) {
    const option = document.createElement('div')
    option.setAttribute('aria-selected', 'false')
    option.className = name === 'Sold' ? 'kit-option kit-option-disabled' : 'kit-option'
    option.textContent = name
    option.onclick = () => { shown.textContent = name; popup.hidden = true; tea.setAttribute('aria-expanded', 'false') }
    drawn.append(option)
  }
  box.onmousedown = () => { popup.hidden = false; tea.setAttribute('aria-expanded', 'true') }
</script>`

test('[G29] form_input takes the drawn option, not its copy without a size', async ({
  show,
  ref,
  text,
  failure,
  value,
}) => {
  await show(SELECT)
  const tea = await ref(/combobox "Tea"/)
  for (const name of ['Black', 'Green']) {
    assert.match(await text('form_input', { ref: tea, value: name }), `now holds "${name}"`)
    assert.is(await value('shown.textContent'), name)
  }
  assert.match(await failure('form_input', { ref: tea, value: 'Sold' }), /has the option "Sold", but it is disabled/)
  assert.match(await failure('form_input', { ref: tea, value: 'White' }), /Its options are "Green", "Black", "Sold"/)
})

/** As its newer versions draw them: the options tell only whether they are disabled; a search is typed into the field. */
const KEPT = (attributes: string): string => `<label for="tea">Tea</label>
<div id="box" style="width:200px;border:1px solid"><span id="shown">Black currant</span><input id="tea" role="combobox" ${attributes}
  aria-expanded="false" aria-haspopup="listbox" aria-controls="list"></div>
<div id="popup" hidden><div>
  <div id="list" role="listbox" style="width:0;height:0;overflow:hidden">
    <div role="option" aria-label="Black" aria-selected="false">Black</div></div>
  <div id="drawn"></div></div></div>
<script>
  globalThis.keeps = true
  for (const name of ['Black', 'Black currant', 'Green']) {
    const option = document.createElement('div')
    option.setAttribute('aria-disabled', 'false')
    option.className = 'kit-option'
    option.textContent = name
    option.onclick = () => {
      if (!globalThis.keeps) setTimeout(() => { shown.textContent = name }, 150)
      tea.value = ''
      popup.hidden = true
      tea.setAttribute('aria-expanded', 'false')
    }
    drawn.append(option)
  }
  const open = () => { popup.hidden = false; tea.setAttribute('aria-expanded', 'true') }
  box.onmousedown = open
  tea.oninput = open
</script>`

test('[G29] a choice that the page does not take is no success, though another option contains its name', async ({
  show,
  ref,
  text,
  failure,
  value,
}) => {
  await show(KEPT('readonly'))
  assert.match(
    await failure('form_input', { ref: await ref(/combobox "Tea"/), value: 'Black' }),
    'did not take "Black"',
  )
  await show(KEPT(''))
  const tea = await ref(/combobox "Tea"/)
  for (const name of ['Black', 'Green'])
    assert.match(await text('form_input', { ref: tea, value: name }), `now holds "Black currant", not "${name}"`)
  await value('(globalThis.keeps = false) || 1')
  for (const name of ['Black', 'Green']) {
    assert.match(await text('form_input', { ref: tea, value: name }), `now holds "${name}"`)
    assert.is(await value('shown.textContent'), name)
  }
})

test.run()
