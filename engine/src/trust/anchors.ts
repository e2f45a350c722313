// Finds candidate anchors for a certificate, by name or fingerprint and by type. path.ts verifies the signature. An unreadable anchor
// vouches for nothing.

import { createPublicKey, hash, type KeyObject } from 'node:crypto'
import {
  type Anchor,
  isDocumentType,
  isSoleOf,
  type ListedKeys,
  type SoleType,
  type VouchedFormat,
  type VouchedType,
} from './anchor.ts'
import { type Certificate, fingerprintOf, MalformedCertificate, parseCertificate } from './certificate.ts'
import { hexOf } from './certified-key.ts'

export interface ParsedAnchor {
  readonly kind: Anchor['kind']
  readonly certificate: Certificate
  readonly types: ReadonlySet<VouchedType>
  readonly profile: Anchor['profile']
}

/** Authorities of one name. Those with another key identifier than a certificate names have not issued it. */
interface Namesakes {
  readonly all: readonly ParsedAnchor[]
  readonly byKeyId: ReadonlyMap<string, readonly ParsedAnchor[]>
  readonly withoutKeyId: readonly ParsedAnchor[]
}

export interface AnchorSet {
  /** The anchors that it was built from. If they change, it is built again. */
  readonly made: readonly Anchor[]
  readonly fingerprints: ReadonlySet<string>
  /** Pinned signers, by fingerprint. */
  readonly pinned: ReadonlyMap<string, readonly ParsedAnchor[]>
  readonly authorities: ReadonlyMap<string, Namesakes>
  /**
   * What anchors for documents say about a public key, because one key may have several certificates; null if they disagree, or one of
   * them says nothing. Anchors of expired lists count only here.
   */
  readonly soleTypes: ReadonlyMap<string, SoleType | null>
  readonly listedKeys: ReadonlySet<ListedKeys>
}

export interface AnchorSets {
  /** For as long as the caller keeps the same array. */
  readonly sets: WeakMap<readonly Anchor[], AnchorSet>
  /** By fingerprint: a change of one anchor does not parse the others again. */
  readonly certificates: {
    get(fingerprint: string): Certificate | undefined
    set(fingerprint: string, certificate: Certificate): void
  }
}

export function anchorSet(anchors: readonly Anchor[], parsed: AnchorSets): AnchorSet {
  const known = parsed.sets.get(anchors)
  if (known !== undefined && isUnchanged(anchors, known.made)) return known
  const fresh = parseAnchors(anchors, parsed.certificates)
  parsed.sets.set(anchors, fresh)
  return fresh
}

export function vouchesFor(anchor: ParsedAnchor, { format, type }: CredentialKind): boolean {
  return anchor.types.has(`${format}:*`) || anchor.types.has(`${format}:${type}`)
}

/** The only type that these keys sign, if every anchor with one of these keys that vouches for documents says so. Otherwise null. */
export function soleTypeOf(set: AnchorSet, path: readonly Certificate[]): SoleType | null {
  const said = path.map((certificate) => set.soleTypes.get(keyOf(certificate))).filter((sole) => sole !== undefined)
  const [sole = null] = said
  if (sole === null || !said.every((other) => isSame(other, sole))) return null
  if (set.listedKeys.size === 0) return sole
  const keys = path.map(({ publicKey }) => keySha256(publicKey))
  const isContradicted = [...set.listedKeys].some((listed) =>
    keys.some((key) => listed.has(key) && listed.get(key) !== sole.docType),
  )
  return isContradicted ? null : sole
}

/** SHA-256, hex, of a public key. A point on a curve has two encodings, and both are the same key. */
export function keySha256(key: KeyObject): string {
  const { namedCurve } = key.asymmetricKeyDetails ?? {}
  const isTrustedCurve = namedCurve !== undefined && CURVES.includes(namedCurve)
  const uncompressed = isTrustedCurve ? createPublicKey({ key: key.export({ format: 'jwk' }), format: 'jwk' }) : key
  return hash('sha256', uncompressed.export({ type: 'spki', format: 'der' }))
}

/** Those of issuers that can be trusted; only these have a JWK, too. */
const CURVES: readonly string[] = ['prime256v1', 'secp384r1', 'secp521r1']

function isSame(one: SoleType | null, other: SoleType): boolean {
  return (
    one !== null &&
    one.docType === other.docType &&
    one.nameSpace === other.nameSpace &&
    one.withoutStatus === other.withoutStatus
  )
}

const keys = new WeakMap<Certificate, string>()

/** By the coordinates: a point on a curve has two encodings in DER. */
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

/** The certificate is trusted as it is: only its time and the type remain to be checked. */
export function isInstalledExactly(set: AnchorSet, signer: Certificate, credential: CredentialKind): boolean {
  const anchors = set.pinned.get(signer.fingerprint) ?? []
  return anchors.some((anchor) => anchor.kind === 'exact' && vouchesFor(anchor, credential))
}

/** Anchors that may have issued this certificate: by their name, and by their key identifier if both have one. */
export function* authoritiesOf(set: AnchorSet, below: Certificate | undefined): Generator<ParsedAnchor> {
  const named = below === undefined ? undefined : set.authorities.get(below.issuerKey)
  if (below === undefined || named === undefined) return
  if (below.authorityKeyId === null) return yield* named.all
  yield* named.byKeyId.get(hexOf(below.authorityKeyId)) ?? []
  yield* named.withoutKeyId
}

/** Whether an anchor has the name of this certificate's issuer, with whatever key. */
export const hasNamesake = (set: AnchorSet, { issuerKey }: Certificate) => set.authorities.has(issuerKey)

/** A removed anchor must lose its trust at once, whether the array was replaced or changed in place. */
function isUnchanged(anchors: readonly Anchor[], made: readonly Anchor[]): boolean {
  return anchors.length === made.length && anchors.every((anchor, index) => anchor === made[index])
}

function parseAnchors(anchors: readonly Anchor[], certificates: AnchorSets['certificates']): AnchorSet {
  const pinned = new Map<string, ParsedAnchor[]>()
  const authorities = new Map<string, ParsedAnchor[]>()
  const soleTypes = new Map<string, SoleType | null>()
  const listedKeys = new Set<ListedKeys>()
  const fingerprints = new Set<string>()
  for (const anchor of anchors) {
    const certificate = parseAnchor(anchor.certificate, certificates)
    if (certificate === null) continue
    noteSoleType(soleTypes, keyOf(certificate), anchor)
    if (anchor.listedKeys !== undefined) listedKeys.add(anchor.listedKeys)
    if (anchor.ended !== undefined) continue
    const { kind, profile } = anchor
    const parsed = { kind, certificate, types: new Set(anchor.types), profile }
    const [map, key] = kind === 'ca' ? [authorities, certificate.subjectKey] : [pinned, certificate.fingerprint]
    add(map, key, parsed)
    if (kind === 'ca') fingerprints.add(certificate.fingerprint)
  }
  const named = new Map([...authorities].map(([name, all]) => [name, byKeyIdOf(all)]))
  return { made: [...anchors], fingerprints, pinned, authorities: named, soleTypes, listedKeys }
}

function noteSoleType(soleTypes: Map<string, SoleType | null>, key: string, anchor: Anchor): void {
  const types = anchor.ended ?? anchor.types
  if (!types.some(isDocumentType)) return
  const own = anchor.sole !== undefined && isSoleOf(anchor.sole, types) ? anchor.sole : null
  const before = soleTypes.get(key)
  soleTypes.set(key, own !== null && (before === undefined || isSame(before, own)) ? own : null)
}

function byKeyIdOf(all: readonly ParsedAnchor[]): Namesakes {
  const byKeyId = new Map<string, ParsedAnchor[]>()
  const withoutKeyId: ParsedAnchor[] = []
  for (const anchor of all) {
    const { subjectKeyId } = anchor.certificate
    if (subjectKeyId === null) withoutKeyId.push(anchor)
    else add(byKeyId, hexOf(subjectKeyId), anchor)
  }
  return { all, byKeyId, withoutKeyId }
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
