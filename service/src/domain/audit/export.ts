// An audit chain as a file: JSON lines. First whose chain it is, then every entry with its exact bytes and, where they were
// not erased, the details it commits to; last its checkpoints.

import type { Realm } from '../tenant/realm.ts'

const FORMAT = 'vidimus-audit-export-v1'

/** An entry as it is stored and exported. `salt` and `details` are gone once erased. */
export interface RecordedEntry {
  readonly seq: number
  /** The text that was hashed. */
  readonly entry: string
  /** Hex. */
  readonly hash: string
  readonly salt: string | null
  readonly details: unknown
}

export type ExportLine =
  | { readonly kind: 'header'; readonly tenantId: string; readonly environment: string }
  | { readonly kind: 'entry'; readonly entry: RecordedEntry }
  | { readonly kind: 'checkpoint'; readonly note: string }
  | { readonly kind: 'unreadable' }

export const headerLine = (realm: Realm) =>
  JSON.stringify({ format: FORMAT, tenant: realm.tenantId, environment: realm.environment })

export const entryLine = ({ seq, entry, hash, salt, details }: RecordedEntry) =>
  JSON.stringify({ seq, entry, hash, ...(salt === null ? {} : { salt, details }) })

export const checkpointLine = (note: string) => JSON.stringify({ checkpoint: note })

export function readLine(text: string): ExportLine {
  const json = parsed(text)
  if (json === null) return { kind: 'unreadable' }
  if (json.format === FORMAT && typeof json.tenant === 'string' && typeof json.environment === 'string') {
    return { kind: 'header', tenantId: json.tenant, environment: json.environment }
  }
  if (typeof json.checkpoint === 'string') return { kind: 'checkpoint', note: json.checkpoint }
  const { seq, entry, hash, salt = null, details } = json
  const isEntry = typeof seq === 'number' && typeof entry === 'string' && typeof hash === 'string'
  if (!isEntry || (salt !== null && typeof salt !== 'string')) return { kind: 'unreadable' }
  return { kind: 'entry', entry: { seq, entry, hash, salt, details } }
}

function parsed(text: string): Record<string, unknown> | null {
  try {
    const json: unknown = JSON.parse(text)
    return typeof json === 'object' && json !== null && !Array.isArray(json) ? (json as Record<string, unknown>) : null
  } catch {
    return null
  }
}
