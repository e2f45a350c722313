// Parses the mobile security object (ISO 18013-5 §12.3.4). checks.ts verifies its signature.

import { isKey, isShowable } from '../../bytes.ts'
import {
  type CborMap,
  type CborValue,
  isCborArray,
  isCborBytes,
  isCborMap,
  isCborTag,
  MalformedCbor,
} from '../../cbor/cbor.ts'
import type { StatusReference } from '../../examination.ts'
import { momentOf } from './dates.ts'
import { readStatus } from './status.ts'

export interface MobileSecurityObject {
  readonly docType: string
  readonly hash: 'sha256' | 'sha384' | 'sha512'
  /** By name space, then by digest ID. */
  readonly valueDigests: CborMap
  /** The COSE_Key as received. It is not validated yet. */
  readonly deviceKey: CborValue | undefined
  readonly authorizations: KeyAuthorizations
  /** Unix seconds. */
  readonly signed: number
  readonly validFrom: number
  readonly validUntil: number
  readonly status: readonly StatusReference[]
}

/** What the device key may sign (ISO 18013-5 §12.3.4): whole name spaces, or single elements of other name spaces. */
interface KeyAuthorizations {
  readonly nameSpaces: ReadonlySet<string>
  readonly elements: ReadonlyMap<string, ReadonlySet<string>>
}

const HASHES: Readonly<Record<string, MobileSecurityObject['hash']>> = {
  'SHA-256': 'sha256',
  'SHA-384': 'sha384',
  'SHA-512': 'sha512',
}

/** Throws MalformedCbor. */
export function readMobileSecurityObject(mso: CborMap): MobileSecurityObject {
  const version = mso.get('version')
  const docType = mso.get('docType')
  const algorithm = mso.get('digestAlgorithm')
  if (typeof version !== 'string' || !/^1\.\d{1,3}$/.test(version)) fail('is not of version 1')
  if (typeof docType !== 'string' || docType === '' || docType.length > 1024 || !isShowable(docType)) {
    fail('names no docType')
  }
  const hash = typeof algorithm === 'string' && Object.hasOwn(HASHES, algorithm) ? HASHES[algorithm] : undefined
  if (hash === undefined) fail('has a digest algorithm that is not accepted')
  const keyInfo = mapAt(mso, 'deviceKeyInfo')
  const validity = mapAt(mso, 'validityInfo')
  return {
    docType,
    hash,
    valueDigests: checkDigests(mapAt(mso, 'valueDigests')),
    deviceKey: keyInfo.get('deviceKey'),
    authorizations: readAuthorizations(keyInfo.get('keyAuthorizations')),
    signed: readDate(validity.get('signed')),
    validFrom: readDate(validity.get('validFrom')),
    validUntil: readDate(validity.get('validUntil')),
    status: readStatus(mso.get('status')),
  }
}

function checkDigests(valueDigests: CborMap): CborMap {
  for (const [nameSpace, byId] of valueDigests) {
    if (typeof nameSpace !== 'string' || !isCborMap(byId)) fail('has malformed digests')
  }
  return valueDigests
}

const NO_AUTHORIZATIONS: KeyAuthorizations = { nameSpaces: new Set(), elements: new Map() }

function readAuthorizations(value: CborValue | undefined): KeyAuthorizations {
  if (value === undefined) return NO_AUTHORIZATIONS
  if (!isCborMap(value)) fail('has malformed key authorisations')
  const nameSpaces = value.get('nameSpaces')
  const elements = value.get('dataElements')
  if (elements !== undefined && !isCborMap(elements)) fail('has malformed key authorisations')
  const byNameSpace = new Map<string, ReadonlySet<string>>()
  for (const [nameSpace, names] of elements ?? []) {
    if (typeof nameSpace !== 'string') fail('has malformed key authorisations')
    byNameSpace.set(nameSpace, readTexts(names))
  }
  return { nameSpaces: nameSpaces === undefined ? new Set() : readTexts(nameSpaces), elements: byNameSpace }
}

function readTexts(value: CborValue): ReadonlySet<string> {
  if (!isCborArray(value)) fail('has malformed key authorisations')
  return new Set(
    value.map((text) => {
      if (typeof text !== 'string' || !isKey(text)) fail('has malformed key authorisations')
      return text
    }),
  )
}

/** ISO 18013-5 §12.3.4 requires UTC without fractions. Real issuers use other spellings of the same time. */
function readDate(value: CborValue | undefined): number {
  const text = isCborTag(value) && value.tag === 0 ? value.value : undefined
  const moment = typeof text === 'string' ? momentOf(text) : null
  if (moment === null) fail('has a time that is not a time')
  return moment
}

function mapAt(mso: CborMap, name: string): CborMap {
  const value = mso.get(name)
  if (!isCborMap(value)) fail(`has no ${name}`)
  return value
}

/** Returns the signed digest of this item; null if there is none. */
export function signedDigest(mso: MobileSecurityObject, nameSpace: string, digestId: number): Buffer | null {
  const byId = mso.valueDigests.get(nameSpace)
  const digest = isCborMap(byId) ? byId.get(digestId) : undefined
  return isCborBytes(digest) ? digest : null
}

function fail(what: string): never {
  throw new MalformedCbor(`the mobile security object ${what}`)
}
