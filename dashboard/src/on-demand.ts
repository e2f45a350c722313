// What is loaded when it is needed: a page, a language. What a component waits for with `use` React shows 300 ms after what
// stood in its place at the earliest, however soon it came; so what is known to be needed is begun before, and shown at once.

import { use } from 'react'

export interface OnDemand<T> {
  /** Loads it, once. */
  start(): Promise<T>
  /** null: not yet. */
  loaded(): T | null
}

export function onDemand<T>(load: () => Promise<T>): OnDemand<T> {
  let loading: Promise<T> | null = null
  let value: T | null = null
  const begin = async () => {
    value = await load()
    return value
  }
  return {
    start() {
      loading ??= begin()
      return loading
    },
    loaded: () => value,
  }
}

/** Within a `Suspense`. */
export function useLoaded<T>(part: OnDemand<T>): T {
  return part.loaded() ?? use(part.start())
}
