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

test.run()
