// Fetches each list that a response names once. If a response names too many, nothing is fetched.

import type { StatusAnswer, StatusSource, Trust } from '../expected.ts'
import { type ListBudget, newListBudget, spend, type WorkBudget } from '../limits.ts'

export interface ResponseLists extends WorkBudget {
  find(source: StatusSource): Promise<StatusAnswer>
}

export function responseLists(
  { fetchStatus }: Pick<Trust, 'fetchStatus'>,
  budget: ListBudget = newListBudget(),
): ResponseLists {
  const answers = new Map<string, Promise<StatusAnswer>>()
  let isExceeded = false
  async function fetched(source: StatusSource): Promise<StatusAnswer> {
    // All credentials of a response name their lists in one tick, so afterwards their number is known.
    await Promise.resolve()
    return isExceeded ? OVER_BUDGET : fetchOrNone(source, fetchStatus, budget)
  }
  return {
    work: budget.work,
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

/** If the caller's fetch throws, the list counts as unavailable, and the policy decides. */
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
