/** Who owns a store, as another process that wants it is told. */
export interface Owner {
  /** Where the service listens: `http://127.0.0.1:3456`. */
  readonly address: string
}

/** The message of `StoreInUse`. `store` names it: `Data folder ./data`, `MongoDB at db.example:27017`. */
export const inUse = (store: string, holder: { readonly pid: number; readonly address: string } | null): string =>
  `${store} is in use by ${holder ? `process ${holder.pid}, which listens at ${holder.address}` : 'another process'}`
