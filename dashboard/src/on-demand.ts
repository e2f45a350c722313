// Loads pages and languages on demand.

import { use } from 'react'

/**
 * A module that is loaded on demand. Start loading early: React keeps the fallback of `use` for at least 300 ms, even
 * if the module arrives sooner.
 */
export interface OnDemand<T> {
  /** Starts to load the module, once. */
  start(): Promise<T>
  /** null: not loaded yet. */
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

/** Must be used within a `Suspense`. */
export function useLoaded<T>(part: OnDemand<T>): T {
  return part.loaded() ?? use(part.start())
}
