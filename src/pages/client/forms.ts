import { confirmForms } from './confirm.ts'
import { offerCopies } from './copying.ts'
import { ago, localTime } from './format.ts'
import { leaveWhenPaired } from './paired.ts'
import { showCurrentTab } from './tabs.ts'

/**
 * What pages that the server makes need beside their forms: a question before something ends, copying, times in the reader's own
 * time zone, the tab in sight, and going on once a browser is paired.
 */
confirmForms()
offerCopies()
showCurrentTab()
for (const time of document.querySelectorAll('time')) {
  const at = Date.parse(time.dateTime)
  const [words, title] = [ago(at, Date.now()), localTime(at)]
  const isExact = 'exact' in time.dataset
  time.textContent = isExact ? title : words
  time.title = isExact ? words : title
}
const waiting = document.querySelector<HTMLElement>('[data-until-paired]')
if (waiting) leaveWhenPaired(waiting)
