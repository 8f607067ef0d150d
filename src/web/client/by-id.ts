/** The element that the service has put into the page. */
export function byId(id: string): HTMLElement {
  const found = document.getElementById(id)
  if (!found) throw new Error(`There is no #${id}`)
  return found
}
