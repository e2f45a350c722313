// Finds candidate anchors for a certificate by name or fingerprint, and by type. path.ts verifies the signature. An
// unreadable anchor vouches for nothing.

import { hash, type KeyObject } from 'node:crypto'
import {
  type Anchor,
  isDocumentType,
  isSoleOf,
  type ListedKeys,
  type SoleType,
  type VouchedFormat,
  type VouchedType,
} from './anchor.ts'
import {
  type Certificate,
  fingerprintOf,
  MalformedCertificate,
  memoryOfCertificate,
  parseCertificate,
} from './certificate.ts'
import { hexOf } from './certified-key.ts'

export interface ParsedAnchor {
  readonly kind: Anchor['kind']
  readonly certificate: Certificate
  readonly types: ReadonlySet<VouchedType>
  readonly profile: Anchor['profile']
}

/** Authorities with the same name. One with another key identifier than a certificate names has not issued that certificate. */
interface Namesakes {
  readonly all: readonly ParsedAnchor[]
  readonly byKeyId: ReadonlyMap<string, readonly ParsedAnchor[]>
  readonly withoutKeyId: readonly ParsedAnchor[]
}

export interface AnchorSet {
  /** The anchors that the set was built from. If they change, it is built again. */
  readonly source: readonly Anchor[]
  readonly fingerprints: ReadonlySet<string>
  /** Pinned signers by fingerprint. */
  readonly pinned: ReadonlyMap<string, readonly ParsedAnchor[]>
  readonly authorities: ReadonlyMap<string, Namesakes>
  /**
   * By public key: the sole type on which all anchors for documents agree; null if they disagree, or if one has none.
   * One key may have several certificates. Anchors of expired lists count only here.
   */
  readonly soleTypes: ReadonlyMap<string, SoleType | null>
  readonly listedKeys: ReadonlySet<ListedKeys>
  /** The approximate memory of its certificates in bytes. */
  readonly memory: number
}

export interface AnchorSets {
  /** Kept as long as the caller keeps the array. */
  readonly sets: WeakMap<readonly Anchor[], AnchorSet>
  /** Kept as long as the caller keeps the anchor, in any array. null: unreadable. */
  readonly read: WeakMap<Anchor, ReadAnchor | null>
  /** By fingerprint, so that a change of one anchor does not parse the others again. */
  readonly certificates: {
    get(fingerprint: string): Certificate | undefined
    set(fingerprint: string, certificate: Certificate): void
  }
}

/** What one anchor states. */
interface ReadAnchor extends ParsedAnchor {
  /** `keyOf` of its certificate. */
  readonly key: string
  /** Hex. */
  readonly keyId: string | null
  /** The sole type that it claims; undefined if it is not for documents. */
  readonly sole: SoleType | null | undefined
}

export function anchorSet(anchors: readonly Anchor[], parsed: AnchorSets): AnchorSet {
  const known = parsed.sets.get(anchors)
  if (known !== undefined && isUnchanged(anchors, known.source)) return known
  const steps = prepareAnchors(anchors, parsed)
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
  }
}

/** Like `anchorSet`, but yields after each anchor: there may be thousands, and a caller may want to pause. */
export function* prepareAnchors(anchors: readonly Anchor[], parsed: AnchorSets): Generator<void, AnchorSet> {
  const fresh = yield* parseAnchors([...anchors], parsed)
  parsed.sets.set(anchors, fresh)
  return fresh
}

function vouchesFor(anchor: ParsedAnchor, { format, type }: CredentialKind): boolean {
  return anchor.types.has(`${format}:*`) || anchor.types.has(`${format}:${type}`)
}

/** Returns the only type that these keys sign, if every anchor for documents with one of these keys agrees; otherwise null. */
export function soleTypeOf(set: AnchorSet, path: readonly Certificate[]): SoleType | null {
  const claimed = path.map((certificate) => set.soleTypes.get(keyOf(certificate))).filter((sole) => sole !== undefined)
  const [sole = null] = claimed
  if (sole === null || !claimed.every((other) => isSame(other, sole))) return null
  if (set.listedKeys.size === 0) return sole
  const keys = path.map((certificate) => hashes.getOrInsertComputed(certificate, hashOf))
  const isContradicted = [...set.listedKeys].some((listed) =>
    keys.some((key) => listed.has(key) && listed.get(key) !== sole.docType),
  )
  return isContradicted ? null : sole
}

/**
 * SHA-256 (hex) of a public key. A point on a curve has two encodings of the same key; the uncompressed one counts. It is
 * put together here, because converting a key takes as long as verifying a signature, and one response may have a hundred.
 */
export function keySha256(key: KeyObject): string {
  const head = HEADS[key.asymmetricKeyDetails?.namedCurve ?? '']
  if (head === undefined) return hash('sha256', key.export({ type: 'spki', format: 'der' }))
  const { x = '', y = '' } = key.export({ format: 'jwk' })
  return hash('sha256', Buffer.concat([head, Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]))
}

/** What comes before the coordinates of an uncompressed key in DER, for the curves of issuers that can be trusted. */
const HEADS: Readonly<Record<string, Buffer>> = {
  prime256v1: Buffer.from('3059301306072a8648ce3d020106082a8648ce3d03010703420004', 'hex'),
  secp384r1: Buffer.from('3076301006072a8648ce3d020106052b8104002203620004', 'hex'),
  secp521r1: Buffer.from('30819b301006072a8648ce3d020106052b810400230381860004', 'hex'),
}

const hashes = new WeakMap<Certificate, string>()
const hashOf = ({ publicKey }: Certificate) => keySha256(publicKey)

function isSame(one: SoleType | null, other: SoleType): boolean {
  return (
    one !== null &&
    one.docType === other.docType &&
    one.nameSpace === other.nameSpace &&
    one.withoutStatus === other.withoutStatus
  )
}

const keys = new WeakMap<Certificate, string>()

/** Names a key by its coordinates, because a point on a curve has two encodings in DER. */
export function keyOf(certificate: Certificate): string {
  const key = keys.get(certificate) ?? JSON.stringify(certificate.publicKey.export({ format: 'jwk' }))
  keys.set(certificate, key)
  return key
}

export interface CredentialKind {
  readonly format: VouchedFormat
  /** vct or docType. */
  readonly type: string
}

/** Whether the certificate itself is an anchor. Then only its time and the type are left to check. */
export function isInstalledExactly(set: AnchorSet, signer: Certificate, credential: CredentialKind): boolean {
  const anchors = set.pinned.get(signer.fingerprint) ?? []
  return anchors.some((anchor) => anchor.kind === 'exact' && vouchesFor(anchor, credential))
}

/** Yields anchors that may have issued this certificate: those with the issuer's name, and the same key identifier if both have one. */
export function* authoritiesOf(set: AnchorSet, below: Certificate | undefined): Generator<ParsedAnchor> {
  const named = below === undefined ? undefined : set.authorities.get(below.issuerKey)
  if (below === undefined || named === undefined) return
  if (below.authorityKeyId === null) return yield* named.all
  yield* named.byKeyId.get(hexOf(below.authorityKeyId)) ?? []
  yield* named.withoutKeyId
}

/** Whether an anchor has the name of this certificate's issuer, with any key. */
export const hasNamesake = (set: AnchorSet, { issuerKey }: Certificate) => set.authorities.has(issuerKey)

/** A removed anchor must lose its trust at once, even if the array was changed in place. A frozen array cannot change. */
function isUnchanged(anchors: readonly Anchor[], before: readonly Anchor[]): boolean {
  if (Object.isFrozen(anchors) && anchors.length === before.length) return true
  return anchors.length === before.length && anchors.every((anchor, index) => anchor === before[index])
}

function* parseAnchors(anchors: readonly Anchor[], { read, certificates }: AnchorSets): Generator<void, AnchorSet> {
  const pinned = new Map<string, ParsedAnchor[]>()
  const authorities = new Map<string, MutableNamesakes>()
  const soleTypes = new Map<string, SoleType | null>()
  const listedKeys = new Set<ListedKeys>()
  const fingerprints = new Set<string>()
  let memory = 0
  for (const anchor of anchors) {
    yield
    const known = read.get(anchor)
    const parsed = known === undefined ? readAnchor(anchor, certificates) : known
    read.set(anchor, parsed)
    if (parsed === null) continue
    memory += memoryOfCertificate(parsed.certificate)
    noteSoleType(soleTypes, parsed)
    if (anchor.listedKeys !== undefined) listedKeys.add(anchor.listedKeys)
    if (anchor.ended !== undefined) continue
    const { certificate } = parsed
    if (parsed.kind !== 'ca') add(pinned, certificate.fingerprint, parsed)
    else {
      fingerprints.add(certificate.fingerprint)
      addNamesake(authorities, parsed)
    }
  }
  return { source: anchors, fingerprints, pinned, authorities, soleTypes, listedKeys, memory }
}

function readAnchor(anchor: Anchor, certificates: AnchorSets['certificates']): ReadAnchor | null {
  const certificate = parseAnchor(anchor.certificate, certificates)
  if (certificate === null) return null
  const { kind, profile, sole } = anchor
  const types = anchor.ended ?? anchor.types
  const own = sole !== undefined && isSoleOf(sole, types) ? sole : null
  return {
    kind,
    certificate,
    types: new Set(anchor.types),
    profile,
    key: keyOf(certificate),
    keyId: certificate.subjectKeyId === null ? null : hexOf(certificate.subjectKeyId),
    sole: types.some(isDocumentType) ? own : undefined,
  }
}

function noteSoleType(soleTypes: Map<string, SoleType | null>, { key, sole }: ReadAnchor): void {
  if (sole === undefined) return
  const before = soleTypes.get(key)
  soleTypes.set(key, sole !== null && (before === undefined || isSame(before, sole)) ? sole : null)
}

interface MutableNamesakes extends Namesakes {
  readonly all: ParsedAnchor[]
  readonly byKeyId: Map<string, ParsedAnchor[]>
  readonly withoutKeyId: ParsedAnchor[]
}

function addNamesake(authorities: Map<string, MutableNamesakes>, anchor: ReadAnchor): void {
  const { subjectKey } = anchor.certificate
  const namesakes: MutableNamesakes = authorities.get(subjectKey) ?? { all: [], byKeyId: new Map(), withoutKeyId: [] }
  authorities.set(subjectKey, namesakes)
  namesakes.all.push(anchor)
  if (anchor.keyId === null) namesakes.withoutKeyId.push(anchor)
  else add(namesakes.byKeyId, anchor.keyId, anchor)
}

function add(map: Map<string, ParsedAnchor[]>, key: string, anchor: ParsedAnchor): void {
  const others = map.get(key)
  if (others === undefined) map.set(key, [anchor])
  else others.push(anchor)
}

function parseAnchor(der: Uint8Array, certificates: AnchorSets['certificates']): Certificate | null {
  const fingerprint = fingerprintOf(der)
  try {
    const certificate = certificates.get(fingerprint) ?? parseCertificate(der)
    certificates.set(fingerprint, certificate)
    return certificate
  } catch (error) {
    if (error instanceof MalformedCertificate) return null
    throw error
  }
}
