// Checks that each item of transaction data was confirmed by exactly one credential.

import type { CheckLog, Examination, Fault } from '../examination.ts'
import type { Confirmation } from '../verdict.ts'
import type { TransactionItem } from './item.ts'

/** What one presentation confirms. */
export type Confirming =
  | { readonly outcome: 'read'; readonly confirmed: readonly Confirmation[]; readonly reordered: boolean }
  | { readonly outcome: 'fault'; readonly fault: Fault }

/** `code` names the fault for the wallet's developer. */
export function unconfirmed(code: string, detail: string): Confirming {
  return { outcome: 'fault', fault: unconfirmedFault(code, detail) }
}

function unconfirmedFault(code: string, detail: string): Fault {
  return { code: 'transaction_not_confirmed', detail: `${detail} (${code})` }
}

/** Adds the check. Returns what was confirmed; nothing after a fault. */
export function logConfirming(log: CheckLog, confirming: Confirming): readonly Confirmation[] {
  if (!log.judge('transaction_data_valid', confirming.outcome === 'fault' ? confirming.fault : null)) return []
  if (confirming.outcome === 'fault') return []
  if (confirming.reordered)
    log.note('transaction_order', 'warning', 'the hashes of the transaction data are in another order than it was sent')
  return confirming.confirmed
}

type Confirmed = Pick<Examination, 'confirmed' | 'queryId'>

/**
 * Requires exactly one confirming presentation for each item, and it must be among `counted`, which answer the query. A
 * second confirmation is a fault, even if its presentation does not count. The one that confirms is the only one for its
 * query: with `multiple`, the result could name one holder and another could have signed.
 */
export function confirmationFault(
  items: readonly TransactionItem[],
  { all, counted }: { readonly all: readonly Confirmed[]; readonly counted: readonly Confirmed[] },
): Fault | null {
  for (const { text } of items) {
    const timesIn = (list: readonly Confirmed[]) =>
      list.flatMap(({ confirmed }) => confirmed).filter((one) => one.text === text).length
    if (timesIn(counted) === 0)
      return unconfirmedFault(
        'transaction_data_missing',
        'transaction data was not signed by a credential that may sign it',
      )
    if (timesIn(all) !== 1)
      return unconfirmedFault('transaction_data_repeated', 'several credentials signed the same transaction data')
  }
  const isAmong = ({ queryId }: Confirmed) => all.filter((one) => one.queryId === queryId).length > 1
  if (counted.some((one) => one.confirmed.length > 0 && isAmong(one)))
    return unconfirmedFault(
      'transaction_data_ambiguous',
      'several credentials were presented for the query of the one that signed',
    )
  return null
}
