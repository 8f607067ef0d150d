import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** JavaScript for the page: it counts, and has its value when the test lets the page answer. */
export const COUNT_ONCE = "fetch('/count/' + Math.random()).then((answer) => answer.text())"

/** A page that counts how often it was asked to, and answers when the test lets it. */
export async function countingPage() {
  const counted: string[] = []
  let release = (): void => {}
  const server = createServer((request, response) => {
    if (request.url?.startsWith('/count')) {
      counted.push(request.url)
      release = () => response.end('counted')
      return
    }
    response.writeHead(200, { 'content-type': 'text/html' }).end('<title>Counting</title><h1>Counting</h1>')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    counted,
    release: () => release(),
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(resolve))
    },
  }
}
