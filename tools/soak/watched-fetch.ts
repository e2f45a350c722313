// Wraps fetch. Each answer of 5xx fails the run, even if the client retries it, except a 503 while the store is stopped.

import type { Faults } from './faults.ts'
import type { Ledger } from './ledger.ts'

export function watchedFetch(ledger: Ledger, faults: Pick<Faults, 'isStoreAway'>): typeof globalThis.fetch {
  return async (input, init) => {
    const wasAway = faults.isStoreAway()
    const answer = await globalThis.fetch(input, init)
    if (answer.status < 500) return answer
    const isExcused = answer.status === 503 && (wasAway || faults.isStoreAway())
    const what = `${answer.status} for ${init?.method ?? 'GET'} ${new URL(String(input)).pathname} (${answer.headers.get('request-id')})`
    if (isExcused) {
      ledger.count('503 while the store was down')
      ledger.note(what)
    } else ledger.problem(what)
    return answer
  }
}
