// The export of an audit chain as JSON lines: a header with its owner, every entry, and its checkpoints.

import type { Realm } from '../../../core/tenants/domain/realm.ts'

const FORMAT = 'vidimus-audit-export-v1'

/** An entry as stored and exported. `salt` and `details` are null once erased. */
export interface RecordedEntry {
  readonly seq: number
  /** The text that was hashed. */
  readonly entry: string
  /** Hex. */
  readonly hash: string
  readonly salt: string | null
  readonly details: unknown
}

/** The proof that the public log has a head of this chain, and what opens the head's leaf. */
export interface LoggedHead {
  readonly seq: number
  readonly opening: HeadOpening
  /** C2SP tlog-proof. */
  readonly proof: string
}

/** In hex: the salt of this leaf; for a leaf of a release before salts, the value that identifies the tenant in all its leaves. */
export type HeadOpening = { readonly salt: string } | { readonly tag: string }

export type ExportLine =
  | {
      readonly kind: 'header'
      readonly tenantId: string
      readonly environment: string
      /** null if the log had no head of the chain yet, or if the export is older than the log. */
      readonly logged: LoggedHead | null
    }
  | { readonly kind: 'entry'; readonly entry: RecordedEntry }
  | { readonly kind: 'checkpoint'; readonly note: string }
  | { readonly kind: 'unreadable' }

/** The proof is a member of the header, because readers of 0.1.0 ignore unknown members there. */
export const headerLine = ({ tenantId: tenant, environment }: Realm, logged: LoggedHead | null) =>
  JSON.stringify({ format: FORMAT, tenant, environment, ...(logged === null ? {} : { log: renderLogged(logged) }) })

const renderLogged = ({ seq, opening, proof }: LoggedHead) => ({ seq, ...opening, proof })

export const entryLine = ({ seq, entry, hash, salt, details }: RecordedEntry) =>
  JSON.stringify({ seq, entry, hash, ...(salt === null ? {} : { salt, details }) })

export const checkpointLine = (note: string) => JSON.stringify({ checkpoint: note })

/** The members of headers, of their proofs, of entry and checkpoint lines. Refuses others, because a reader could trust content that no verifier checks. */
const HEADER_MEMBERS = ['format', 'tenant', 'environment', 'log']
const PROOF_MEMBERS = ['seq', 'salt', 'tag', 'proof']
const MEMBERS = [['seq', 'entry', 'hash', 'salt', 'details'], ['checkpoint']]

const hasOnly = (json: object, members: readonly string[]) => Object.keys(json).every((name) => members.includes(name))

export function readLine(text: string): ExportLine {
  const json = parseObject(text)
  if (json === null) return { kind: 'unreadable' }
  if (json.format === FORMAT && typeof json.tenant === 'string' && typeof json.environment === 'string') {
    const logged = parseLogged(json.log)
    if (!hasOnly(json, HEADER_MEMBERS) || (json.log !== undefined && logged === null)) return { kind: 'unreadable' }
    return { kind: 'header', tenantId: json.tenant, environment: json.environment, logged }
  }
  if (!MEMBERS.some((known) => hasOnly(json, known))) return { kind: 'unreadable' }
  if (typeof json.checkpoint === 'string') return { kind: 'checkpoint', note: json.checkpoint }
  const { seq, entry, hash, salt = null, details } = json
  const isEntry = typeof seq === 'number' && typeof entry === 'string' && typeof hash === 'string'
  const isSalt = salt === null || (typeof salt === 'string' && SALT.test(salt))
  if (!isEntry || !isSalt) return { kind: 'unreadable' }
  return { kind: 'entry', entry: { seq, entry, hash, salt, details } }
}

/** Of 32 bytes. HMAC keys that differ in zeros at their end are the same key, so a length must be required. */
const SALT = /^[0-9a-f]{64}$/

function parseLogged(value: unknown): LoggedHead | null {
  const json = (value ?? {}) as Readonly<Record<string, unknown>>
  const { seq, salt, tag, proof } = json
  if (!hasOnly(json, PROOF_MEMBERS) || (salt !== undefined && tag !== undefined)) return null
  const opening = typeof salt === 'string' ? { salt } : typeof tag === 'string' ? { tag } : null
  return typeof seq === 'number' && opening !== null && typeof proof === 'string' ? { seq, opening, proof } : null
}

/**
 * Returns null unless the text is exactly what `JSON.stringify` writes. So it refuses repeated members and imprecise
 * numbers, which parsers read differently.
 */
export function parseObject(text: string): Record<string, unknown> | null {
  try {
    const json: unknown = JSON.parse(text)
    if (typeof json !== 'object' || json === null || Array.isArray(json) || JSON.stringify(json) !== text) return null
    return json as Record<string, unknown>
  } catch {
    return null
  }
}
