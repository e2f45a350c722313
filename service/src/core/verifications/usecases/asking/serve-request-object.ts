// Serves the signed request for the wallet: the same nonce and key every time until the end, with a fresh signature, so
// that a wallet may fetch it again (OpenID4VP §5.10; docs/protocol/request.md).

import { hash } from 'node:crypto'
import {
  encryptRequest,
  type JsonObject,
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
import { responseUriOf } from '../../domain/verification.ts'
import { askedQuery, type QueryNeeds } from './asked-query.ts'
import { encryptionJwkOf, type FindingNeeds, findOpen } from './asked-verification.ts'
import { keepServed } from './sent-request.ts'

type Needs = FindingNeeds &
  QueryNeeds &
  Pick<Deps, 'random' | 'signing' | 'fetchNotes' | 'progress' | 'registrations' | 'endings' | 'reportStep'>

/** What a wallet says of itself: unauthenticated hints. */
export type WalletMetadata = JsonObject

/**
 * A compact JWS, in a JWE if the wallet wants that. `walletNonce` is echoed unchanged; null if the wallet sent none.
 */
export async function serveRequestObject(
  deps: Needs,
  input: {
    readonly id: string
    readonly walletNonce: string | null
    readonly walletMetadata: WalletMetadata | null
    /** By the link for the device that shows the page. */
    readonly sameDevice: boolean
  },
): Promise<string> {
  const asked = await findOpen(deps, input.id)
  const signer = await deps.signing.signerFor(asked, asked.clientId)
  const registration = await registrationOf(deps, asked)
  const nowMs = deps.clock.now()
  const claims = requestClaims({
    clientId: asked.clientId,
    responseUri: responseUriOf(deps.config.baseUrl, asked.id),
    nonce: asked.nonce,
    state: asked.stateParameter,
    query: await askedQuery(deps, asked),
    encryptionJwk: encryptionJwkOf(deps, asked),
    issuedAt: Math.floor(nowMs / 1000),
    // Rounded up: the object must not expire before the verification.
    expiresAt: Math.ceil(millisecondsOf(asked.expiresAt) / 1000),
    walletNonce: input.walletNonce,
    transaction: openTransaction(deps.db, asked).map(({ text }) => text),
    ...(registration !== null && { verifierInfo: registrationInfo(registration.certificate.raw) }),
  })
  const jws = signCompact(headerOf(signer), claims, signer.privateKey)
  // Anyone with the link may fetch it as often as they like: only the first time writes something.
  if (asked.requestFetchedAt === null) {
    const sha256 = hash('sha256', jws, 'buffer')
    deps.fetchNotes.note({ id: asked.id, at: instantOf(nowMs), sameDevice: input.sameDevice, sha256 })
    const { id: verificationId, universal } = asked
    await deps.reportStep(asked, { verificationId, universal, step: 'authorization_request_retrieved' })
  }
  await keepServed(deps, asked, { kind: 'request_object', text: jws })
  deps.progress.noteFetched(asked.id)
  const encryption = input.walletMetadata === null ? null : requestEncryptionOf(input.walletMetadata)
  return encryption === null ? jws : encryptRequest(jws, encryption, deps.random)
}

/** Created once per key: the header is cached as long as the key is. */
const headers = new WeakMap<SigningCertificate, ReturnType<typeof requestHeader>>()

export function headerOf(signer: SigningCertificate): ReturnType<typeof requestHeader> {
  const known = headers.get(signer) ?? requestHeader(signer.chain, signer.privateKey)
  headers.set(signer, known)
  return known
}
