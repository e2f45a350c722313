// The lists that one response names: each is fetched once, and only so many are. A response that names more is refused, and none of them
// is fetched.

import type { StatusAnswer, StatusSource, Trust } from '../expected.ts'
import { type ChainBudget, type ListBudget, newListBudget, spend } from '../limits.ts'

export interface ResponseLists {
  find(source: StatusSource): Promise<StatusAnswer>
  /** What may still be spent on the certificates of their signers. */
  readonly chains: ChainBudget
}

export function responseLists(
  { fetchStatus }: Pick<Trust, 'fetchStatus'>,
  budget: ListBudget = newListBudget(),
): ResponseLists {
  const answers = new Map<string, Promise<StatusAnswer>>()
  let isExceeded = false
  async function fetched(source: StatusSource): Promise<StatusAnswer> {
    // All credentials of a response are asked about in one turn: after it, it shows whether they name too many.
    await Promise.resolve()
    return isExceeded ? OVER_BUDGET : fetchOrNone(source, fetchStatus, budget)
  }
  return {
    chains: budget.chains,
    find(source) {
      const name = `${source.kind} ${source.uri}`
      const known = answers.get(name)
      if (known !== undefined) return known
      isExceeded ||= !spend(budget, 'listsLeft', 1)
      if (isExceeded) return Promise.resolve(OVER_BUDGET)
      const answer = fetched(source)
      answers.set(name, answer)
      return answer
    },
  }
}

const OVER_BUDGET: StatusAnswer = {
  outcome: 'unavailable',
  reason: 'the response names too many lists',
  overBudget: 'response',
}

/** A caller whose fetching fails has no answer, which is for the policy to judge. */
async function fetchOrNone(
  source: StatusSource,
  fetchStatus: Trust['fetchStatus'],
  budget: ListBudget,
): Promise<StatusAnswer> {
  try {
    return await fetchStatus(source, budget)
  } catch {
    return { outcome: 'unavailable', reason: 'fetching the status failed' }
  }
}
