// Records the outcome of each item that a holder was asked to agree to.

import type { Confirmation, Factor } from '@vidimus/engine'
import { type Instant, instantOf } from '../../../platform/world.ts'
import type { FrozenTransaction } from './frozen.ts'

/** `confirmation` exists only if the holder signed exactly that text and the verification completed. */
export interface TransactionRecord extends FrozenTransaction {
  readonly confirmation: {
    /** The id of the query whose credential signed. */
    readonly by: string
    readonly at: Instant | null
    readonly code: string | null
    readonly factors: readonly Factor[] | null
  } | null
}

export function recordsOf(
  frozen: readonly FrozenTransaction[],
  confirmations: readonly Confirmation[],
): readonly TransactionRecord[] {
  return frozen.map((one) => {
    const signed = confirmations.find(({ text }) => text === one.text)
    return { ...one, confirmation: signed === undefined ? null : confirmationOf(signed) }
  })
}

interface Ended {
  readonly outcome: 'completed' | 'failed'
  readonly transaction?: readonly TransactionRecord[] | undefined
}

/** For a verification that did not complete: what the holder was asked, without a confirmation. */
export function withRecords<Result extends Ended>(result: Result, frozen: readonly FrozenTransaction[]): Result {
  if (frozen.length === 0 || result.transaction !== undefined) return result
  // A completed result without its confirmations does not prove an agreement.
  if (result.outcome === 'completed') throw new Error('bug: a verification completed without its transaction')
  return { ...result, transaction: recordsOf(frozen, []) }
}

function confirmationOf({ queryId, at, authentication }: Confirmation): TransactionRecord['confirmation'] {
  return {
    by: queryId,
    at: at === null ? null : instantOf(at * 1000),
    code: authentication?.code ?? null,
    factors: authentication?.factors ?? null,
  }
}

/** The JSON that the API returns. */
export function renderTransactionRecord({ type, hash, text, confirmation }: TransactionRecord) {
  const { by, at, code, factors } = confirmation ?? { by: null, at: null, code: null, factors: null }
  return {
    type,
    hash,
    alg: 'sha-256' as const,
    data: text,
    confirmed: confirmation !== null,
    ...(by === null ? {} : { by }),
    ...(at === null ? {} : { at }),
    ...(code === null ? {} : { authentication_code: code }),
    ...(factors === null ? {} : { factors: [...factors] }),
  }
}
