// Whether the window is as narrow as a phone.

import { useSyncExternalStore } from 'react'

const NARROW = '(max-width: 639px)'

export function useNarrow(): boolean {
  return useSyncExternalStore(
    (changed) => {
      const query = matchMedia(NARROW)
      query.addEventListener('change', changed)
      return () => query.removeEventListener('change', changed)
    },
    () => matchMedia(NARROW).matches,
  )
}
