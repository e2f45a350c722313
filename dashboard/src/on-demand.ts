// Loads pages and languages on demand.

import { use } from 'react'

/**
 * React shows what a component waits for with `use` at least 300 ms after the fallback, however soon it was loaded. So
 * callers start loading early and show it without waiting.
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
