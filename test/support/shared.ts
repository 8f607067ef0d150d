/** What the files of one process share, as long as they run in one (together.ts). */
let isTogether = false
const closers: (() => Promise<void>)[] = []

/** From now on what is shared stays open when a file ends. Resolves when all of it is closed. */
export function keepShared(): () => Promise<void> {
  isTogether = true
  return async () => {
    for (const close of closers) await close()
  }
}

export interface Shared<T> {
  /** It is opened by the first one that asks. */
  get(): Promise<T>
  /** A file needs it no more: alone in its process, that closes it. */
  release(): Promise<void>
}

/** @param isGone whether it ended by itself: then the next one who asks opens another. */
export function shared<T>(
  open: () => Promise<T>,
  close: (opened: T) => Promise<void>,
  isGone: (opened: T) => boolean,
): Shared<T> {
  let opened: Promise<T> | null = null
  const end = async () => {
    const last = opened
    opened = null
    if (last) await close(await last)
  }
  closers.push(end)
  return {
    async get() {
      if (opened && isGone(await opened)) opened = null
      opened ??= open()
      opened.catch(() => {
        opened = null
      })
      return opened
    },
    async release() {
      if (!isTogether) await end()
    },
  }
}
