/// <reference path="../../src/extension/chrome.d.ts" />

/** `chrome.storage.session`, as far as it is used. */
export function storageArea(): ChromeStorageArea & { readonly kept: Map<string, unknown> } {
  const kept = new Map<string, unknown>()
  return {
    kept,
    get: async (keys) => {
      const wanted = keys === null ? [...kept.keys()] : typeof keys === 'string' ? [keys] : keys
      return structuredClone(Object.fromEntries(wanted.flatMap((key) => (kept.has(key) ? [[key, kept.get(key)]] : []))))
    },
    set: async (items) => {
      for (const [key, value] of Object.entries(items)) kept.set(key, structuredClone(value))
    },
    remove: async (keys) => {
      for (const key of typeof keys === 'string' ? [keys] : keys) kept.delete(key)
    },
    onChanged: { addListener() {} },
  }
}
