// Builds a valid mdoc presentation (an mDL), with a hook at every step that a mutation may change.

import type { CborValue } from '../../src/encoding/cbor.ts'
import { embedded, encodeCbor, mapOf } from '../../src/encoding/cbor.ts'
import type { Sign1 } from '../../src/encoding/cose.ts'
import { algorithmHeader, coseSign1, LABEL, x5chain } from '../../src/encoding/cose.ts'
import { STATUS_INDEX, statusListUri, TYPE } from '../../src/issuer.ts'
import type { PrivateJwk } from '../../src/keys.ts'
import { toBase64url } from '../../src/keys.ts'
import type { Item, SecurityObjectFields } from '../../src/mdoc.ts'
import {
  deviceAuthentication,
  deviceResponse,
  deviceSignature,
  mdocDocument,
  mintItems,
  NO_DEVICE_NAMESPACES,
  securityObject,
} from '../../src/mdoc.ts'
import { drivingLicenceElements, PERSON } from '../../src/person.ts'
import type { Identity } from '../../src/pki.ts'
import { certificateBytes } from '../../src/pki.ts'
import type { Trial, World } from '../world.ts'
import { DAY, expectationsFor, MDL_NAMESPACE, MDL_QUERY, NOW, transcriptFor, trialOf } from '../world.ts'

type Change<Value> = (value: Value) => Value
export type CborMap = ReadonlyMap<CborValue, CborValue>

export interface MdocHooks {
  readonly elements?: Change<{ readonly [element: string]: CborValue }>
  /** The items before the issuer digests them. */
  readonly items?: Change<readonly Item[]>
  readonly fields?: Change<SecurityObjectFields>
  /** The mobile security object before signing. */
  readonly mso?: Change<CborMap>
  readonly signer?: Identity
  readonly certificates?: Change<readonly Uint8Array[]>
  /** Headers, payload and key of issuerAuth. */
  readonly issuerAuthFields?: Change<Sign1>
  /** issuerAuth after signing. */
  readonly issuerAuth?: Change<CborValue>
  /** The items that are presented, after signing. */
  readonly presentedItems?: (items: readonly Item[], all: readonly Item[]) => readonly Item[]
  readonly transcript?: Change<Uint8Array>
  readonly deviceDocType?: string
  readonly documentDocType?: string
  readonly deviceNamespaces?: CborValue
  readonly deviceKey?: PrivateJwk
  /** Makes deviceAuth from the bytes that it authenticates. */
  readonly deviceAuth?: (authentication: Uint8Array, transcript: Uint8Array, key: PrivateJwk) => CborValue
  readonly document?: Change<CborMap>
  readonly response?: (response: CborMap) => CborValue
  readonly bytes?: Change<Uint8Array>
  readonly text?: Change<string>
  readonly trial?: Change<Trial>
}

const same = <Value>(value: Value): Value => value

export function mdocTrial(world: World, hooks: MdocHooks = {}): Trial {
  const trial = trialOf(world, { mdl: [presentMdoc(world, hooks)] }, { credentials: [MDL_QUERY] })
  return (hooks.trial ?? same)(trial)
}

export function presentMdoc(world: World, hooks: MdocHooks = {}): string {
  const document = (hooks.document ?? same)(goodDocument(world, hooks))
  const response = deviceResponse([document])
  const bytes = encodeCbor(hooks.response === undefined ? response : hooks.response(response))
  return (hooks.text ?? same)(toBase64url((hooks.bytes ?? same)(bytes)))
}

export function goodDocument(world: World, hooks: MdocHooks): CborMap {
  const elements = (hooks.elements ?? same)(
    drivingLicenceElements(PERSON, { issued: '2026-01-01', expires: '2031-01-01', age: 36 }),
  )
  const items = (hooks.items ?? same)(mintItems(MDL_NAMESPACE, elements))
  const issuerAuth = (hooks.issuerAuth ?? same)(coseSign1(issuerAuthFields(world, items, hooks)))
  const presentedItems = (hooks.presentedItems ?? same)(usualItems(items), items)
  const deviceNamespaces = hooks.deviceNamespaces ?? NO_DEVICE_NAMESPACES
  const docType = hooks.documentDocType ?? TYPE.mdl
  const transcript = (hooks.transcript ?? same)(transcriptFor(expectationsFor(world, MDL_QUERY)))
  const authentication = deviceAuthentication(transcript, hooks.deviceDocType ?? docType, deviceNamespaces)
  const key = hooks.deviceKey ?? world.holderKey
  const deviceAuth = hooks.deviceAuth?.(authentication, transcript, key) ?? deviceSignature(authentication, key)
  return mdocDocument({ docType, items: presentedItems, issuerAuth, deviceAuth, deviceNamespaces })
}

function issuerAuthFields(world: World, items: readonly Item[], hooks: MdocHooks): Sign1 {
  const signer = hooks.signer ?? world.issuer.mdoc.signer
  const fields: SecurityObjectFields = {
    docType: TYPE.mdl,
    items,
    deviceKey: world.holderKey,
    signed: NOW - DAY,
    validFrom: NOW - DAY,
    validUntil: NOW + 30 * DAY,
    status: mapOf({ status_list: mapOf({ idx: STATUS_INDEX.valid, uri: statusListUri(world.issuer.base, 'cwt') }) }),
  }
  const mso = (hooks.mso ?? same)(securityObject((hooks.fields ?? same)(fields)))
  return (hooks.issuerAuthFields ?? same)({
    protectedHeader: algorithmHeader(signer.key),
    unprotectedHeader: new Map([[LABEL.x5chain, x5chain((hooks.certificates ?? same)([certificateBytes(signer)]))]]),
    payload: encodeCbor(embedded(mso)),
    key: signer.key,
  })
}

const USUAL = ['family_name', 'given_name', 'birth_date', 'portrait', 'driving_privileges', 'age_over_18']

export function usualItems(items: readonly Item[]): readonly Item[] {
  return items.filter((item) => USUAL.includes(item.element))
}

/** Returns the map with one member changed, or removed if the value is undefined. */
export function changed(map: CborMap, name: CborValue, value: CborValue | undefined): CborMap {
  const copy = new Map(map)
  if (value === undefined) copy.delete(name)
  else copy.set(name, value)
  return copy
}

/** Returns the inner map under a name. */
export function inner(map: CborMap, name: CborValue): CborMap {
  const value = map.get(name)
  if (!(value instanceof Map)) throw new Error('bug: there is no map under that name')
  return value
}
