/** Keeps the tab of this page in sight where the tabs scroll sideways, as on a phone. */
export function showCurrentTab(): void {
  const tabs = document.querySelector('.tabs')
  const tab = tabs?.querySelector<HTMLElement>('[aria-current]')
  if (!tabs || !tab) return
  new ResizeObserver(() => {
    tabs.scrollLeft = tab.offsetLeft + tab.offsetWidth / 2 - tabs.clientWidth / 2
  }).observe(tabs)
}
