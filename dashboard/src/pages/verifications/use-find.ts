// The search text of the list. It is in the entry of the history and not in the address: it may name a person.

import { useLocation } from 'react-router'

/** Empty: no search. */
export function useFind(): string {
  const state: unknown = useLocation().state
  const isSearch = typeof state === 'object' && state !== null && 'find' in state && typeof state.find === 'string'
  return isSearch ? String(state.find) : ''
}

/** For routes of the service. */
export const findOf = (find: string) => (find === '' ? {} : { find })
