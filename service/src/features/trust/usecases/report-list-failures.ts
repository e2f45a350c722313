// Reports failed fetches of status lists to the operator: in the log, and in the store for `vidimus doctor`.

import type { StatusSource } from '@vidimus/engine'
import type { Log } from '../../../platform/log/log.ts'
import type { GatheredNotes, Note } from '../../../platform/postgres/gathered-notes.ts'
import { type Environment, instantOf } from '../../../platform/world.ts'
import { type ListFailure, type ListFailureRecord, originOfList } from '../domain/list-failure.ts'

export type ListFailureNote = ListFailureRecord & Note

export type ReportListFailure = (
  failure: ListFailure,
  of: { readonly source: StatusSource; readonly environment: Environment; readonly nowMs: number },
) => void

/**
 * Issuers choose origins, and in test anyone can be an issuer. So reports per minute are limited, and each cause of
 * each origin is reported once. Test counts separately, so that its failures cannot hide those of live.
 */
export const REPORTS_PER_MINUTE = 60
const MINUTE_MS = 60_000
const NO_MINUTE = { beganMs: Number.NEGATIVE_INFINITY, seen: new Set<string>(), left: 0 }

export function createListFailureReports({
  log,
  notes,
}: {
  readonly log: Log
  readonly notes: Pick<GatheredNotes<ListFailureNote>, 'note'>
}): ReportListFailure {
  const minutes = { test: NO_MINUTE, live: NO_MINUTE }
  return ({ cause, reason }, { source, environment, nowMs }) => {
    const last = minutes[environment]
    const isOver = nowMs - last.beganMs >= MINUTE_MS
    const minute = isOver ? { beganMs: nowMs, seen: new Set<string>(), left: 0 } : last
    minutes[environment] = minute
    if (isOver && last.left > 0)
      log.warn('further status lists could not be fetched', { environment, count: last.left })
    const origin = originOfList(source.uri)
    const id = `${environment} ${origin}`
    const key = `${id} ${cause} ${reason}`
    if (minute.seen.has(key)) return
    if (minute.seen.size >= REPORTS_PER_MINUTE) {
      minute.left += 1
      return
    }
    minute.seen.add(key)
    log.warn('a status list could not be fetched', { environment, address: origin, outcome: cause, code: reason })
    notes.note({ id, environment, origin, cause, reason, at: instantOf(nowMs) })
  }
}
