/** Who owns a store, as another process that wants it is told. */
export interface Owner {
  /** Where the service listens: `http://127.0.0.1:3456`. */
  readonly address: string
  /** It shares the store with other nodes, each of which owns a part (MongoDB). */
  readonly shared?: boolean
  /** Up to which format it reads rows; ROWS_FORMAT when left out. */
  readonly format?: number
}

/** The message of `StoreInUse`. `store` names it: `Data folder ./data`, `MongoDB at db.example:27017`. */
export const inUse = (store: string, holder: { readonly pid: number; readonly address: string } | null): string =>
  `${store} is in use by ${holder ? `${holder.pid === 0 ? 'several nodes (NATS_URL), one of' : `process ${holder.pid},`} which listens at ${holder.address}` : 'another process'}`
