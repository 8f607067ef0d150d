/** Adds a listener to those of a key. Returns a function that removes it. */
export function joined<Listener>(all: Map<string, Set<Listener>>, key: string, listener: Listener): () => void {
  const own = all.get(key) ?? new Set()
  all.set(key, own.add(listener))
  return () => {
    own.delete(listener)
    if (own.size === 0 && all.get(key) === own) all.delete(key)
  }
}
