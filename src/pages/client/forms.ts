import { confirmForms } from './confirm.ts'
import { offerCopies } from './copying.ts'
import { ago, localTime } from './format.ts'
import { leaveWhenPaired } from './paired.ts'

/**
 * What pages that the server makes need beside their forms: a question before something ends, copying, times in the reader's own
 * time zone, and going on once a browser is paired.
 */
confirmForms()
offerCopies()
for (const time of document.querySelectorAll('time')) {
  const at = Date.parse(time.dateTime)
  time.title = localTime(at)
  time.textContent = ago(at, Date.now())
}
const waiting = document.querySelector<HTMLElement>('[data-until-paired]')
if (waiting) leaveWhenPaired(waiting)
