import { parentPort } from 'node:worker_threads'
import ELK from 'elkjs/lib/elk.bundled.js'

/** Lays graphs out in a thread of its own: a layout takes a tenth of a second, in which the service must not stand still. */
const elk = new ELK()

parentPort?.on('message', async (/** @type {{ id: number, graph: import('elkjs').ElkNode }} */ { id, graph }) => {
  try {
    parentPort?.postMessage({ id, laid: await elk.layout(graph) })
  } catch (error) {
    parentPort?.postMessage({ id, failed: String(error) })
  }
})
