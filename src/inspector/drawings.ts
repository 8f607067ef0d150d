import { Worker } from 'node:worker_threads'
import { type GraphNode, graphOf } from './graph.ts'
import { MACHINES } from './machines.ts'
import { svgOf } from './svg.ts'

export interface Drawings {
  /** The names of all machines. */
  readonly names: readonly string[]
  /** The drawing of a machine as SVG, laid out the first time; `null` for a name that is none. */
  svg(name: string): Promise<string | null>
  close(): Promise<void>
}

interface Answer {
  readonly id: number
  readonly laid?: GraphNode
  readonly failed?: string
}

/** Draws the machines from their code. The layout runs in a thread that is started when the first drawing is asked for. */
export function openDrawings(): Drawings {
  const made = new Map<string, Promise<string>>()
  const waiting = new Map<number, (answer: Answer) => void>()
  let worker: Worker | null = null
  let count = 0

  function layout(graph: GraphNode): Promise<GraphNode> {
    worker ??= startWorker((answer) => {
      waiting.get(answer.id)?.(answer)
      waiting.delete(answer.id)
      // An idle thread keeps no process alive.
      if (waiting.size === 0) worker?.unref()
    })
    const id = count++
    const { promise, resolve, reject } = promised<GraphNode>()
    waiting.set(id, ({ laid, failed }) => (laid ? resolve(laid) : reject(new Error(failed ?? 'No layout'))))
    worker.ref()
    worker.postMessage({ id, graph })
    return promise
  }

  function startWorker(hear: (answer: Answer) => void): Worker {
    const started = new Worker(new URL('./layout-worker.js', import.meta.url), { execArgv: [] })
    started.on('message', hear)
    started.on('error', (error) => {
      for (const answer of waiting.values()) answer({ id: -1, failed: error.message })
      waiting.clear()
      worker = null
    })
    return started
  }

  return {
    names: Object.keys(MACHINES),
    async svg(name) {
      const machine = Object.hasOwn(MACHINES, name) ? MACHINES[name] : undefined
      if (!machine) return null
      let drawing = made.get(name)
      if (!drawing) {
        drawing = layout(graphOf(machine)).then((laid) => svgOf(name, laid))
        made.set(name, drawing)
        drawing.catch(() => made.delete(name))
      }
      return drawing
    },
    async close() {
      await worker?.terminate()
    },
  }
}

function promised<T>() {
  let resolve: (value: T) => void = () => {}
  let reject: (error: Error) => void = () => {}
  const promise = new Promise<T>((yes, no) => {
    resolve = yes
    reject = no
  })
  return { promise, resolve, reject }
}
