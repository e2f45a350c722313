// Builds the signed receipt of a verification: what was requested, when and with which outcome, without content.

import { createHmac } from 'node:crypto'
import type { ReceiptBinding } from '../../../../core/verifications/domain/browser-binding.ts'
import type {
  CredentialResult,
  EveryVerification,
  VerificationResult,
} from '../../../../core/verifications/domain/verification.ts'
import { type CanonicalValue, canonicalJson } from '../../../../platform/canonical-json.ts'
import type { SigningKey } from '../../../../platform/keys/signing-key.ts'
import { type Instant, millisecondsOf, type Random } from '../../../../platform/world.ts'
import type { CredentialFacts } from './credential-facts.ts'
import { buildReceiptTree, TREE_ALGORITHM } from './receipt-tree.ts'

export const RECEIPT_TYPE = 'vidimus-receipt+jwt'
/** Longer than any receipt that we issue. */
export const RECEIPT_BYTES_MAX = 32 * 1024

export interface ReceiptSigner {
  readonly kid: string
  readonly key: SigningKey
  /** All receipts of this key have the same header. */
  readonly header: string
}

export const receiptSigner = (kid: string, key: SigningKey): ReceiptSigner => ({
  kid,
  key,
  // A local key signs each receipt; a remote key signs many with one signature.
  header: encoded({ alg: key.reference === null ? 'ES256' : TREE_ALGORITHM, kid, typ: RECEIPT_TYPE }),
})

/** What was sent to the wallet. Hashes are SHA-256, base64url. */
export interface RequestFacts {
  /** From `queryDigest`, with the salt of the receipt. */
  readonly query: string
  /** The hash of the request object as first served, or of the offer to a browser; null: not recorded. */
  readonly sha256: string | null
  /** The registration certificate of the request; null: none. */
  readonly registration: { readonly sha256: string; readonly intendedUse: string } | null
}

interface ReceiptFacts {
  /** The address of the installation. */
  readonly issuer: string
  readonly verification: Pick<EveryVerification, 'id' | 'tenantId' | 'environment' | 'template' | 'purpose'>
  readonly request: RequestFacts
  readonly result: VerificationResult
  /** One per credential of the result, in the same order. */
  readonly credentials: readonly CredentialFacts[]
  /** What tied the answer to a browser, or what must tie it before the result is passed on. */
  readonly binding: ReceiptBinding
  /** The hash of the evidence bundle, base64url; null if there is none. */
  readonly bundleHash: string | null
  readonly salt: Uint8Array
  /** The audit entry that records the ending. */
  readonly entry: { readonly seq: number; readonly hash: Uint8Array; readonly at: Instant }
}

/**
 * Returns a compact JWS. A remote key signs after the commit, so that no transaction waits for the key. Until then the
 * signature is empty, and nothing shows the receipt.
 */
export function signReceipt({ header, key }: ReceiptSigner, facts: ReceiptFacts): string {
  const input = `${header}.${encoded(payloadOf(facts))}`
  const signature = key.reference === null ? key.sign(Buffer.from(input, 'ascii')) : EMPTY
  if (signature instanceof Promise) throw new Error('bug: a local key that does not sign synchronously')
  return compactOf(input, signature)
}

const EMPTY = new Uint8Array(0)
const compactOf = (input: string, signature: Uint8Array) => `${input}.${Buffer.from(signature).toString('base64url')}`

export const isUnsigned = (jws: string) => jws.endsWith('.')

/** Signs at most 256 receipts of one key with one signature. */
export async function completeReceipts<Receipt extends { readonly jws: string }>(
  unsigned: readonly Receipt[],
  { key, header }: ReceiptSigner,
  random: Random,
): Promise<Receipt[]> {
  const inputs = unsigned.map(({ jws }) => `${header}.${jws.split('.')[1] ?? ''}`)
  const tree = buildReceiptTree(inputs, random)
  const signature = await key.sign(tree.statement)
  return unsigned.map((receipt, i) => ({ ...receipt, jws: compactOf(inputs[i] ?? '', tree.proofOf(i, signature)) }))
}

export const headerOf = (jws: string): string => jws.split('.')[0] ?? ''

/** Returns the id of the key from the header of a receipt of ours. */
export function kidOf(header: string): string {
  return String(JSON.parse(Buffer.from(header, 'base64url').toString('utf8')).kid)
}

/** Whether a stored receipt names an evidence bundle. */
export function namesBundle(jws: string | null): boolean {
  if (jws === null) return false
  const [, payload = ''] = jws.split('.')
  return 'bundle_sha256' in JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'))
}

function payloadOf(facts: ReceiptFacts): object {
  const { issuer, verification, request, result, credentials, binding, bundleHash, salt, entry } = facts
  return {
    iss: issuer,
    aud: verification.tenantId,
    jti: verification.id,
    iat: Math.floor(millisecondsOf(entry.at) / 1000),
    env: verification.environment,
    asked: {
      template: verification.template ?? undefined,
      dcql_sha256: request.query,
      purpose_sha256: verification.purpose === null ? undefined : salted(salt, `purpose\0${verification.purpose}`),
      request_sha256: request.sha256 ?? undefined,
      registration_sha256: request.registration?.sha256,
      intended_use: request.registration?.intendedUse,
    },
    verdict: result.outcome === 'completed' ? 'accepted' : 'rejected',
    code: result.outcome === 'failed' ? result.error.code : undefined,
    bound_by: binding,
    credentials: (result.credentials ?? []).map((credential, i) => describe(credential, credentials[i])),
    result_sha256: resultDigest(salt, result),
    transaction: result.transaction?.map(({ type, hash }) => ({ type, hash: salted(salt, `transaction\0${hash}`) })),
    bundle_sha256: bundleHash ?? undefined,
    chain: { seq: entry.seq, hash: Buffer.from(entry.hash).toString('hex') },
  }
}

/** HMAC-SHA256 with the salt over the parts that a merchant reads: `claims`, `credentials` and `error`, as canonical JSON. */
export function resultDigest(salt: Uint8Array, result: VerificationResult): string {
  const credentials = result.credentials ?? undefined
  const content =
    result.outcome === 'completed' ? { claims: result.claims, credentials } : { credentials, error: result.error }
  return salted(salt, canonicalJson(content as unknown as CanonicalValue))
}

/** HMAC-SHA256 with the salt over the query as canonical JSON. */
export const queryDigest = (salt: Uint8Array, canonicalQuery: string) =>
  createHmac('sha256', salt).update('dcql\0').update(canonicalQuery, 'utf8').digest('base64url')

function describe(credential: CredentialResult, facts: CredentialFacts | undefined): object {
  if (facts === undefined) throw new Error('bug: a credential without its facts for the receipt')
  const { checks, ...named } = facts
  const { format, doctype_or_vct, trusted, signature_valid } = credential
  return {
    ...named,
    format,
    // Omits a type that no trusted issuer has signed, because the sender can choose it freely.
    type: trusted && signature_valid ? doctype_or_vct : undefined,
    trusted,
    checks,
  }
}

/**
 * A receipt outlives its verification, and a plain hash could be guessed. So the hash is keyed with a salt, which is
 * deleted with the result.
 */
const salted = (salt: Uint8Array, text: string) => createHmac('sha256', salt).update(text, 'utf8').digest('base64url')
const encoded = (value: object) => Buffer.from(JSON.stringify(value), 'utf8').toString('base64url')
