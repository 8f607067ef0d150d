import * as raw from './raw.ts'

/**
 * The labels of controls. An element's own `labels` looks through the whole document each time: here that is done once
 * for each reading.
 */
let byRoot = new WeakMap<Node, ReadonlyMap<Element, readonly Element[]>>()

/** The document may have other labels than at the last reading. */
export const forgetLabels = (): void => {
  byRoot = new WeakMap()
}

export function labelsOf(control: Element): readonly Element[] {
  const root = raw.getRootNode(control)
  const known = byRoot.get(root) ?? labelsIn(root)
  byRoot.set(root, known)
  return known.get(control) ?? []
}

function labelsIn(root: Node): ReadonlyMap<Element, readonly Element[]> {
  const found = new Map<Element, Element[]>()
  if (!(root instanceof Document || root instanceof DocumentFragment)) return found
  for (const label of root.querySelectorAll('label')) {
    const { control } = label
    if (control) found.set(control, [...(found.get(control) ?? []), label])
  }
  return found
}
