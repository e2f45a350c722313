// What does a status or identifier list in CWT form say (Token Status List §5.2, ISO 18013-5 §12.3.6)? Only after type,
// signer, signature, subject and time hold; before that it says nothing, which is "unknown".

import { decodeUtf8 } from '../bytes.ts'
import {
  byteKey,
  type CborMap,
  cborBudget,
  decodeCbor,
  isCborBytes,
  isCborMap,
  isCborTag,
  MalformedCbor,
} from '../mdoc/cbor.ts'
import {
  COSE_SIGN1_TAG,
  type CoseMessage,
  certificateChain,
  hasCertificates,
  isSignedWith,
  readCose,
} from '../mdoc/cose.ts'
import type { ListQuestion } from './jwt.ts'
import { isStatusBits, type ListStanding, standingAt, unestablished } from './list.ts'
import type { KnownList } from './memory.ts'
import { type Circumstances, cwtListSigner, type ListSigner } from './signer.ts'
import { timeFault } from './time.ts'

const HEADER_TYPE = 16
const CLAIM = { sub: 2, exp: 4, iat: 6, identifierList: 65530, statusList: 65533, ttl: 65534 } as const
/** An identifier takes three items; a list of a hundred thousand is read once its signature holds. */
const ITEMS_MAX = 500_000

export type IdentifierQuestion = Omit<ListQuestion, 'index'> & { readonly id: Uint8Array }

export async function standingInCwt(
  bytes: Uint8Array,
  question: ListQuestion,
  circumstances: Circumstances,
): Promise<ListStanding> {
  const read = readClaims(bytes, { ...question, media: 'statuslist+cwt' }, circumstances)
  if (typeof read === 'string') return unestablished(read)
  const { claims, signer, known } = read
  const list = claims.get(CLAIM.statusList)
  const bits = isCborMap(list) ? list.get('bits') : undefined
  const compressed = isCborMap(list) ? list.get('lst') : undefined
  if (!isStatusBits(bits) || !isCborBytes(compressed)) return unestablished('the status list is malformed')
  const standing = await standingAt({ bits, compressed: () => compressed }, question.index, known)
  circumstances.trust.cache.lists.keep(bytes, known)
  return { ...standing, restsOn: signer.revocation }
}

export function standingInIdentifiers(
  bytes: Uint8Array,
  question: IdentifierQuestion,
  circumstances: Circumstances,
): ListStanding {
  const read = readClaims(bytes, { ...question, media: 'identifierlist+cwt' }, circumstances)
  if (typeof read === 'string') return unestablished(read)
  const { claims, signer, known } = read
  const list = claims.get(CLAIM.identifierList)
  const identifiers = isCborMap(list) ? list.get('identifiers') : undefined
  if (!isCborMap(identifiers)) return unestablished('the identifier list is malformed')
  circumstances.trust.cache.lists.keep(bytes, known)
  // Some issuers write identifiers as text.
  const text = decodeUtf8(question.id)
  const listed = identifiers.has(byteKey(question.id)) || (text !== null && identifiers.has(text))
  const restsOn = signer.revocation
  if (listed) return { outcome: 'revoked', detail: 'the issuer has revoked the credential', restsOn }
  return { outcome: 'valid', detail: 'the issuer does not list the credential as revoked', restsOn }
}

interface Demand {
  readonly uri: string
  readonly certificate: Uint8Array | null
  readonly media: string
}

interface ReadList {
  readonly claims: CborMap
  readonly signer: ListSigner
  readonly known: KnownList
}

/** The claims of a list we may rely on and who signed it, or why there is none. */
function readClaims(bytes: Uint8Array, demand: Demand, circumstances: Circumstances): ReadList | string {
  try {
    const known = circumstances.trust.cache.lists.of(bytes)
    const message = known.cose ?? readToken(bytes)
    known.cose = message
    const type = message.protectedHeader.get(HEADER_TYPE)
    if (type !== `application/${demand.media}` && type !== demand.media)
      return 'the status list token is of another type'
    const signer = signerOf(message, known, { demand, circumstances })
    if (signer === null) return 'nobody we trust signed the status list token'
    const claims = known.claims ?? decodeCbor(message.payload ?? new Uint8Array(), cborBudget(ITEMS_MAX), true)
    if (isCborMap(claims)) known.claims = claims
    if (!isCborMap(claims)) return 'the status list token cannot be read'
    return claimsFault(claims, demand, circumstances) ?? { claims, signer, known }
  } catch (error) {
    if (error instanceof MalformedCbor) return 'the status list token cannot be read'
    throw error
  }
}

/** Token Status List §5.2: COSE_Sign1 under its tag; neither bare, nor a MAC, nor under the CWT tag. */
function readToken(bytes: Uint8Array): CoseMessage {
  const budget = cborBudget()
  const token = decodeCbor(bytes, budget)
  if (!isCborTag(token) || token.tag !== COSE_SIGN1_TAG) throw new MalformedCbor('not a tagged COSE_Sign1')
  return readCose(token, COSE_SIGN1_TAG, budget)
}

/** Whoever signed it and may; null where there is nobody. */
function signerOf(
  message: CoseMessage,
  known: KnownList,
  { demand, circumstances }: { demand: Demand; circumstances: Circumstances },
): ListSigner | null {
  const chain = certificateChain(message)
  if (chain === null && hasCertificates(message)) return null
  const signer = cwtListSigner(chain, demand.certificate, circumstances)
  if (signer === null || message.payload === null) return null
  if (known.signedWith.has(signer.key.key)) return signer
  if (!isSignedWith(message, signer.key, message.payload)) return null
  known.signedWith.add(signer.key.key)
  return signer
}

function claimsFault(claims: CborMap, demand: Demand, circumstances: Circumstances): string | null {
  if (claims.get(CLAIM.sub) !== demand.uri) return 'the status list token is of another list'
  const exp = claims.get(CLAIM.exp)
  // ISO 18013-5 §12.3.6: a list in CWT form ends.
  if (exp === undefined) return 'the status list token never expires'
  return timeFault({ iat: claims.get(CLAIM.iat), exp, ttl: claims.get(CLAIM.ttl) }, circumstances)
}
