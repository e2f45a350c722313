// Keeps the filters of a list in the address, so that people can share it and use the back button.

import { useSearchParams } from 'react-router'

export function useFilters(): readonly [URLSearchParams, (name: string, value: string) => void] {
  const [params, setParams] = useSearchParams()
  const choose = (name: string, value: string) => {
    const next = new URLSearchParams(params)
    // Removes the position in the list, because other filters have other pages.
    next.delete('before')
    if (value === '') next.delete(name)
    else next.set(name, value)
    setParams(next, { replace: true })
  }
  return [params, choose]
}

/** Returns the same list, starting at another row; null: at the newest. */
export function pageFrom(params: URLSearchParams, before: string | number | null): string {
  const next = new URLSearchParams(params)
  if (before === null) next.delete('before')
  else next.set('before', String(before))
  return `?${next}`
}
