// Finds the holder's confirmation of transaction data in a verified key binding JWT (OpenID4VP B.3.3, EUDI TS12).

import { hash } from 'node:crypto'
import { responseModeOf } from '../channels/table.ts'
import type { SentRequest } from '../expected.ts'
import { isJsonObject, member } from '../json.ts'
import { FACTORS, type Factor, type Json, type JsonObject } from '../verdict.ts'
import { type Confirming, unconfirmed } from './confirmation.ts'
import { hashOfDecoded, itemsFor, TRANSACTION_HASH_ALGORITHM, type TransactionItem } from './item.ts'

const QES_APPROVAL_CLAIM = 'org.cloudsignatureconsortium.dm.1.qesApproval'
const CODE_LENGTH_MAX = 512
const FACTORS_MAX = 10

export function readKeyBindingConfirmations(binding: JsonObject, expected: SentRequest, queryId: string): Confirming {
  const mine = itemsFor(expected.transaction ?? [], queryId)
  const hashes = readHashes(binding, mine)
  if ('outcome' in hashes) return hashes
  const approved = readApproval(binding, mine)
  if ('outcome' in approved) return approved
  const confirmed = mine.filter(({ kind, text }) =>
    kind.keyBinding === 'hashes' ? hashes.texts.includes(text) : approved.texts.includes(text),
  )
  const isStrong = confirmed.some(({ kind }) => kind.strongAuthentication)
  const authentication = isStrong ? readAuthentication(binding, expected) : null
  if (authentication !== null && 'outcome' in authentication) return authentication
  return {
    outcome: 'read',
    confirmed: confirmed.map(confirmationBy(binding, queryId, authentication)),
    reordered: hashes.reordered,
  }
}

interface Authentication {
  readonly code: string
  readonly factors: readonly Factor[]
}

const confirmationBy =
  (binding: JsonObject, queryId: string, authentication: Authentication | null) =>
  ({ text, kind }: TransactionItem) => ({
    text,
    queryId,
    at: timeOf(member(binding, 'iat')),
    authentication: kind.strongAuthentication ? authentication : null,
  })

/** Returns null for anything but a number, which the check of the binding refuses. */
const timeOf = (value: Json | undefined) => (typeof value === 'number' ? value : null)

type Refused = Extract<Confirming, { outcome: 'fault' }>
const refuse = (why: string, detail: string) => unconfirmed(why, detail) as Refused

/** Compares as sets, because no order is prescribed. If the order differs from ours, a warning is added. */
function readHashes(
  binding: JsonObject,
  mine: readonly TransactionItem[],
): { readonly texts: readonly string[]; readonly reordered: boolean } | Refused {
  const hashes = member(binding, 'transaction_data_hashes')
  const algorithm = member(binding, 'transaction_data_hashes_alg')
  if (hashes === undefined) {
    if (algorithm === undefined) return { texts: [], reordered: false }
    return refuse('transaction_data_alg_malformed', 'an algorithm is named, but the hashes are missing')
  }
  if (mine.length === 0)
    return refuse('transaction_data_unexpected', 'hashes of transaction data that was not requested')
  const alg = algorithmFault(algorithm, mine)
  if (alg !== null) return alg
  if (!Array.isArray(hashes) || hashes.length === 0)
    return refuse('transaction_data_hash_mismatch', 'the hashes of the transaction data are not a list')
  const positions = hashes.map((one) => mine.findIndex(({ hash }) => hash === one))
  const stranger = positions.indexOf(-1)
  if (stranger >= 0) return refuse('transaction_data_hash_mismatch', strangeHash(hashes[stranger], mine))
  if (new Set(positions).size < positions.length)
    return refuse('transaction_data_hash_mismatch', 'the hash of one transaction data appears twice')
  const reordered = positions.some((position, i) => i > 0 && position < (positions[i - 1] ?? 0))
  return { texts: positions.map((position) => mine[position]?.text ?? ''), reordered }
}

function strangeHash(received: Json | undefined, mine: readonly TransactionItem[]): string {
  return mine.some(({ text }) => hashOfDecoded(text) === received)
    ? 'a hash is of the decoded transaction data, not of the text that was sent'
    : 'a hash is of no transaction data that this credential was asked to sign'
}

/** The answer must name one algorithm if we named it, and none otherwise. */
function algorithmFault(algorithm: Json | undefined, mine: readonly TransactionItem[]): Refused | null {
  const isNamed = mine.some(({ namesAlgorithm }) => namesAlgorithm)
  if (!isNamed && algorithm !== undefined)
    return refuse('transaction_data_alg_malformed', 'the answer names a hash algorithm, but the request names none')
  if (isNamed && algorithm !== TRANSACTION_HASH_ALGORITHM)
    return refuse('transaction_data_alg_malformed', 'the answer does not name the hash algorithm of the request')
  return null
}

const OID_HASHES: Readonly<Record<string, string>> = {
  '2.16.840.1.101.3.4.2.1': 'sha256',
  '2.16.840.1.101.3.4.2.2': 'sha384',
  '2.16.840.1.101.3.4.2.3': 'sha512',
}

/** The allowed values of `hashAlgorithmOID`. */
export const QES_HASH_OIDS: readonly string[] = Object.keys(OID_HASHES)

/** The approval is a single claim, so a presentation has only one: the hash of the sent text, in padded base64. */
function readApproval(
  binding: JsonObject,
  mine: readonly TransactionItem[],
): { readonly texts: readonly string[] } | Refused {
  const claim = member(binding, QES_APPROVAL_CLAIM)
  const approvals = mine.filter(({ kind }) => kind.keyBinding === 'qes_approval')
  if (claim === undefined) return { texts: [] }
  const approved = approvals.filter((item) => approvalOf(item) === claim)
  if (approvals.length === 0) return refuse('transaction_data_unexpected', 'an approval that was not requested')
  if (approved.length === 0) return refuse('transaction_data_hash_mismatch', 'the approval is of another transaction')
  return { texts: approved.map(({ text }) => text) }
}

/** Computed once for each item, however many presentations there are. */
const hashesOfApprovals = new WeakMap<TransactionItem, string>()

function approvalOf(item: TransactionItem): string {
  const name = OID_HASHES[String(item.object.hashAlgorithmOID)]
  if (name === undefined) throw new Error('bug: an approval with an unknown algorithm')
  const approval = hashesOfApprovals.get(item) ?? hash(name, item.text, 'base64')
  hashesOfApprovals.set(item, approval)
  return approval
}

/** TS12: `jti` is the authentication code. The caller checks whether it was used before. */
function readAuthentication(binding: JsonObject, expected: SentRequest): Authentication | Refused {
  const code = member(binding, 'jti')
  if (typeof code !== 'string' || code === '' || code.length > CODE_LENGTH_MAX)
    return refuse('sca_code_missing', 'the proof of the payment carries no authentication code')
  const mode = responseModeOf(expected.channel.kind, { isEncrypted: expected.encryption !== null })
  if (mode === null || member(binding, 'response_mode') !== mode)
    return refuse('sca_response_mode', 'the proof of the payment was made for another response mode')
  const factors = factorsOf(member(binding, 'amr'))
  if (factors.length < 2)
    return {
      outcome: 'fault',
      fault: { code: 'sca_factors_missing', detail: 'the holder was not authenticated by two different factors' },
    }
  return { code, factors }
}

/** Each object names a factor. Other values do not count. */
function factorsOf(amr: Json | undefined): readonly Factor[] {
  if (!Array.isArray(amr) || amr.length > FACTORS_MAX) return []
  const named = amr.map((method: Json) => {
    const names = isJsonObject(method) ? Object.keys(method) : []
    const [name] = names
    const factor = names.length === 1 ? FACTORS.find((known) => known === name) : undefined
    return factor !== undefined && isJsonObject(method) && isText(method[factor]) ? factor : null
  })
  return FACTORS.filter((factor) => named.includes(factor))
}

const isText = (value: Json | undefined) => typeof value === 'string' && value !== ''
