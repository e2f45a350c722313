// A holder's confirmation of transaction data: which credential signed it, and with which other values. One credential per item.

import type { CheckLog, Examination, Fault } from '../examination.ts'
import type { Confirmation } from '../verdict.ts'
import type { TransactionItem } from './item.ts'

/** What one presentation says yes to. */
export type Confirming =
  | { readonly outcome: 'read'; readonly confirmed: readonly Confirmation[]; readonly reordered: boolean }
  | { readonly outcome: 'fault'; readonly fault: Fault }

/** `why` is the word by which a wallet's maker finds out what was wrong. */
export function unconfirmed(why: string, detail: string): Confirming {
  return { outcome: 'fault', fault: unconfirmedFault(why, detail) }
}

function unconfirmedFault(why: string, detail: string): Fault {
  return { code: 'transaction_not_confirmed', detail: `${detail} (${why})` }
}

/** Logs what was read; nothing is confirmed where something was wrong. */
export function logConfirming(log: CheckLog, confirming: Confirming): readonly Confirmation[] {
  if (!log.judge('transaction_data_valid', confirming.outcome === 'fault' ? confirming.fault : null)) return []
  if (confirming.outcome === 'fault') return []
  if (confirming.reordered)
    log.note('transaction_order', 'warning', 'the hashes of the transaction data are in another order than it was sent')
  return confirming.confirmed
}

type Said = Pick<Examination, 'confirmed'>

/**
 * Every item is confirmed by one presentation and no more. `all` is everything that was presented, `counted` what answers the query:
 * what is dropped from the answer confirms nothing, and must not confirm a second time either.
 */
export function confirmationFault(
  items: readonly TransactionItem[],
  { all, counted }: { readonly all: readonly Said[]; readonly counted: readonly Said[] },
): Fault | null {
  for (const { text } of items) {
    const timesIn = (list: readonly Said[]) =>
      list.flatMap(({ confirmed }) => confirmed).filter((one) => one.text === text).length
    if (timesIn(counted) === 0)
      return unconfirmedFault('transaction_data_missing', 'transaction data was not signed by a credential that may')
    if (timesIn(all) !== 1)
      return unconfirmedFault('transaction_data_repeated', 'several credentials signed the same transaction data')
  }
  return null
}
