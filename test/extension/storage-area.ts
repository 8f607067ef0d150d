/// <reference types="chrome" />

/** The part of `chrome.storage.session` that the extension uses, in memory. */
export function storageArea(): chrome.storage.StorageArea & { readonly kept: Map<string, unknown> } {
  const kept = new Map<string, unknown>()
  const area = {
    kept,
    get: async (keys: null | string | readonly string[]) => {
      const wanted = keys === null ? [...kept.keys()] : [keys].flat()
      return structuredClone(Object.fromEntries(wanted.flatMap((key) => (kept.has(key) ? [[key, kept.get(key)]] : []))))
    },
    set: async (items: object) => {
      for (const [key, value] of Object.entries(items)) kept.set(key, structuredClone(value))
    },
    remove: async (keys: string | readonly string[]) => {
      for (const key of [keys].flat()) kept.delete(key)
    },
  }
  return area as unknown as ReturnType<typeof storageArea>
}
