// Reads where the status of an mdoc is published (ISO 18013-5 §12.3.6).

import { type CborMap, type CborValue, isCborBytes, isCborMap, MalformedCbor } from '../../cbor/cbor.ts'
import type { StatusReference } from '../../examination.ts'
import type { StatusSource } from '../../expected.ts'
import { LIMITS } from '../../limits.ts'
import { MDOC } from './name.ts'

/** Throws MalformedCbor: if an unreadable status counted as absent, a revoked credential would pass. */
export function readStatus(status: CborValue | undefined): readonly StatusReference[] {
  if (status === undefined) return []
  const list = isCborMap(status) ? status.get('status_list') : undefined
  const identifiers = isCborMap(status) ? status.get('identifier_list') : undefined
  if (list === undefined && identifiers === undefined) fail('names its status by a mechanism that is not supported')
  // If the issuer names two statuses, both must be valid.
  return [
    ...(list === undefined ? [] : [readList(list)]),
    ...(identifiers === undefined ? [] : [readIdentifier(identifiers)]),
  ]
}

function readList(value: CborValue): StatusReference {
  const map = requireMap(value)
  const index = map.get('idx')
  if (typeof index !== 'number' || index < 0) fail('has a malformed status index')
  return { kind: 'list', source: sourceOf(map, 'status_list_cwt'), index, certificate: certificateOf(map) }
}

/** `id` is a byte string; the EU age verification profile uses a text. */
function readIdentifier(value: CborValue): StatusReference {
  const map = requireMap(value)
  const id = map.get('id')
  const bytes = typeof id === 'string' ? Buffer.from(id, 'utf8') : id
  if (!isCborBytes(bytes) || bytes.length === 0 || bytes.length > LIMITS.statusIdBytes)
    fail('has a malformed status identifier')
  const source = sourceOf(map, 'identifier_list_cwt')
  return { kind: 'identifier', source, id: bytes, certificate: certificateOf(map) }
}

function sourceOf(map: CborMap, kind: StatusSource['kind']): StatusSource {
  const uri = map.get('uri')
  if (typeof uri !== 'string' || uri === '' || uri.length > LIMITS.statusUriLength)
    fail('has a malformed status address')
  return { uri, kind, format: MDOC }
}

function certificateOf(map: CborMap): Uint8Array | null {
  const certificate = map.get('certificate')
  if (certificate === undefined) return null
  if (!isCborBytes(certificate)) fail('has a malformed status certificate')
  return certificate
}

function requireMap(value: CborValue): CborMap {
  if (!isCborMap(value)) fail('has a malformed status reference')
  return value
}

function fail(what: string): never {
  throw new MalformedCbor(`the mobile security object ${what}`)
}
