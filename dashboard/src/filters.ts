// What of a list is shown stands in the address, so that it can be sent and gone back to.

import { useSearchParams } from 'react-router'

export function useFilters(): readonly [URLSearchParams, (name: string, value: string) => void] {
  const [params, setParams] = useSearchParams()
  const choose = (name: string, value: string) => {
    const next = new URLSearchParams(params)
    // Another list has other pages.
    next.delete('before')
    if (value === '') next.delete(name)
    else next.set(name, value)
    setParams(next, { replace: true })
  }
  return [params, choose]
}

/** The same list from another row on; null: from the newest. */
export function pageFrom(params: URLSearchParams, before: string | number | null): string {
  const next = new URLSearchParams(params)
  if (before === null) next.delete('before')
  else next.set('before', String(before))
  return `?${next}`
}
