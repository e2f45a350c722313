// What transparency adds to the ending of a verification: its signed receipt.

import { hash } from 'node:crypto'
import { isLongerThan, type Json } from '@vidimus/engine'
import { channelOf, isInBrowser } from '../../../core/channels/table.ts'
import { registrationOf } from '../../../core/registrations/usecases/choose-registration.ts'
import type { EndedAnswer, EndingContribution } from '../../../core/verifications/usecases/answering/contributions.ts'
import type { Answer } from '../../../core/verifications/usecases/answering/ending.ts'
import { knownSentRequests } from '../../../core/verifications/usecases/asking/negotiated-request.ts'
import { offeredHash } from '../../../core/verifications/usecases/asking/offered-claims.ts'
import { findAnsweredRequest } from '../../../core/verifications/usecases/asking/sent-request.ts'
import type { Deps } from '../../../deps.ts'
import { canonicalJsonOnce } from '../../../platform/canonical-json.ts'
import { partOf, rowKey } from '../../../platform/postgres/fragments.ts'
import { ENTRIES } from '../../audit/usecases/contributions.ts'
import { type CredentialFacts, credentialFacts } from '../domain/receipt/credential-facts.ts'
import { queryDigest, type ReceiptSigner, type RequestFacts, signReceipt } from '../domain/receipt/receipt.ts'
import type { ReceiptSigners } from '../store/receipt-keys.ts'
import { type NewReceipt, WRITING_RECEIPTS } from '../store/receipts.ts'

type Needs = Pick<Deps, 'fetchNotes' | 'config' | 'registrations' | 'clock' | 'db' | 'zkVerifier' | 'anchors'> & {
  readonly receiptSigners: ReceiptSigners
}

const SIGNER = rowKey<ReceiptSigner>('the signer of receipts')
const RECEIPTS = rowKey<readonly NewReceipt[]>('receipts')
const REQUEST = rowKey<RequestFacts>('what a receipt says of the request')
/** Writing 64 queries of this length, as many as end together, takes a few milliseconds. */
const SHORT_MAX = 16 * 1024

/** One per credential of the answer, in the same order. */
export const CREDENTIAL_FACTS = rowKey<readonly CredentialFacts[]>('what a receipt says of the credentials')

/** The hash of the evidence of an answer, base64url. The evidence feature sets it. */
export const EVIDENCE_HASH = rowKey<string>('the hash of the evidence')

export const receiptEnding = (deps: Needs): EndingContribution => ({
  name: 'receipts',
  last: partOf(RECEIPTS, WRITING_RECEIPTS),
  async prepare(answer, prepared) {
    prepared.put(CREDENTIAL_FACTS, factsOf(answer))
    const registration = await registrationFacts(deps, answer)
    const { query, tenantId } = answer.verification
    const text = await canonicalJsonOnce(query, isLongerThan(query as unknown as Json, SHORT_MAX) ? tenantId : null)
    prepared.put(REQUEST, { query: queryDigest(answer.salt, text), sha256: await sentHash(deps, answer), registration })
  },
  async begin(nowMs, keyedRows) {
    keyedRows.put(SIGNER, await deps.receiptSigners.find(nowMs))
  },
  collect(ended, { keyedRows }) {
    const entries = keyedRows.get(ENTRIES)
    const receipts = ended.map((one) => {
      const { realm, verification, kept, binding, salt, prepared } = one
      const entry = entries.get(verification.id)
      if (entry === undefined) throw new Error('bug: an ending without its audit entry')
      const { sha256, ...request } = prepared.get(REQUEST)
      const jws = signReceipt(keyedRows.get(SIGNER), {
        issuer: deps.config.baseUrl,
        verification,
        credentials: prepared.get(CREDENTIAL_FACTS),
        request: { ...request, sha256: sha256 ?? servedHash(deps, one) },
        result: kept.result,
        binding,
        bundleHash: prepared.find(EVIDENCE_HASH) ?? null,
        salt,
        entry,
      })
      return { realm, verificationId: verification.id, jws, seq: entry.seq }
    })
    keyedRows.put(RECEIPTS, receipts)
    return true
  },
})

function factsOf({ judgement, verification: { environment, settings } }: Answer): CredentialFacts[] {
  if (judgement === null) return []
  const { result, trustEvidence, anchors } = judgement
  const statusPolicy = environment === 'live' ? settings.statusPolicyLive : settings.statusPolicyTest
  return (result.credentials ?? []).map(({ format, doctype_or_vct }, i) => {
    const own = trustEvidence[i]
    if (own === undefined) throw new Error('bug: a credential without its trust evidence')
    return credentialFacts(own, { format, type: doctype_or_vct }, { anchors, statusPolicy })
  })
}

/** Returns the hash of the stored request or of the offer; null: use the hash in the recorded fetch. */
async function sentHash(deps: Needs, answer: Answer): Promise<string | null> {
  const { verification, channelName, clientId } = answer
  if (isInBrowser(channelName)) return offeredHash(deps, verification)
  const sent = findAnsweredRequest(deps, verification, answer)
  if (sent !== null) return hash('sha256', sent, 'base64url')
  if (clientId === undefined) return null
  return knownSentRequests(deps, verification).find((one) => one.clientId === clientId)?.sha256 ?? null
}

/** Returns the hash in the recorded fetch. A fetch that this process has not written yet is newer than the stored one. */
function servedHash(
  { fetchNotes }: Needs,
  { verification, channelName, servedHash: served }: EndedAnswer,
): string | null {
  // Other channels have no recorded fetch.
  if (channelOf(channelName).asks !== 'request_object') return null
  const first = served ?? fetchNotes.unwritten(verification.id)?.sha256 ?? null
  return first === null ? null : Buffer.from(first).toString('base64url')
}

async function registrationFacts(
  deps: Needs,
  { verification, channelName }: Answer,
): Promise<RequestFacts['registration']> {
  const registration = channelOf(channelName).namesRegistration ? await registrationOf(deps, verification) : null
  if (registration === null) return null
  const { hash: hex, intendedUse } = registration
  return { sha256: Buffer.from(hex, 'hex').toString('base64url'), intendedUse }
}
