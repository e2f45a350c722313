// The verdict on a chain and its rendering.

import type { Cosigned } from '../../transparency/domain/log/cosignature.ts'
import type { ChainVerdict } from './verify-chain.ts'

/** `notChecked`: checkpoints in the file that need the key of chains, which was not given. */
export type AuditVerdict =
  | (ChainVerdict & { readonly checkpoints: number; readonly logged?: LoggedTrail; readonly notChecked?: number })
  /** A checkpoint that this key did not sign, a head without a valid MAC, or a file that is not an export. */
  | { readonly outcome: 'untrusted'; readonly problem: string }

/** The last entry of the chain that the public log has, and the witnesses that cosigned that log. */
export interface LoggedTrail {
  readonly seq: number
  readonly index: number
  readonly size: number
  readonly origin: string
  readonly cosigned: readonly Cosigned[]
}

export function renderVerdict(verdict: AuditVerdict) {
  if (verdict.outcome === 'untrusted') return verdict
  const { logged, notChecked } = verdict
  const log = {
    ...(logged === undefined ? {} : { log: logged }),
    ...(notChecked === undefined ? {} : { checkpoints_not_checked: notChecked }),
  }
  if (verdict.outcome !== 'whole') {
    const { outcome, seq, problem, checkpoints } = verdict
    return { outcome, seq, problem, checkpoints, ...log }
  }
  const { outcome, entries, detailsErased, checkpoints, head } = verdict
  return { outcome, entries, details_erased: detailsErased, checkpoints, head: head.toString('hex'), ...log }
}
