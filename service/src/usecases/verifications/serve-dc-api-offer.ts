// What a page hands to its browser: one request for each protocol, signed when first asked for and kept, so that every reader
// gets the same bytes until the verification ends (OpenID4VP Annex A, ISO 18013-7 Annex C; docs/protocol/dc-api.md).

import { sign } from 'node:crypto'
import {
  annexCRequest,
  type DcApiProtocol,
  encryptionInfoOf,
  encryptionKeyOfPoint,
  ISO_PROTOCOL,
  isOrigin,
  isoQueryOf,
  multisignedDcApiRequest,
  type ReaderSigner,
  registrationInfo,
  signCompact,
  signedDcApiClaims,
  signingAlgorithmOf,
  unsignedDcApiRequest,
} from '@vidimus/engine'
import type { Deps } from '../../deps.ts'
import { Refusal } from '../../domain/errors.ts'
import type { Work } from '../../domain/lanes.ts'
import type { Registration } from '../../domain/registration/registration.ts'
import { realmName } from '../../domain/tenant/realm.ts'
import { effectiveSettings } from '../../domain/tenant/settings.ts'
import { openTransaction } from '../../domain/transaction/frozen.ts'
import type { OpenedCertificate } from '../../domain/trust/certificate.ts'
import {
  newOfferKey,
  type OfferKey,
  type OfferSecrets,
  openOffer,
  type SealedOffer,
  sealOffer,
} from '../../domain/verification/sealed-offer.ts'
import { askingOrigin } from '../../domain/verification/verification.ts'
import { instantOf, millisecondsOf } from '../../domain/world.ts'
import { insertOffersAcrossTenants, type NewOffer } from '../../store/verifications/dc-api-offers.ts'
import { registrationOf } from '../registration/choose-registration.ts'
import { readersFor, signersFor } from '../trust/certificate-in-use.ts'
import { type AskedVerification, demandOpen, findOffered, type OfferedVerification } from './asked-verification.ts'
import { headerOf } from './serve-request-object.ts'

type Needs = Pick<
  Deps,
  'db' | 'clock' | 'random' | 'sealer' | 'config' | 'certificates' | 'metrics' | 'lanes' | 'registrations'
>

/** `{ "requests": [{ "protocol", "data" }, …] }` as it is sent. The verification is open. */
export async function serveDcApiOffer(deps: Needs, asked: OfferedVerification): Promise<string> {
  if (asked.offer !== null) return provenRequests(deps, asked, asked.offer)
  const made = sealOffer(deps.sealer, asked, await makeOffer(deps, asked))
  const { id, tenantId, environment } = asked
  const item = { id, tenantId, environment, ...made }
  // A lane a realm: who waits for a row that is ending waits for a verification of its own tenant.
  if (await deps.lanes.add(OFFERS, deps, { lane: realmName(asked), item })) return made.requests
  // Another request was faster and made one, or the verification has ended since.
  const again = await findOffered(deps, id)
  demandOpen(deps, again)
  if (again.offer === null) throw new Error('bug: an open verification could not be offered')
  return provenRequests(deps, again, again.offer)
}

/** Nobody gets what was not sealed with these very bytes. */
function provenRequests(deps: Needs, asked: AskedVerification, offer: SealedOffer): string {
  openOffer(deps.sealer, asked, offer)
  return offer.requests
}

/** Whether each was written. */
const OFFERS: Work<Pick<Deps, 'db' | 'clock'>, NewOffer, boolean> = {
  itemsMax: 64,
  async run({ db, clock }, items) {
    // Two pages of one verification may meet in one batch: the first of them writes.
    const first = new Map(items.toReversed().map((item) => [item.id, item]))
    const offers = [...first.values()]
    const written = new Set(await insertOffersAcrossTenants(db, { offers, now: instantOf(clock.now()) }))
    return items.map((item) => first.get(item.id) === item && written.has(item.id))
  },
}

async function makeOffer(deps: Needs, asked: AskedVerification): Promise<OfferSecrets & { requests: string }> {
  // A hosted page over plain http that is not on the own machine: its browser has no such API, and wallets would refuse.
  if (!isOrigin(askingOrigin(asked, deps.config.baseUrl))) throw new Refusal('origin_not_allowed')
  const loosened = loosenedIn(deps, asked)
  const jweKey = loosened.clear ? null : newOfferKey(deps.random)
  const registration = await registrationOf(deps, asked)
  const annexC = await makeAnnexC(deps, asked, registration)
  const openId4Vp = await makeOpenId4Vp(deps, asked, { jweKey, unsigned: loosened.unsigned, registration })
  const requests: readonly OfferedRequest[] = annexC === null ? openId4Vp : [...openId4Vp, annexC.request]
  return {
    requests: JSON.stringify({ requests }),
    protocols: requests.map(({ protocol }) => protocol),
    jweKey,
    annexC: annexC?.kept ?? null,
  }
}

/** What the tenant allows its own tests; live is never asked. */
function loosenedIn(deps: Needs, { environment, settings }: AskedVerification) {
  if (environment !== 'test') return { unsigned: false, clear: false }
  const { dcApiUnsignedInTest: unsigned, dcApiClearInTest: clear } = effectiveSettings(settings, deps.config.haip)
  return { unsigned, clear }
}

interface OfferedRequest {
  readonly protocol: DcApiProtocol
  readonly data: object
}

/** The signed one first: wallets and platforms take the first they can. */
async function makeOpenId4Vp(
  deps: Needs,
  asked: AskedVerification,
  making: { readonly jweKey: OfferKey | null; readonly unsigned: boolean; readonly registration: Registration | null },
): Promise<readonly OfferedRequest[]> {
  const { jweKey, unsigned, registration } = making
  const [signer, ...others] = await signersFor(deps, asked)
  if (signer === undefined) throw new Error('bug: nobody signs for a verification')
  const { nonce, query, clientId } = asked
  const request = {
    nonce,
    query,
    encryptionJwk: jweKey === null ? null : encryptionKeyOfPoint(jweKey).jwk,
    transaction: openTransaction(deps.sealer, asked).map(({ text }) => text),
  }
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

/** Made once for each key, as its header is. */
const readers = new WeakMap<OpenedCertificate, ReaderSigner>()

/** By the algorithm of its key: what may be installed for a reader is on any of three curves. */
function readerSigner(certificate: OpenedCertificate): ReaderSigner {
  const known = readers.get(certificate) ?? newReaderSigner(certificate)
  readers.set(certificate, known)
  return known
}

function newReaderSigner({ chain, privateKey }: OpenedCertificate): ReaderSigner {
  const { algorithm, hash } = signingAlgorithmOf(privateKey)
  return { chain, algorithm, sign: (bytes) => sign(hash, bytes, { key: privateKey, dsaEncoding: 'ieee-p1363' }) }
}

/**
 * null where the query cannot be said in the words of ISO, as what a holder is to agree to never can, or no reader has a valid
 * certificate: the others go on.
 */
async function makeAnnexC(deps: Needs, asked: AskedVerification, registration: Registration | null) {
  if (asked.sealedTransaction !== null || isoQueryOf(asked.query).outcome !== 'expressible') return null
  const signers = (await readersFor(deps, { ...asked, serviceId: registration?.certificate.serviceId ?? null })).map(
    readerSigner,
  )
  if (signers.length === 0) return null
  const key = newOfferKey(deps.random)
  const encryptionInfo = encryptionInfoOf(deps.random(ANNEX_C_NONCE_BYTES), key)
  const origin = askingOrigin(asked, deps.config.baseUrl)
  const made = await annexCRequest({
    query: asked.query,
    encryptionInfo,
    origin,
    readers: signers,
    ...(registration !== null && { registration: registration.certificate.raw }),
  })
  if (made.outcome !== 'made') throw new Error('bug: what can be said in the words of ISO was not')
  const request: OfferedRequest = { protocol: ISO_PROTOCOL, data: made.data }
  return { request, kept: { key, encryptionInfo } }
}
