// Serves the signed request object, with the same nonce and key at each fetch (OpenID4VP §5.10).

import { hash } from 'node:crypto'
import {
  encryptRequest,
  registrationInfo,
  requestClaims,
  requestEncryptionOf,
  requestHeader,
  signCompact,
} from '@vidimus/engine'
import type { Deps } from '../../../../deps.ts'
import { instantOf, millisecondsOf } from '../../../../platform/world.ts'
import type { SigningCertificate } from '../../../ports/signing.ts'
import { registrationOf } from '../../../registrations/usecases/choose-registration.ts'
import { openTransaction } from '../../../transactions/store/sealed.ts'
import { stateUnder } from '../../domain/sent-requests.ts'
import { responseUriOf } from '../../domain/verification.ts'
import type { QueryNeeds } from './accepted-query.ts'
import { negotiateRequest, noteSent, readMetadata, sentRequestOf, unfitRefusal } from './negotiated-request.ts'
import { keepServed } from './sent-request.ts'
import { encryptionJwkOf, type FindingNeeds, findOpen, type WalletVerification } from './wallet-verification.ts'

type Needs = FindingNeeds &
  QueryNeeds &
  Pick<
    Deps,
    'random' | 'signing' | 'fetchNotes' | 'progress' | 'registrations' | 'endings' | 'costlyAgreements' | 'reportStep'
  >

/** Returns a compact JWS, in a JWE if the wallet wants that. Echoes `walletNonce`; null if the wallet sent none. */
export async function serveRequestObject(
  deps: Needs,
  input: {
    readonly id: string
    readonly walletNonce: string | null
    /** `wallet_metadata` as received. Unauthenticated hints. */
    readonly walletMetadata: string | null
    /** Whether the wallet used the link for the device that shows the page. */
    readonly sameDevice: boolean
  },
): Promise<string> {
  const { walletMetadata, sameDevice } = input
  // The client id names a certificate of this installation: no other can sign, even after the tenant has moved.
  const verification = await findOpen(deps, input.id, true)
  const metadata = walletMetadata === null ? null : readMetadata(walletMetadata)
  const signer = await deps.signing.signerFor(verification, verification.clientId)
  const transaction = openTransaction(deps.db, verification)
  const negotiated = await negotiateRequest(deps, { verification, signer, metadata, transaction })
  const { agreement, clientId } = negotiated
  const nowMs = deps.clock.now()
  const fetched = { at: instantOf(nowMs), metadata }
  if (agreement.outcome === 'unfit') {
    const sent = sentRequestOf(negotiated, { ...fetched, sha256: null, encryptedTo: null })
    await noteSent(deps, verification, { sent, sha256: null, sameDevice })
    throw unfitRefusal(agreement)
  }
  const registration = await registrationOf(deps, verification)
  const claims = requestClaims({
    clientId,
    responseUri: responseUriOf(verification.movedFrom ?? deps.config.baseUrl, verification.id),
    nonce: verification.nonce,
    state: stateUnder(verification, clientId),
    query: agreement.query,
    encryptionJwk: encryptionJwkOf(deps, verification),
    issuedAt: issuedAtOf([signer], verification, nowMs),
    // Rounded up: the object must not expire before the verification.
    expiresAt: Math.ceil(millisecondsOf(verification.expiresAt) / 1000),
    walletNonce: input.walletNonce,
    transaction: transaction.map(({ text }) => text),
    ...(registration !== null && { verifierInfo: registrationInfo(registration.certificate.raw) }),
  })
  const jws = await signCompact(headerOf(signer), claims, signer.key)
  const encryption = metadata === null ? null : requestEncryptionOf(metadata, deps.costlyAgreements.of(verification))
  const sha256 = hash('sha256', jws, 'buffer')
  const sent = sentRequestOf(negotiated, { ...fetched, sha256, encryptedTo: encryption?.curve ?? null })
  await noteSent(deps, verification, { sent, sha256, sameDevice })
  if (verification.requestFetchedAt === null) {
    const { id: verificationId, universal } = verification
    await deps.reportStep(verification, { verificationId, universal, step: 'authorization_request_retrieved' })
  }
  const kind = clientId === verification.clientId ? 'request_object' : 'other_request_object'
  await keepServed(deps, verification, { kind, text: jws })
  deps.progress.noteFetched(verification.id)
  return encryption === null ? jws : encryptRequest(jws, encryption, deps.random)
}

/** Keyed by the certificate: the header is cached as long as the key. */
const headers = new WeakMap<SigningCertificate, ReturnType<typeof requestHeader>>()

export function headerOf(signer: SigningCertificate): ReturnType<typeof requestHeader> {
  const known = headers.get(signer) ?? requestHeader(signer.chain, signer.key)
  headers.set(signer, known)
  return known
}

/**
 * In unix seconds. With a key outside of this process, this is the time of the verification. Then all requests are the
 * same and are signed only once (platform/keys/remote-keys.ts).
 */
export function issuedAtOf(
  signers: readonly SigningCertificate[],
  { createdAt }: WalletVerification,
  nowMs: number,
): number {
  const isLocal = signers.every(({ key }) => key.reference === null)
  return Math.floor((isLocal ? nowMs : millisecondsOf(createdAt)) / 1000)
}
