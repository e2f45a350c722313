// Reads verifications for staff: a filtered page, and one with its full history.

import type { AnswerChannel } from '../../../core/channels/table.ts'
import type { Realm } from '../../../core/tenants/domain/realm.ts'
import { type Reference, referenceOf } from '../../../core/verifications/domain/reference.ts'
import type { SentRequest } from '../../../core/verifications/domain/sent-requests.ts'
import {
  statusAt,
  type Verification,
  type VerificationStatus,
} from '../../../core/verifications/domain/verification.ts'
import { openSensitiveFields } from '../../../core/verifications/store/sealed-sensitive-fields.ts'
import { loadSensitiveFields } from '../../../core/verifications/store/sensitive-fields.ts'
import { readStored } from '../../../core/verifications/store/verifications.ts'
import { loadSentRequests } from '../../../core/verifications/store/wallet-verifications.ts'
import { decryptVerification, turnFor } from '../../../core/verifications/usecases/reading/read-verification.ts'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import { isVerificationId } from '../../../platform/ids.ts'
import { END_OF_TIME, type Instant, instantOf } from '../../../platform/world.ts'
import { type LoggedDelivery, readDeliveries } from '../../webhooks/index.ts'
import { listForStaff, loadTimeline, type StaffRow, type StaffSearch, type Timeline } from '../store/for-staff.ts'

/** How many rows one request scans, whatever its filters. */
const WINDOW = 10_000

export interface ListedVerification extends Omit<StaffRow, 'state'> {
  readonly status: VerificationStatus
  readonly reference: Reference | null
}

export interface StaffPage {
  readonly rows: readonly ListedVerification[]
  /** The cursor of the next page; null at the end. */
  readonly searchedTo: Instant | null
}

export interface StaffQuery extends StaffSearch {
  readonly realm: Realm
  /** Created before this time; null: until now. */
  readonly to: Instant | null
}

export async function listVerificationsForStaff(
  deps: Pick<Deps, 'db' | 'clock'>,
  input: StaffQuery & { readonly before: Instant | null; readonly limit: number },
): Promise<StaffPage> {
  const nowMs = deps.clock.now()
  const { rows, searchedTo } = await listForStaff(deps.db, input.realm, {
    ...input,
    before: earlierOf(input.before, input.to),
    window: WINDOW,
    now: instantOf(nowMs),
  })
  const references = await readReferences(deps, input.realm, rows)
  const listed = rows.map(({ state, ...row }) => ({
    ...row,
    status: statusAt({ ...row, state }, nowMs),
    reference: references.get(row.id) ?? null,
  }))
  return { rows: listed, searchedTo }
}

/** Decrypts only the rows of the page. */
async function readReferences(
  deps: Pick<Deps, 'db'>,
  realm: Realm,
  rows: readonly StaffRow[],
): Promise<ReadonlyMap<string, Reference | null>> {
  if (rows.length === 0) return new Map()
  const stored = await loadSensitiveFields(
    deps.db,
    realm,
    rows.map(({ id }) => id),
  )
  return new Map(stored.map((one) => [one.id, referenceTo(deps, one)]))
}

/** null also if decryption fails, so that the list still loads. The verification's own page reports the failure. */
function referenceTo(deps: Pick<Deps, 'db'>, stored: Parameters<typeof openSensitiveFields>[1]): Reference | null {
  try {
    return referenceOf(openSensitiveFields(deps.db, stored).metadata)
  } catch {
    return null
  }
}

function earlierOf(before: Instant | null, to: Instant | null): Instant {
  const [a, b] = [before ?? END_OF_TIME, to ?? END_OF_TIME]
  return a < b ? a : b
}

interface StaffVerification {
  readonly verification: Verification
  readonly channel: AnswerChannel | null
  readonly timeline: Timeline
  /** The requests that wallets fetched. */
  readonly requests: readonly SentRequest[]
  readonly deliveries: readonly LoggedDelivery[]
}

export async function readVerificationForStaff(
  deps: Pick<Deps, 'db' | 'clock' | 'batcher'>,
  input: { readonly realm: Realm; readonly id: string; readonly pay: (bytes: number) => Promise<void> },
): Promise<StaffVerification> {
  const { realm, id, pay } = input
  const stored = isVerificationId(id) ? await readStored(deps, realm, { id, deviceId: null }, pay) : null
  const timeline = stored === null ? null : await loadTimeline(deps.db, realm, id)
  if (stored === null || timeline === null) throw new Refusal('session_not_found')
  const deliveries = await readDeliveries(deps, { realm, limit: 10, before: null, verificationId: id })
  const requests = await loadSentRequests(deps.db, realm, id)
  await turnFor(stored)
  const verification = decryptVerification(deps, stored)
  return { verification, channel: stored.answeredBy, timeline, requests, deliveries }
}
