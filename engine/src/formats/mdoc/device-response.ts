// Finds the documents in a DeviceResponse (ISO 18013-5 §10.3). They are parsed only when they are examined.

import {
  type CborBudget,
  type CborMap,
  type CborValue,
  decodeCbor,
  isCborArray,
  isCborEmbedded,
  isCborMap,
  MalformedCbor,
} from '../../cbor/cbor.ts'
import { LIMITS } from '../../limits.ts'

/** A zero-knowledge proof and the type that it names. */
interface ProvedDocument {
  readonly docType: CborValue | undefined
  readonly document: CborMap
}

/** Documents of one response that are not verified yet. */
export class DeviceDocuments {
  readonly documents: readonly CborMap[]
  readonly proved: readonly ProvedDocument[]
  /** The whole decrypted response. */
  readonly bytes: Uint8Array
  constructor(documents: readonly CborMap[], proved: readonly ProvedDocument[], bytes: Uint8Array) {
    this.documents = documents
    this.proved = proved
    this.bytes = bytes
  }
}

/** ISO 18013-7 C.4: any number of documents; none if the device reports an error. Throws MalformedCbor. */
export function readDeviceDocuments(bytes: Uint8Array, budget: CborBudget): DeviceDocuments {
  const response = decodeCbor(bytes, budget)
  if (!isCborMap(response)) throw new MalformedCbor('the device response: not a map')
  requireVersion(response)
  const status = response.get('status')
  if (typeof status !== 'number') throw new MalformedCbor('the device response has no status')
  const documents = readDocuments(response.get('documents'))
  const proved = readProved(response.get('zkDocuments'), budget)
  const missing = readErrors(response.get('documentErrors'))
  const types = [...documents.map((document) => document.get('docType')), ...proved.map(({ docType }) => docType)]
  if (types.some((type) => missing.has(type)))
    throw new MalformedCbor('the device response has a document and an error for the same type')
  // §10.3.2: with another status than OK nothing was returned, even if the response contains documents.
  return status === 0 ? new DeviceDocuments(documents, proved, bytes) : new DeviceDocuments([], [], bytes)
}

export function requireVersion(response: CborMap): void {
  const version = response.get('version')
  if (typeof version !== 'string' || !/^1\.\d{1,3}$/.test(version)) {
    throw new MalformedCbor('the device response is not of version 1')
  }
}

function readDocuments(value: CborValue | undefined): readonly CborMap[] {
  if (value === undefined) return []
  if (!isCborArray(value) || value.length === 0 || !value.every(isCborMap))
    throw new MalformedCbor('the device response has malformed documents')
  return value
}

/** ISO 18013-5 §10.3.4: the embedded bytes name the type. */
function readProved(value: CborValue | undefined, budget: CborBudget): readonly ProvedDocument[] {
  if (value === undefined) return []
  if (!isCborArray(value) || value.length === 0 || value.length > LIMITS.presentations)
    throw new MalformedCbor('the device response has no ZkDocuments, or too many')
  return value.map((document) => {
    const data = isCborMap(document) ? document.get('documentData') : undefined
    const statement = isCborEmbedded(data) ? decodeCbor(data.embedded, budget) : undefined
    if (!isCborMap(document) || !isCborMap(statement))
      throw new MalformedCbor('the device response has malformed ZkDocuments')
    return { docType: statement.get('docType'), document }
  })
}

/** Returns the types of documents that the device did not return. */
function readErrors(value: CborValue | undefined): ReadonlySet<CborValue | undefined> {
  if (value === undefined) return new Set()
  if (!isCborArray(value) || !value.every(isCborMap))
    throw new MalformedCbor('the device response has malformed errors')
  const entries = value.flatMap((errors) => [...errors])
  if (!entries.every(([type, code]) => typeof type === 'string' && typeof code === 'number'))
    throw new MalformedCbor('the device response has malformed errors')
  return new Set(entries.map(([type]) => type))
}
