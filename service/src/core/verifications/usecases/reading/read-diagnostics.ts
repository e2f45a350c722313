// Reads a verification's channel and checks. This does not count as a read of the result.

import type { Deps } from '../../../../deps.ts'
import type { Reader } from '../../../tenants/domain/principal.ts'
import { type Diagnostics, renderDiagnostics } from '../../domain/diagnostics.ts'
import { statusAt } from '../../domain/verification.ts'
import type { StoredVerification } from '../../store/columns.ts'
import { loadSentRequests } from '../../store/wallet-verifications.ts'
import { findOwn, resultAt, turnFor } from './read-verification.ts'

export async function readDiagnostics(
  deps: Pick<Deps, 'db' | 'batcher' | 'clock'>,
  input: Reader & { readonly id: string },
) {
  const stored = await findOwn(deps, input)
  const requests = await loadSentRequests(deps.db, stored, stored.id)
  await turnFor(stored)
  return renderDiagnostics({ ...diagnosticsOf(deps, stored), requests })
}

function diagnosticsOf(deps: Pick<Deps, 'db' | 'clock'>, stored: StoredVerification): Omit<Diagnostics, 'requests'> {
  const nowMs = deps.clock.now()
  const { id, answeredBy: channel, boundBy: binding } = stored
  const status = statusAt(stored, nowMs)
  const ended = status === 'completed' || status === 'failed'
  return { id, status, channel, binding, credentials: ended ? keptChecks(deps, stored, nowMs) : [] }
}

function keptChecks(deps: Pick<Deps, 'db'>, stored: StoredVerification, nowMs: number) {
  const result = resultAt(deps, stored, nowMs)
  return result === null || result === 'forgotten' ? null : (result.checks ?? null)
}
