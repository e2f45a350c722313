// What a page hands to its browser: one request for each protocol, signed when first asked for and kept, so that every reader
// gets the same bytes until the verification ends (OpenID4VP Annex A, ISO 18013-7 Annex C; docs/protocol/dc-api.md).

import { sign } from 'node:crypto'
import {
  annexCRequest,
  encryptionInfoOf,
  encryptionKeyOfPoint,
  ISO_PROTOCOL,
  isoQueryOf,
  multisignedDcApiRequest,
  type OpenId4VpProtocol,
  type ReaderSigner,
  registrationInfo,
  signCompact,
  signedDcApiClaims,
  signingAlgorithmOf,
  unsignedDcApiRequest,
} from '@vidimus/engine'
import type { Deps } from '../../deps.ts'
import type { Registration } from '../../domain/registration/registration.ts'
import { effectiveSettings } from '../../domain/tenant/settings.ts'
import type { OpenedCertificate } from '../../domain/trust/certificate.ts'
import { newEphemeralKey, pointOf } from '../../domain/verification/ephemeral-key.ts'
import { askingOrigin } from '../../domain/verification/verification.ts'
import { instantOf, millisecondsOf } from '../../domain/world.ts'
import { loadTenantSettings } from '../../store/tenants/settings.ts'
import { insertOffer, loadOffer, type StoredOffer } from '../../store/verifications/dc-api-offers.ts'
import { registrationOf } from '../registration/choose-registration.ts'
import { readersFor, signersFor } from '../trust/certificate-in-use.ts'
import { type AskedVerification, findOpen } from './asked-verification.ts'
import { headerOf } from './serve-request-object.ts'

type Needs = Pick<
  Deps,
  'db' | 'clock' | 'random' | 'sealer' | 'config' | 'certificates' | 'metrics' | 'lanes' | 'registrations'
>

/** `{ "requests": [{ "protocol", "data" }, …] }` as it is sent. The verification is open. */
export async function serveDcApiOffer(deps: Needs, asked: AskedVerification): Promise<string> {
  const kept = await loadOffer(deps.db, asked)
  if (kept !== null) return kept.requests
  const offer = await makeOffer(deps, asked)
  if (await insertOffer(deps.db, asked, { offer, now: instantOf(deps.clock.now()) })) return offer.requests
  // Another request was faster and made one, or the verification has ended since.
  const made = await loadOffer(deps.db, asked)
  if (made !== null) return made.requests
  await findOpen(deps, asked.id)
  throw new Error('bug: an open verification could not be offered')
}

async function makeOffer(deps: Needs, asked: AskedVerification): Promise<StoredOffer> {
  const loosened = await loosenedIn(deps, asked)
  const jweKey = loosened.clear ? null : newEphemeralKey(deps, { ...asked, column: 'dc_api_offers.jwe_key' })
  const registration = await registrationOf(deps, asked)
  const annexC = await makeAnnexC(deps, asked, registration)
  const openId4Vp = await makeOpenId4Vp(deps, asked, { jweKey, unsigned: loosened.unsigned, registration })
  const requests = annexC === null ? openId4Vp : [...openId4Vp, annexC.request]
  return { requests: JSON.stringify({ requests }), jweKey, annexC: annexC?.kept ?? null }
}

/** What the tenant allows its own tests; live is never asked. */
async function loosenedIn(deps: Needs, { tenantId, environment }: AskedVerification) {
  if (environment !== 'test') return { unsigned: false, clear: false }
  const stored = await loadTenantSettings(deps.db, tenantId)
  if (stored === null) throw new Error('bug: a verification of no tenant')
  const { dcApiUnsignedInTest: unsigned, dcApiClearInTest: clear } = effectiveSettings(stored, deps.config.haip)
  return { unsigned, clear }
}

interface OfferedRequest {
  readonly protocol: OpenId4VpProtocol
  readonly data: object
}

/** The signed one first: wallets and platforms take the first they can. */
async function makeOpenId4Vp(
  deps: Needs,
  asked: AskedVerification,
  making: { readonly jweKey: Buffer | null; readonly unsigned: boolean; readonly registration: Registration | null },
): Promise<readonly OfferedRequest[]> {
  const { jweKey, unsigned, registration } = making
  const [signer, ...others] = await signersFor(deps, asked)
  if (signer === undefined) throw new Error('bug: nobody signs for a verification')
  const { nonce, query, clientId } = asked
  const request = { nonce, query, encryptionJwk: jweKey === null ? null : encryptionKeyOfPoint(pointOf(jweKey)).jwk }
  const shared = {
    ...request,
    expectedOrigins: [askingOrigin(asked, deps.config.baseUrl)],
    issuedAt: Math.floor(deps.clock.now() / 1000),
    // Rounded up: the request must not end before the verification does.
    expiresAt: Math.ceil(millisecondsOf(asked.expiresAt) / 1000),
  }
  const said = registration === null ? {} : { verifierInfo: registrationInfo(registration.certificate.raw) }
  const jws = signCompact(headerOf(signer), signedDcApiClaims({ ...shared, ...said, clientId }), signer.privateKey)
  const signed: OfferedRequest = { protocol: 'openid4vp-v1-signed', data: { request: jws } }
  // It belongs to the certificate of the first alone.
  const signers = [{ ...signer, ...said, clientId }, ...others.map((one) => ({ ...one, clientId: one.hashClientId }))]
  const multisigned: OfferedRequest[] =
    others.length === 0
      ? []
      : [{ protocol: 'openid4vp-v1-multisigned', data: { request: multisignedDcApiRequest(shared, signers) } }]
  const inTest: OfferedRequest[] = unsigned
    ? [{ protocol: 'openid4vp-v1-unsigned', data: unsignedDcApiRequest({ ...request, ...said }) }]
    : []
  return [signed, ...multisigned, ...inTest]
}

const ANNEX_C_NONCE_BYTES = 32

/** By the algorithm of its key: what may be installed for a reader is on any of three curves. */
function readerSigner({ chain, privateKey }: OpenedCertificate): ReaderSigner {
  const { algorithm, hash } = signingAlgorithmOf(privateKey)
  return { chain, algorithm, sign: (bytes) => sign(hash, bytes, { key: privateKey, dsaEncoding: 'ieee-p1363' }) }
}

/** null where the query cannot be said in the words of ISO, or no reader has a valid certificate: the others go on. */
async function makeAnnexC(deps: Needs, asked: AskedVerification, registration: Registration | null) {
  if (isoQueryOf(asked.query).outcome !== 'expressible') return null
  const readers = (await readersFor(deps, { ...asked, serviceId: registration?.certificate.serviceId ?? null })).map(
    readerSigner,
  )
  if (readers.length === 0) return null
  const hpkeKey = newEphemeralKey(deps, { ...asked, column: 'dc_api_offers.hpke_key' })
  const encryptionInfo = encryptionInfoOf(deps.random(ANNEX_C_NONCE_BYTES), pointOf(hpkeKey))
  const origin = askingOrigin(asked, deps.config.baseUrl)
  const made = await annexCRequest({
    query: asked.query,
    encryptionInfo,
    origin,
    readers,
    ...(registration !== null && { registration: registration.certificate.raw }),
  })
  if (made.outcome !== 'made') throw new Error('bug: what can be said in the words of ISO was not')
  return { request: { protocol: ISO_PROTOCOL, data: made.data }, kept: { hpkeKey, encryptionInfo } }
}
