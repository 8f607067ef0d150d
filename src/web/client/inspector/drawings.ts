import { makeReachable } from './chart-parts.ts'

const known = new Map<string, Promise<SVGElement | null>>()

/** A drawing that came with the page: it is there at once. */
export function keepDrawing(kind: string, svg: SVGElement): void {
  makeReachable(svg)
  known.set(kind, Promise.resolve(svg))
}

/** The statechart of a kind of actor, as it was drawn when the service was built; `null`: there is none. */
export function drawingOf(kind: string): Promise<SVGElement | null> {
  const drawing = known.get(kind) ?? fetchDrawing(kind)
  known.set(kind, drawing)
  drawing.catch(() => known.delete(kind))
  return drawing
}

async function fetchDrawing(kind: string): Promise<SVGElement | null> {
  const answer = await fetch(`/inspector/drawings/${encodeURIComponent(kind)}`)
  if (!answer.ok) return null
  const { documentElement } = new DOMParser().parseFromString(await answer.text(), 'image/svg+xml')
  const svg = document.importNode(documentElement, true) as unknown as SVGElement
  makeReachable(svg)
  return svg
}
