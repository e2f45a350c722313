// Which documents are in this DeviceResponse (ISO 18013-5 §10.3)? Its frame alone; what a document says is read where it
// is examined.

import {
  type CborBudget,
  type CborMap,
  type CborValue,
  decodeCbor,
  isCborArray,
  isCborMap,
  MalformedCbor,
} from './cbor.ts'

/** Documents that were read out of one response, still to be believed. */
export class DeviceDocuments {
  readonly documents: readonly CborMap[]
  /** The whole response, as it was opened. */
  readonly bytes: Uint8Array
  constructor(documents: readonly CborMap[], bytes: Uint8Array) {
    this.documents = documents
    this.bytes = bytes
  }
}

/** ISO 18013-7 C.4: any number of documents; none where the device says it could not. Throws MalformedCbor. */
export function readDeviceDocuments(bytes: Uint8Array, budget: CborBudget): DeviceDocuments {
  const response = decodeCbor(bytes, budget)
  if (!isCborMap(response)) throw new MalformedCbor('the device response: not a map')
  demandVersion(response)
  const status = response.get('status')
  if (typeof status !== 'number') throw new MalformedCbor('the device response has no status')
  const documents = readDocuments(response.get('documents'))
  const missing = readErrors(response.get('documentErrors'))
  if (documents.some((document) => missing.has(document.get('docType'))))
    throw new MalformedCbor('the device response has a document and an error for the same type')
  // §10.3.2: with any other status than OK nothing was returned, whatever else stands there.
  return new DeviceDocuments(status === 0 ? documents : [], bytes)
}

export function demandVersion(response: CborMap): void {
  const version = response.get('version')
  if (typeof version !== 'string' || !/^1\.\d{1,3}$/.test(version)) {
    throw new MalformedCbor('the device response is not of version 1')
  }
}

function readDocuments(value: CborValue | undefined): readonly CborMap[] {
  if (value === undefined) return []
  if (!isCborArray(value) || value.length === 0 || !value.every(isCborMap))
    throw new MalformedCbor('the device response has documents that are none')
  return value
}

/** The types of documents that the device did not return. */
function readErrors(value: CborValue | undefined): ReadonlySet<CborValue | undefined> {
  if (value === undefined) return new Set()
  if (!isCborArray(value) || !value.every(isCborMap))
    throw new MalformedCbor('the device response has errors that are none')
  const entries = value.flatMap((errors) => [...errors])
  if (!entries.every(([type, code]) => typeof type === 'string' && typeof code === 'number'))
    throw new MalformedCbor('the device response has errors that are none')
  return new Set(entries.map(([type]) => type))
}
