// Records every answer, including answers that a client retries. A 500 fails the run; a 503 fails it unless the store was stopped.

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
