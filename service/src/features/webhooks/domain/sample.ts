// A test event without personal data, to try a receiver without a real verification.

import { SAMPLE_TYPES } from '../../../../../wire/values/webhooks.ts'
import type { Realm } from '../../../core/tenants/domain/realm.ts'
import { OPTIONAL_DEFAULTS, type Verification } from '../../../core/verifications/domain/verification.ts'
import { randomVerificationId } from '../../../platform/ids.ts'
import { type Environment, instantOf, type Random } from '../../../platform/world.ts'

/** Marks a test event for receivers. */
export const TEST_EVENT_HEADER = 'X-Service-Test'

export type SampleType = (typeof SAMPLE_TYPES)[number]

/** A signed payload in live must not claim a proof that never happened. */
export const sampleTypesOf = (environment: Environment): readonly SampleType[] =>
  environment === 'live' ? ['verification.failed'] : SAMPLE_TYPES

/** The id is not in any table, so the verification cannot be read later. */
export function sampleVerification(
  realm: Realm,
  about: { readonly type: SampleType; readonly url: string; readonly nowMs: number; readonly random: Random },
): Verification {
  const { type, url, nowMs, random } = about
  const every = {
    ...OPTIONAL_DEFAULTS,
    ...realm,
    id: randomVerificationId(random),
    createdAt: instantOf(nowMs - 60_000),
    expiresAt: instantOf(nowMs + 240_000),
    template: 'age_over_18',
    purpose: 'To try a webhook',
    webhookUrl: url,
    metadata: { test: 'true' },
    clientId: 'test',
  }
  const ended = { respondedAt: instantOf(nowMs), receiptSalt: null }
  if (type === 'verification.completed' && realm.environment === 'test')
    return {
      ...{ ...every, ...ended, status: 'completed', trustList: null, answeredQueries: [] },
      content: { claims: { age_over_18: true }, credentials: [] },
    }
  const error = { code: 'wallet_declined', message: 'The holder declined in the wallet.' }
  return { ...every, ...ended, status: 'failed', error, credentials: null, checks: [] }
}
