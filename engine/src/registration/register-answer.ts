// Verifies a signed answer of a national register (TS5), by the list of registers or by a pinned key.

import { algorithmNamed } from '../algorithms.ts'
import { Malformed } from '../bytes.ts'
import type { Trust } from '../expected.ts'
import type { CompactJws, ImportedKey } from '../jose.ts'
import { importKey, payloadTextOf, readPublicJwk, splitCompactJws, thumbprintOf, verifyWith } from '../jose.ts'
import { isJsonObject, member, parseJsonObject } from '../json.ts'
import { establishRevocation } from '../status/establish.ts'
import { judgeChain } from '../trust/chain.ts'
import { signerStatus } from '../trust/revocation.ts'
import type { Json, JsonObject } from '../verdict.ts'
import { readX5c } from '../x5c.ts'

/** The type of anchors for signers of registers. */
export const REGISTER_FORMAT = 'register+jwt'
/** Characters of the compact form: enough for a page of parties with all their services. */
const REGISTER_ANSWER_LENGTH_MAX = 1_000_000
/** Of the header: six certificates of 8 kB fit. It is read before the signature is verified. */
const HEADER_LENGTH_MAX = 64 * 1024
const VALUES_MAX = 100_000
const KEYS_MAX = 50

interface RegisterTerms extends Pick<Trust, 'anchors' | 'cache' | 'fetchStatus'> {
  /** Unix seconds. */
  readonly now: number
  /** Keys that the operator pinned for this register (RFC 7638, SHA-256, base64url). */
  readonly pinned: ReadonlySet<string>
  /** The register's published keys; null if they were not fetched. */
  readonly keys: JsonObject | null
}

export type RegisterReading =
  | { readonly outcome: 'authentic'; readonly by: 'list' | 'pinned_key'; readonly claims: JsonObject }
  /** `needsKeys`: no listed authority issued the signer's certificate, but a published key may be pinned. */
  | { readonly outcome: 'refused'; readonly detail: string; readonly needsKeys: boolean }

const SKEW_SECONDS = 300
/** An older answer could be a replay. */
const AGE_SECONDS_MAX = 86_400

/**
 * Never throws, because registers are not trusted to write well-formed data. A listed signer must not be revoked; if a
 * revocation list that its certificates name is unavailable, the answer is refused.
 */
export async function readRegisterAnswer(text: string, terms: RegisterTerms): Promise<RegisterReading> {
  const read = readSigned(text, terms)
  if (read.outcome === 'refused') return read
  const { listed, claims } = read
  if (listed === null) return { outcome: 'authentic', by: 'pinned_key', claims }
  const { cache, now, fetchStatus } = terms
  const expected = { now, skewSeconds: SKEW_SECONDS }
  const status = await establishRevocation(listed.references, { expected, trust: { cache, fetchStatus } })
  if (status === 'none' || status === 'valid') return { outcome: 'authentic', by: 'list', claims }
  return status === 'revoked' || status === 'suspended'
    ? refused('the signer of the register has been revoked or is on hold')
    : refused('could not establish whether the signer of the register has been revoked')
}

interface Signed {
  readonly outcome: 'signed'
  /** null: a pinned key signed. */
  readonly listed: ListedSigner | null
  readonly claims: JsonObject
}

function readSigned(text: string, terms: RegisterTerms): Signed | Extract<RegisterReading, { outcome: 'refused' }> {
  if (text.length > REGISTER_ANSWER_LENGTH_MAX) return refused('the answer is too long')
  if (text.indexOf('.') > HEADER_LENGTH_MAX) return refused('the header of the answer is too long')
  try {
    const token = splitCompactJws(text)
    if (!isAnswerType(member(token.header, 'typ'))) return refused('the signed data is not an answer of a register')
    const listed = listedSigner(token, terms)
    const signer = listed?.key ?? pinnedKey(token, terms)
    if (signer === null)
      return { outcome: 'refused', detail: 'the signer of the register is not known', needsKeys: terms.keys === null }
    if (algorithmNamed(member(token.header, 'alg')) !== signer.algorithm || !verifyWith(signer, token))
      return refused('the signature of the register is not valid')
    const budget = { valuesLeft: VALUES_MAX, escapesLeft: VALUES_MAX }
    const claims = parseJsonObject(payloadTextOf(token.payloadBytes), budget)
    const issuedAt = member(claims, 'iat')
    if (typeof issuedAt !== 'number') return refused('the answer does not say when it was given')
    if (issuedAt > terms.now + SKEW_SECONDS) return refused('the answer is given in the future')
    if (issuedAt < terms.now - AGE_SECONDS_MAX) return refused('the answer was given long ago')
    return { outcome: 'signed', listed, claims }
  } catch (error) {
    if (error instanceof Malformed) return refused('the answer cannot be read')
    throw error
  }
}

/** TS5 defines no `typ`. A `typ` other than that of a JWT means that the data was signed for another purpose. */
function isAnswerType(typ: Json | undefined): boolean {
  if (typ === undefined) return true
  return typeof typ === 'string' && ['jwt', 'jose'].includes(typ.toLowerCase().replace(/^application\//, ''))
}

interface ListedSigner {
  readonly key: ImportedKey
  readonly references: ReturnType<typeof signerStatus>
}

function listedSigner(
  { header }: Pick<CompactJws, 'header'>,
  { anchors, cache, now }: RegisterTerms,
): ListedSigner | null {
  const carried = readX5c(header)
  if (carried.outcome !== 'carried') return null
  const question = { chain: carried.chain, format: REGISTER_FORMAT, type: '*', at: now, use: 'registration' } as const
  const answer = judgeChain(question, { anchors, cache, haip: false })
  const key = answer.outcome === 'trusted' ? answer.signer.signatureKey : null
  if (answer.outcome !== 'trusted' || key === null) return null
  return { key, references: signerStatus(answer, REGISTER_FORMAT) }
}

function pinnedKey({ header }: Pick<CompactJws, 'header'>, { keys, pinned }: RegisterTerms): ImportedKey | null {
  const kid = member(header, 'kid')
  const fitting = publishedKeys(keys).filter((jwk) => kid === undefined || member(jwk, 'kid') === kid)
  for (const jwk of fitting) {
    const print = thumbprintOf(jwk)
    if (print === null || !pinned.has(Buffer.from(print).toString('base64url'))) continue
    const stated = readPublicJwk(jwk)
    const key = stated === null ? null : importKey(stated)
    if (key !== null) return key
  }
  return null
}

/** Reads the keys. Their address proves nothing, because the answer itself names it. */
function publishedKeys(keys: JsonObject | null): readonly JsonObject[] {
  const list = keys === null ? undefined : member(keys, 'keys')
  return Array.isArray(list) ? list.slice(0, KEYS_MAX).filter(isJsonObject) : []
}

/** Returns the thumbprints of a register's published keys, so that an operator can pin them. */
export function thumbprintsOf(keys: JsonObject): readonly string[] {
  return publishedKeys(keys).flatMap((jwk) => {
    const print = readPublicJwk(jwk) === null ? null : thumbprintOf(jwk)
    return print === null ? [] : [Buffer.from(print).toString('base64url')]
  })
}

const refused = (detail: string) => ({ outcome: 'refused', detail, needsKeys: false }) as const
