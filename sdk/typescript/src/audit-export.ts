// Verifies offline that an export of an audit chain is complete and that the public log has its head, with public keys only.

import { createLosses, type Losses } from './audit-losses.ts'
import { fromHex, joined, sha256, toHex, utf8 } from './bytes.ts'
import { canonical, type Json } from './canonical-json.ts'
import { type LogKeys, opaqueLeaf, type ProvenLeaf, verifyLeafProof } from './log-proof.ts'

export type AuditExportErrorCode = 'malformed' | 'broken' | 'not_logged'

/** `seq`: the number of the wrong entry. */
export class AuditExportError extends Error {
  override readonly name = 'AuditExportError'
  readonly code: AuditExportErrorCode
  readonly seq: number | null

  constructor(code: AuditExportErrorCode, message: string, seq: number | null = null) {
    super(message)
    this.code = code
    this.seq = seq
  }
}

export interface WholeExport {
  readonly tenant: string
  readonly environment: 'test' | 'live'
  readonly entries: number
  /** Entries whose details were erased, each accounted for by a later one. */
  readonly detailsErased: number
  /** How many of these are accounted for only by later entries that are not in the log yet. Anyone can append such entries. */
  readonly erasuresNotLogged: number
  /** Checkpoints of the service in the file. They are signed with another key, so this does not verify them: anyone can write some. */
  readonly checkpointsNotChecked: number
  /** The last entry of the chain that the log has. */
  readonly logged: ProvenLeaf & { readonly seq: number }
}

interface Header {
  readonly tenant: string
  readonly environment: 'test' | 'live'
  /** `salt`: of a blinded leaf, for this leaf only. `tag`: of a leaf from before blinding. */
  readonly log: ({ readonly seq: number; readonly proof: string } & ({ salt: string } | { tag: string })) | null
}

interface Entry {
  readonly seq: number
  readonly entry: string
  readonly hash: string
  readonly salt?: string
  readonly details?: Json
}

interface EntryContent {
  readonly v: number
  readonly tenant: string
  readonly environment: string
  readonly seq: number
  readonly at: string
  readonly action: string
  readonly object: { readonly type: string; readonly id: string }
  readonly details: string | null
  readonly prev: string
}

/** After this, earlier details of the same verification may be gone. */
const ERASED = 'verification.erased'

/** After this, the details of the entries that it names may be gone, if they are about webhook destinations. */
const DESTINATION_FORGOTTEN = 'destination.forgotten'

/** After this, the details of the entries that it names may be gone, if they have the address of a team member. */
const ADDRESSES_FORGOTTEN = 'user.forgotten'
const WITH_ADDRESS = ['user.invited', 'user.invitation_withdrawn', 'user.joined', 'user.removed']

/** After this, all earlier details may be gone: the tenant has moved to another installation with them. */
const MOVED_AWAY = 'tenant.moved_away'

/** After this, the details of the entries that it names may be gone. */
const LAPSE = 'verifications.lapsed'

/** Rejects with an `AuditExportError`, or with a `LogProofError` if the log's proof is invalid. */
export async function verifyAuditExport(text: string, keys: LogKeys): Promise<WholeExport> {
  const [first = '', ...lines] = text.split(/\r?\n/).filter((line) => line !== '')
  const header = readHeader(first)
  if (header === null) throw new AuditExportError('malformed', 'This is not an export of an audit chain.')
  const { tenant, environment, log } = header
  let hash = await labelled('vidimus-audit-genesis-v1\0', `${tenant}\0${environment}`)
  let [seq, at, detailsErased] = [0, '', 0]
  let [erasuresNotLogged, checkpointsNotChecked] = [0, 0]
  let loggedHead: { readonly hash: string; readonly at: string } | null = null
  let losses = createLosses()
  for (const line of lines) {
    const recorded = readEntry(line)
    if (recorded === null) {
      checkpointsNotChecked += 1
      continue
    }
    const content = await judge(recorded, { header, seq: seq + 1, prev: hash, after: at })
    seq += 1
    hash = recorded.hash
    at = content.at
    if (content.action === MOVED_AWAY) losses = createLosses()
    const isLost = content.details !== null && recorded.salt === undefined
    if (!isLost && !explain(losses, content, recorded))
      throw new AuditExportError('broken', `Entry ${seq} does not say which details were deleted.`, seq)
    if (isLost) {
      detailsErased += 1
      losses.add({ seq, at, action: content.action, object: content.object })
      if (loggedHead !== null) erasuresNotLogged += 1
    }
    if (seq === log?.seq) {
      loggedHead = { hash, at }
      erasuresNotLogged = losses.count()
    }
  }
  const gone = losses.first()
  if (log === null) throw new AuditExportError('not_logged', 'The export has no proof that the public log knows it.')
  if (loggedHead === null) throw new AuditExportError('broken', 'The log has more of this chain.', seq)
  if (gone !== null) throw new AuditExportError('broken', 'Details are gone, and no erasure accounts for it.', gone)
  const leaf = 'salt' in log ? await blindedLeafOf(log, loggedHead) : leafOf(header, log, loggedHead)
  if (leaf === null) throw new AuditExportError('malformed', 'The proof in the export cannot be read.')
  return {
    tenant,
    environment,
    entries: seq,
    detailsErased,
    erasuresNotLogged,
    checkpointsNotChecked,
    logged: { ...(await verifyLeafProof(log.proof, leaf, keys)), seq: log.seq },
  }
}

/** Removes the losses that this entry accounts for. False if it must name them and does not. */
function explain(losses: Losses, content: EntryContent, { salt, details }: Entry): boolean {
  if (content.action === LAPSE) return losses.lapse(content, salt === undefined ? null : details)
  // Earlier releases named no entries.
  if (content.action === DESTINATION_FORGOTTEN && salt !== undefined)
    return losses.forget(content.seq, details, ({ object }) => object.type === content.object.type)
  if (content.action === ADDRESSES_FORGOTTEN)
    return losses.forget(content.seq, salt === undefined ? null : details, ({ action }) =>
      WITH_ADDRESS.includes(action),
    )
  if (content.action === ERASED || content.action === DESTINATION_FORGOTTEN) losses.erase(content.object)
  return true
}

const ENTRY_MEMBERS = ['seq', 'entry', 'hash', 'salt', 'details']
const HEADER_MEMBERS = ['format', 'tenant', 'environment', 'log']
const PROOF_MEMBERS = ['seq', 'salt', 'tag', 'proof']

const hasOnly = (json: object, members: readonly string[]) => Object.keys(json).every((name) => members.includes(name))

/**
 * Other lines are checkpoints of the service, which need another key. Any other line breaks the chain, also one with
 * an unknown member, which people may read and no verifier checks.
 */
function readEntry(line: string): Entry | null {
  const json = parsed(line) ?? {}
  const names = Object.keys(json)
  if (typeof json.checkpoint === 'string' && names.length === 1) return null
  return (hasOnly(json, ENTRY_MEMBERS) ? json : {}) as unknown as Entry
}

interface Expected {
  readonly header: Header
  readonly seq: number
  readonly prev: string
  readonly after: string
}

async function judge(recorded: Entry, { header, seq, prev, after }: Expected): Promise<EntryContent> {
  const broken = (what: string) => new AuditExportError('broken', `Entry ${seq} ${what}.`, seq)
  const content = typeof recorded.entry === 'string' ? (parsed(recorded.entry) as unknown as EntryContent | null) : null
  if (content === null || content.v !== 1 || canonical(content as unknown as Json) !== recorded.entry) {
    throw broken('is not readable')
  }
  if (content.tenant !== header.tenant || content.environment !== header.environment)
    throw broken('belongs to another chain')
  if (recorded.seq !== seq || content.seq !== seq) throw broken('is missing')
  if (content.prev !== prev) throw broken('does not follow the entry before it')
  if (typeof content.at !== 'string' || content.at <= after) throw broken('is not later than the entry before it')
  const hash = await labelled('vidimus-audit-entry-v1\0', recorded.entry)
  if (hash !== recorded.hash) throw broken('does not have the hash that was recorded')
  if (recorded.salt === undefined) {
    if ((recorded.details ?? null) !== null) throw broken('has details without their salt')
  } else if (content.details === null || (await commitment(recorded)) !== content.details) {
    throw broken('has other details than it commits to')
  }
  if (typeof content.object?.id !== 'string' || typeof content.object.type !== 'string') throw broken('is not readable')
  return content
}

async function commitment({ salt = '', details = null }: Entry): Promise<string | null> {
  const bytes = typeof salt === 'string' ? fromHex(salt) : null
  // HMAC pads its key with zeros, so another length could be the same key.
  if (bytes?.length !== 32) return null
  const key = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  const text = utf8(`vidimus-audit-details-v1\0${canonical(details)}`)
  return toHex(new Uint8Array(await crypto.subtle.sign('HMAC', key, text)))
}

/** HMAC-SHA-256, under the salt, of a label, the number and the hash; null if a part is missing. */
async function blindedLeafOf(log: { readonly seq: number; readonly salt: string }, head: { readonly hash: string }) {
  const [salt, hash] = [fromHex(log.salt), fromHex(head.hash)]
  if (salt?.length !== 32 || hash?.length !== 32) return null
  const key = await crypto.subtle.importKey('raw', salt, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  const content = joined([utf8('vidimus-head-v2\0'), eightBytes(BigInt(log.seq)), hash])
  return opaqueLeaf(new Uint8Array(await crypto.subtle.sign('HMAC', key, content)))
}

/** label, tag, environment, number, hash, time in microseconds; null if a part is missing. */
function leafOf(
  { environment }: Header,
  log: { readonly seq: number; readonly tag: string },
  head: { readonly hash: string; readonly at: string },
) {
  const [tag, hash] = [fromHex(log.tag), fromHex(head.hash)]
  const micros = microsecondsOf(head.at)
  if (tag?.length !== 32 || hash?.length !== 32 || micros === null) return null
  const label = utf8('vidimus-head-v1\0')
  const environmentByte = Uint8Array.of(environment === 'live' ? 1 : 0)
  return joined([label, tag, environmentByte, eightBytes(BigInt(log.seq)), hash, eightBytes(micros)])
}

function microsecondsOf(at: string): bigint | null {
  const [, whole = '', fraction = ''] = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?Z$/.exec(at) ?? []
  const seconds = Date.parse(`${whole}Z`) / 1000
  return Number.isSafeInteger(seconds) ? BigInt(seconds) * 1_000_000n + BigInt(fraction.padEnd(6, '0')) : null
}

function eightBytes(value: bigint): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(8)
  new DataView(bytes.buffer).setBigUint64(0, value)
  return bytes
}

const labelled = async (label: string, text: string) => toHex(await sha256(utf8(`${label}${text}`)))

function readHeader(line: string): Header | null {
  const json = parsed(line)
  const { format, tenant, environment, log } = json ?? {}
  if (format !== 'vidimus-audit-export-v1' || typeof tenant !== 'string') return null
  if (environment !== 'test' && environment !== 'live') return null
  const proven = (log ?? {}) as Record<string, unknown>
  const { seq, salt, tag, proof } = proven
  // As in entries: people may read what no verifier checks.
  const isOpenedTwice = salt !== undefined && tag !== undefined
  if (!hasOnly(json ?? {}, HEADER_MEMBERS) || !hasOnly(proven, PROOF_MEMBERS) || isOpenedTwice) return null
  const opening = typeof salt === 'string' ? { salt } : typeof tag === 'string' ? { tag } : null
  const isLogged = Number.isSafeInteger(seq) && Number(seq) > 0 && opening !== null && typeof proof === 'string'
  return { tenant, environment, log: isLogged ? { seq: Number(seq), ...opening, proof } : null }
}

/** null also if other programs may read other values: repeated members, and numbers that do not fit. */
function parsed(text: string): Record<string, unknown> | null {
  try {
    const json: unknown = JSON.parse(text)
    if (typeof json !== 'object' || json === null || Array.isArray(json) || JSON.stringify(json) !== text) return null
    return json as Record<string, unknown>
  } catch {
    return null
  }
}
