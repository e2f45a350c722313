// Checks a receipt: its signature, and that the public log has it. Anything missing means "not verified".

import type { Bytes } from '../../../sdk/typescript/src/bytes.ts'
import { LogProofError, type ProvenLeaf, verifyReceiptProof } from '../../../sdk/typescript/src/log-proof.ts'
import {
  type Receipt,
  ReceiptVerificationError,
  readCertificate,
  TREE_ALGORITHM,
  verifyReceipt,
} from '../../../sdk/typescript/src/receipt.ts'
import type { ReceiptProblem } from '../../../wire/values/log.ts'
import { proofFromTiles } from './tiles.ts'

const FILE_BYTES_MAX = 1024 * 1024
const RECEIPT_BYTES_MAX = 32 * 1024

/** null: the part is absent. */
export interface ReceiptInput {
  readonly receipt: string | null
  readonly proof: string | null
  /** The place in the log, from the address, for a receipt without a proof. */
  readonly index: number | null
  /** The salt of its leaf in base64, for a receipt without a proof. */
  readonly salt: string | null
}

/** Public keys, loaded with the page. */
export interface Keys {
  readonly receipts: { readonly keys: readonly object[] }
  readonly log: string
}

/** The public files of the log. */
export interface LogFiles {
  checkpoint(): Promise<string>
  tile(path: string): Promise<Bytes>
}

export type Checked =
  | { readonly outcome: 'verified'; readonly receipt: Receipt; readonly leaf: ProvenLeaf }
  | { readonly outcome: 'not_verified'; readonly code: ReceiptProblem }

const notVerified = (code: ReceiptProblem): Checked => ({ outcome: 'not_verified', code })

export async function checkReceipt(input: ReceiptInput, keys: Keys | null, log: LogFiles): Promise<Checked> {
  if (input.receipt === null) return notVerified('malformed')
  if (keys === null) return notVerified('no_keys')
  try {
    const receipt = await verifyReceipt(input.receipt, keys.receipts)
    if (!isWhole(receipt)) return notVerified('malformed')
    const proof = input.proof ?? (await fetchProof(input, log))
    if (typeof proof !== 'string') return notVerified(proof.code)
    return { outcome: 'verified', receipt, leaf: await verifyReceiptProof(proof, input.receipt, { log: keys.log }) }
  } catch (error) {
    return notVerified(codeOf(error))
  }
}

async function fetchProof(
  { index, salt }: ReceiptInput,
  log: LogFiles,
): Promise<string | { readonly code: ReceiptProblem }> {
  if (index === null) return { code: 'no_proof' }
  try {
    return (await proofFromTiles({ index, salt }, await log.checkpoint(), log.tile)) ?? { code: 'not_in_log' }
  } catch {
    return { code: 'no_log' }
  }
}

/** The service signs only complete receipts, so an incomplete one is not verified. */
const isWhole = ({ iss, jti, iat, env, verdict, code }: Receipt) =>
  [iss, jti].every((text) => typeof text === 'string' && text !== '') &&
  Number.isSafeInteger(iat) &&
  ['test', 'live'].includes(env) &&
  ['accepted', 'rejected'].includes(verdict) &&
  ['undefined', 'string'].includes(typeof code)

function codeOf(error: unknown): ReceiptProblem {
  if (error instanceof ReceiptVerificationError)
    return error.code === 'unknown_key' || error.code === 'bad_signature' ? error.code : 'malformed'
  if (error instanceof LogProofError) return error.code === 'bad_key' ? 'no_keys' : 'not_in_log'
  return error instanceof DOMException && error.name === 'NotSupportedError' ? 'unsupported' : 'malformed'
}

const NOTHING: ReceiptInput = { receipt: null, proof: null, index: null, salt: null }

/** A certificate, or a receipt and its proof in any order. */
export async function readFiles(files: readonly Blob[]): Promise<ReceiptInput | { readonly code: ReceiptProblem }> {
  let input = NOTHING
  for (const file of files) {
    if (file.size > FILE_BYTES_MAX) return { code: 'too_large' }
    const bytes = new Uint8Array(await file.arrayBuffer())
    const text = new TextDecoder().decode(bytes)
    const certificate = readCertificate(bytes)
    const found =
      certificate ??
      (text.startsWith('c2sp.org/tlog-proof@v1\n')
        ? { proof: text }
        : /^[\w-]+\.[\w-]+\.[\w-]+\s*$/.test(text)
          ? { receipt: text.trim() }
          : null)
    if (found === null) return { code: 'malformed' }
    input = { ...input, ...found }
  }
  return input
}

/** By the first number of the fragment: how the receipt was signed, and the length of its signature. */
const FORMS: Readonly<Record<string, { readonly alg: string; readonly length: number }>> = {
  1: { alg: 'ES256', length: 86 },
  2: { alg: TREE_ALGORITHM, length: 428 },
}

/**
 * `#1.<index>.<kid>.<deflated payload>.<signature>[.<salt>]`, as in the QR code of a certificate. null: another
 * fragment.
 */
export async function readFragment(fragment: string): Promise<ReceiptInput | null> {
  const match = /^#(\d)\.(0|[1-9]\d{0,15})\.([\w-]{43})\.([\w-]{1,8000})\.([\w-]{1,1000})(?:\.([\w-]{43}))?$/.exec(
    fragment,
  )
  const [, number = '', index = '', kid = '', packed = '', signature = '', saltText] = match ?? []
  const form = FORMS[number]
  if (form === undefined || signature.length !== form.length) return null
  const payload = await inflate(packed)
  if (payload === null) return { ...NOTHING, index: Number(index) }
  const header = JSON.stringify({ alg: form.alg, kid, typ: 'vidimus-receipt+jwt' })
  const receipt = `${base64url(new TextEncoder().encode(header))}.${base64url(payload)}.${signature}`
  const salt = saltText === undefined ? null : `${saltText.replaceAll('-', '+').replaceAll('_', '/')}=`
  return { receipt, proof: null, index: Number(index), salt }
}

/** Returns null if the service did not write the fragment, or it is longer than a receipt can be. */
async function inflate(packed: string): Promise<Bytes | null> {
  try {
    const binary = atob(packed.replaceAll('-', '+').replaceAll('_', '/'))
    const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0))
    const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw')).getReader()
    const parts: number[] = []
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return Uint8Array.from(parts)
      if (parts.length + value.length > RECEIPT_BYTES_MAX) {
        await reader.cancel()
        return null
      }
      for (const byte of value) parts.push(byte)
    }
  } catch {
    return null
  }
}

function base64url(bytes: Uint8Array): string {
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}
