// What does a status list in JWT form say of one index (Token Status List §5.1)? Only after type, signer, signature,
// subject and time hold; before that it says nothing, which is "unknown".

import { algorithmNamed } from '../algorithms.ts'
import { decodeBase64url, decodeUtf8, Malformed } from '../bytes.ts'
import { type CompactJws, parseCompactJws, verifyWith } from '../jose.ts'
import { isJsonObject, member } from '../json.ts'
import type { Json } from '../verdict.ts'
import { readX5c } from '../x5c.ts'
import { isStatusBits, type ListStanding, type StatusList, standingAt, unestablished } from './list.ts'
import type { KnownList } from './memory.ts'
import { type Circumstances, jwtListSigner, type ListSigner } from './signer.ts'
import { timeFault } from './time.ts'

export interface ListQuestion {
  readonly uri: string
  readonly index: number
  /** The certificate the credential names for its list. */
  readonly certificate: Uint8Array | null
}

export async function standingInJwt(
  bytes: Uint8Array,
  question: ListQuestion,
  circumstances: Circumstances,
): Promise<ListStanding> {
  const { lists } = circumstances.trust.cache
  const known = lists.of(bytes)
  const token = known.jws === undefined ? parseToken(bytes) : known.jws
  known.jws = token
  if (token === null) return unestablished('the status list token cannot be read')
  if (member(token.header, 'typ') !== 'statuslist+jwt') return unestablished('the status list token is of another type')
  const signer = signerOf(token, known, circumstances)
  if (signer === null) return unestablished('nobody we trust signed the status list token')
  const { payload } = token
  // Token Status List §8.3: a list is about the address in its subject, wherever it was served.
  if (member(payload, 'sub') !== question.uri) return unestablished('the status list token is of another list')
  const fault = timeFault(
    { iat: member(payload, 'iat'), exp: member(payload, 'exp'), ttl: member(payload, 'ttl') },
    circumstances,
  )
  if (fault !== null) return unestablished(fault)
  const list = readList(member(payload, 'status_list'))
  if (list === null) return unestablished('the status list is malformed')
  const standing = await standingAt(list, question.index, known)
  lists.keep(bytes, known)
  return { ...standing, restsOn: signer.revocation }
}

function parseToken(bytes: Uint8Array): CompactJws | null {
  const text = decodeUtf8(bytes)
  if (text === null) return null
  try {
    return parseCompactJws(text)
  } catch (error) {
    if (error instanceof Malformed) return null
    throw error
  }
}

/** Whoever signed it and may; null where there is nobody. */
function signerOf(token: CompactJws, known: KnownList, circumstances: Circumstances): ListSigner | null {
  const carried = readX5c(token.header)
  if (carried.outcome === 'malformed') return null
  const signer = jwtListSigner(carried.outcome === 'carried' ? carried.chain : null, circumstances)
  if (signer === null || algorithmNamed(member(token.header, 'alg')) !== signer.key.algorithm) return null
  if (known.signedWith.has(signer.key.key)) return signer
  if (!verifyWith(signer.key, token)) return null
  known.signedWith.add(signer.key.key)
  return signer
}

function readList(value: Json | undefined): StatusList | null {
  if (!isJsonObject(value)) return null
  const bits = member(value, 'bits')
  const lst = member(value, 'lst')
  return isStatusBits(bits) && typeof lst === 'string' ? { bits, compressed: () => decodeBase64url(lst) } : null
}
