// Builds the smallest request that the wallet can answer, from the merchant's query (docs/protocol/negotiation.md).

import {
  type Agreement,
  type ClientIdPrefix,
  declarationOf,
  type JsonObject,
  MalformedJson,
  negotiate,
  readTransaction,
  readWalletMetadata,
  WALLET_METADATA_MAX,
} from '@vidimus/engine'
import type { Deps } from '../../../../deps.ts'
import { Refusal } from '../../../../platform/errors.ts'
import type { Instant } from '../../../../platform/world.ts'
import type { SigningCertificate } from '../../../ports/signing.ts'
import type { FrozenTransaction } from '../../../transactions/domain/frozen.ts'
import { isNewAmong, isPlain, type SentRequest } from '../../domain/sent-requests.ts'
import { storeRequestFetched } from '../../store/wallet-verifications.ts'
import { type QueryNeeds, requestedQuery } from './accepted-query.ts'
import type { WalletVerification } from './wallet-verification.ts'

type Needs = QueryNeeds & Pick<Deps, 'fetchNotes'>

interface WalletFetch {
  readonly verification: WalletVerification
  readonly signer: SigningCertificate
  readonly metadata: JsonObject | null
  readonly transaction: readonly FrozenTransaction[]
}

/** Parses a wallet's metadata, which is only a hint but must be valid JSON within bounds. */
export function readMetadata(text: string): JsonObject {
  try {
    return readWalletMetadata(text)
  } catch (error) {
    if (!(error instanceof MalformedJson)) throw error
    const { bytes, values } = WALLET_METADATA_MAX
    const message = `wallet_metadata: a JSON object of at most ${bytes} bytes and ${values} values is expected.`
    throw new Refusal('invalid_request', { message })
  }
}

/**
 * Returns the request to send, with the client id of the chosen prefix, or what the wallet lacks (OpenID4VP §5.10).
 * Answers are judged against `acceptedQuery`, which does not depend on the request that a wallet got.
 */
export async function negotiateRequest(
  deps: Needs,
  walletFetch: WalletFetch,
): Promise<{ readonly agreement: Agreement; readonly clientId: string }> {
  const { verification, signer, metadata, transaction } = walletFetch
  const clientIds = clientIdsOf(deps, verification, signer)
  const items = readTransaction(transaction.map(({ text }) => text))
  const agreement = negotiate(metadata, {
    query: await requestedQuery(deps, verification),
    signingAlgorithm: signer.key.algorithm,
    responseMode: verification.responseMode,
    prefixes: [...clientIds.keys()],
    needed: new Set(items.flatMap(({ credentialIds }) => credentialIds)),
  })
  const chosen = agreement.outcome === 'fits' ? clientIds.get(agreement.prefix) : undefined
  return { agreement, clientId: chosen ?? verification.clientId }
}

/** The possible client ids. The verification's own comes first, because wallets compare it (OpenID4VP §5.10.1). HAIP allows only `x509_hash`. */
function clientIdsOf(
  { config }: Needs,
  verification: WalletVerification,
  { hashClientId, hosts }: SigningCertificate,
): ReadonlyMap<ClientIdPrefix, string> {
  const host = new URL(config.baseUrl).hostname
  const isHaip = verification.settings.haip || config.haip
  const certified = new Map<ClientIdPrefix, string>([['x509_hash', hashClientId]])
  if (hosts.includes(host) && !isHaip) certified.set('x509_san_dns', `x509_san_dns:${host}`)
  const own = verification.clientId.startsWith('x509_san_dns:') ? 'x509_san_dns' : 'x509_hash'
  return new Map([[own, verification.clientId], ...[...certified].filter(([prefix]) => prefix !== own)])
}

/** The requests that wallets got so far, as far as this process knows. */
export function knownSentRequests(
  { fetchNotes }: Pick<Deps, 'fetchNotes'>,
  verification: WalletVerification,
): readonly SentRequest[] {
  return [...(verification.requestsSent ?? []), ...(fetchNotes.unwritten(verification.id)?.sent ?? [])]
}

/**
 * Strangers with the link may fetch repeatedly, so only the first fetch of each kind is stored. A request under another
 * client id is stored before the wallet gets it, because answers count only for stored requests.
 */
export async function noteSent(
  deps: Pick<Deps, 'fetchNotes' | 'db'>,
  verification: WalletVerification,
  fetched: { readonly sent: SentRequest; readonly sha256: Uint8Array | null; readonly sameDevice: boolean },
): Promise<void> {
  const { sent, sha256, sameDevice } = fetched
  const isNew = !isPlain(sent) && isNewAmong(knownSentRequests(deps, verification), sent)
  const isOwn = sent.clientId === verification.clientId
  const isFirst = isOwn && sha256 !== null && verification.requestSha256 === null
  if (!isNew && !isFirst) return
  const { id, tenantId, day } = verification
  const note = { id, tenantId, day, at: sent.at, sha256, sameDevice, sent: isNew ? [sent] : [] }
  if (isOwn) return deps.fetchNotes.note(note)
  // The verification has ended or was erased, or other fetches took the room. The next fetch will see that.
  if (!(await storeRequestFetched(deps.db, note)))
    throw new Refusal('unavailable', { retryAfterSeconds: 1, missing: 'room' })
}

export function sentRequestOf(
  { agreement, clientId }: Awaited<ReturnType<typeof negotiateRequest>>,
  fetched: {
    readonly at: Instant
    readonly metadata: JsonObject | null
    readonly sha256: Uint8Array | null
    readonly encryptedTo: string | null
  },
): SentRequest {
  return {
    at: fetched.at,
    sha256: fetched.sha256 === null ? null : Buffer.from(fetched.sha256).toString('base64url'),
    clientId,
    leftOut: agreement.outcome === 'fits' ? agreement.leftOut : [],
    encryptedTo: fetched.encryptedTo,
    missing: agreement.outcome === 'fits' ? [] : agreement.missing,
    declared: fetched.metadata === null ? null : declarationOf(fetched.metadata),
  }
}

/** The message names what the wallet would have to support. */
export function unfitRefusal({ missing }: Extract<Agreement, { outcome: 'unfit' }>): Refusal {
  const lacks = missing.map(({ member, anyOf }) => `${member} needs ${anyOf.join(' or ')}`)
  return new Refusal('invalid_request', { message: `wallet_metadata: no request fits. ${lacks.join('; ')}.` })
}
