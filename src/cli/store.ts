import type { Log } from '../../actors/runtime/ports.ts'
import { type Config, readConfig } from '../config/config.ts'
import { type OpenedStore, openStore } from '../stores/open.ts'
import { lineOf } from './terminal.ts'

/** Runs `work` on the store that the environment configures, which is there, beside a running service too, and closes it again. */
export async function withStore<Result>(
  work: (store: OpenedStore, config: Config) => Promise<Result>,
): Promise<Result> {
  const config = readConfig(process.env)
  const { mongodbUrl, dataDir } = config
  const store = await openStore({ mongodbUrl, dataDir, log: toStandardError, mustExist: true })
  try {
    return await work(store, config)
  } finally {
    await store.close()
  }
}

const silent = (): void => {}
const toError = (fields: object, message: string): void => {
  const { reason } = fields as { reason?: unknown }
  process.stderr.write(`${message}${reason === undefined ? '' : ` ${lineOf(String(reason))}`}\n`)
}

/** Warnings and errors as lines for a person; standard output is kept for what was asked for. */
const toStandardError: Log = { debug: silent, info: silent, warn: toError, error: toError }
