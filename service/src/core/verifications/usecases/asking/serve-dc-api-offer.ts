// Serves the offer for a browser, with the same nonces and keys each time (OpenID4VP Annex A, ISO 18013-7 Annex C).

import {
  annexCRequest,
  type DcApiProtocol,
  ISO_PROTOCOL,
  isOrigin,
  multisignedDcApiRequest,
  registrationInfo,
  signCompact,
  signedDcApiClaims,
  unsignedDcApiRequest,
} from '@vidimus/engine'
import type { Deps } from '../../../../deps.ts'
import { Refusal } from '../../../../platform/errors.ts'
import type { Registration } from '../../../registrations/domain/registration.ts'
import { registrationOf } from '../../../registrations/usecases/choose-registration.ts'
import { askingOrigin } from '../../domain/verification.ts'
import { type QueryNeeds, requestedQuery } from './accepted-query.ts'
import { testRelaxations } from './dc-api-protocols.ts'
import { offeredRequest } from './offered-claims.ts'
import { keepServed } from './sent-request.ts'
import { headerOf, issuedAtOf } from './serve-request-object.ts'
import { annexCOf, type FindingNeeds, type WalletVerification } from './wallet-verification.ts'

type Needs = FindingNeeds & QueryNeeds & Pick<Deps, 'signing' | 'registrations' | 'endings'>

/** `{ "requests": [{ "protocol", "data" }, …] }` as it is sent. The verification is open. */
export async function serveDcApiOffer(deps: Needs, verification: WalletVerification): Promise<string> {
  // Over plain http, browsers have this API only on the local machine, and wallets would refuse.
  if (!isOrigin(askingOrigin(verification, deps.config.baseUrl))) throw new Refusal('origin_not_allowed')
  const registration = await registrationOf(deps, verification)
  const openId4Vp = await makeOpenId4Vp(deps, verification, registration)
  const annexC = await makeAnnexC(deps, verification, registration)
  const offer = JSON.stringify({ requests: annexC === null ? openId4Vp : [...openId4Vp, annexC] })
  await keepServed(deps, verification, { kind: 'offer', text: offer })
  return offer
}

interface OfferedRequest {
  readonly protocol: DcApiProtocol
  readonly data: object
}

/** The signed request first, because wallets and platforms take the first that they support. */
async function makeOpenId4Vp(
  deps: Needs,
  verification: WalletVerification,
  registration: Registration | null,
): Promise<readonly OfferedRequest[]> {
  const [signer, ...others] = await deps.signing.signersFor(verification, verification.clientId)
  if (signer === undefined) throw new Error('bug: no certificate signs for a verification')
  const { clientId, ...request } = await offeredRequest(deps, verification)
  const shared = { ...request, issuedAt: issuedAtOf([signer, ...others], verification, deps.clock.now()) }
  const registrationMember =
    registration === null ? {} : { verifierInfo: registrationInfo(registration.certificate.raw) }
  const jws = await signCompact(
    headerOf(signer),
    signedDcApiClaims({ ...shared, ...registrationMember, clientId }),
    signer.key,
  )
  const signed: OfferedRequest = { protocol: 'openid4vp-v1-signed', data: { request: jws } }
  // The registration belongs to the certificate of the first signer only.
  const signers = [
    { ...signer, ...registrationMember, clientId },
    ...others.map((one) => ({ ...one, clientId: one.hashClientId })),
  ]
  const multisigned: OfferedRequest[] =
    others.length === 0
      ? []
      : [{ protocol: 'openid4vp-v1-multisigned', data: { request: await multisignedDcApiRequest(shared, signers) } }]
  const inTest: OfferedRequest[] = testRelaxations(deps, verification).unsigned
    ? [{ protocol: 'openid4vp-v1-unsigned', data: unsignedDcApiRequest({ ...request, ...registrationMember }) }]
    : []
  return [signed, ...multisigned, ...inTest]
}

/** null if the query has no ISO form or no reader has a valid certificate. The other protocols are still offered. */
async function makeAnnexC(
  deps: Needs,
  verification: WalletVerification,
  registration: Registration | null,
): Promise<OfferedRequest | null> {
  const annexC = annexCOf(deps, verification)
  if (annexC === null) return null
  const readers = await deps.signing.readersFor({
    ...verification,
    serviceId: registration?.certificate.serviceId ?? null,
  })
  if (readers.length === 0) return null
  const request = await annexCRequest({
    query: await requestedQuery(deps, verification),
    encryptionInfo: annexC.encryptionInfo,
    origin: askingOrigin(verification, deps.config.baseUrl),
    readers: readers.map(({ chain, key }) => ({ chain, ...key })),
    ...(registration !== null && { registration: registration.certificate.raw }),
  })
  if (request.outcome !== 'made') throw new Error('bug: a query that ISO 18013-5 can express was not offered')
  return { protocol: ISO_PROTOCOL, data: request.data }
}
