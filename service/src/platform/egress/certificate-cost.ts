// Decides whether the certificates of a server are cheap enough for OpenSSL to verify; refuses unreadable ones.

/** Honest servers send two to five certificates, sometimes also a root or a cross-signed authority. */
const CERTIFICATES_MAX = 10
/** A key of 8192 bits with its DER headers. */
const RSA_KEY_BYTES_MAX = 1_060
/** An honest exponent is 65537. */
const RSA_EXPONENT_BYTES_MAX = 5

/**
 * OpenSSL compares each name of a certificate with each name constraint above it: up to a million times for two
 * certificates (25 ms). Honest certificates have few constraints, and none above a certificate with many names.
 */
const COMPARISONS_MAX = 100_000
/** No subject entry that OpenSSL compares is shorter than this. */
const SUBJECT_ENTRY_BYTES = 9

const OID = 0x06
const INTEGER = 0x02
const BITS = 0x03
const SEQUENCE = 0x30
const VERSION = 0xa0
const BOOLEAN = 0x01
const OCTETS = 0x04
/** The tags of the unique identifiers of issuer and subject, and of the extensions. */
const [ISSUER_ID, SUBJECT_ID, EXTENSIONS] = [0x81, 0x82, 0xa3]
const [PERMITTED, EXCLUDED] = [0xa0, 0xa1]

/** About the milliseconds of CPU for decoding the keys of a chain and verifying one signature with each. */
const COST_MAX = 12
const CHEAP = 1
/** Object identifiers, as hex of their content. Other curves are refused: binary ones cost 4.5 ms, and the rest is not in use. */
const EC_KEY = '2a8648ce3d0201'
const CURVES: Readonly<Record<string, number>> = {
  // P-256
  '2a8648ce3d030107': 1,
  // P-384
  '2b81040022': 1,
  // P-521
  '2b81040023': 3,
}
const RSA_KEYS = new Set(['2a864886f70d010101', '2a864886f70d01010a'])
const ED25519 = '2b6570'
const ALTERNATIVE_NAMES = '551d11'
const NAME_CONSTRAINTS = '551d1e'

/** null: no objection. `message` is the body of a Certificate message (RFC 8446 §4.4.2; TLS 1.2: RFC 5246 §7.4.2). */
export function certificatesFault(message: Uint8Array, isTls13: boolean): 'certificates' | null {
  const chain = certificatesIn(message, isTls13)
  if (chain === null || chain.length > CERTIFICATES_MAX) return 'certificates'
  const parts = chain.map(partsOf)
  const sum = (of: (part: CertificateParts) => number) =>
    parts.reduce((total, part) => total + (part === null ? Number.POSITIVE_INFINITY : of(part)), 0)
  const comparisons = sum(({ names }) => names) * sum(({ constraints }) => constraints)
  return sum(({ key }) => keyCost(key)) <= COST_MAX && comparisons <= COMPARISONS_MAX ? null : 'certificates'
}

function certificatesIn(message: Uint8Array, isTls13: boolean): Uint8Array[] | null {
  const context = isTls13 ? vector(message, 0, 1) : { end: 0 }
  const list = context === null ? null : vector(message, context.end, 3)
  if (list === null || list.end !== message.length) return null
  const found: Uint8Array[] = []
  for (let at = 0; at < list.content.length; ) {
    const certificate = vector(list.content, at, 3)
    const last = certificate === null || !isTls13 ? certificate : vector(list.content, certificate.end, 2)
    if (certificate === null || last === null) return null
    found.push(certificate.content)
    at = last.end
  }
  return found
}

/** A TLS vector: a length, then that many bytes. null: truncated. */
function vector(bytes: Uint8Array, at: number, lengthBytes: number): { content: Uint8Array; end: number } | null {
  const start = at + lengthBytes
  if (start > bytes.length) return null
  const end = start + bytes.subarray(at, start).reduce((length, byte) => length * 256 + byte, 0)
  return end > bytes.length ? null : { content: bytes.subarray(start, end), end }
}

interface CertificateParts {
  readonly key: Uint8Array
  /** How many names OpenSSL may compare with the constraints of other certificates. */
  readonly names: number
  /** How many name constraints the certificate has for the certificates below it. */
  readonly constraints: number
}

/** null: unreadable. */
function partsOf(certificate: Uint8Array): CertificateParts | null {
  const whole = element(certificate, 0, SEQUENCE)
  const signed = whole === null ? null : element(whole.content, 0, SEQUENCE)
  if (signed === null) return null
  const version = element(signed.content, 0, VERSION)
  // Serial number, algorithm, issuer, validity, subject and key (RFC 5280 §4.1).
  const read = elements(signed.content, version?.end ?? 0, [INTEGER, SEQUENCE, SEQUENCE, SEQUENCE, SEQUENCE, SEQUENCE])
  const [subject, key] = read?.contents.slice(-2) ?? []
  const counted = read === null ? null : countNames(signed.content, read.end)
  if (subject === undefined || key === undefined || counted === null) return null
  const inSubject = 1 + Math.floor(subject.length / SUBJECT_ENTRY_BYTES)
  return { key, names: inSubject + counted.names, constraints: counted.constraints }
}

/** Counts in the extensions, which begin at `at` or after the unique identifiers; null: unreadable. */
function countNames(signed: Uint8Array, at: number): Omit<CertificateParts, 'key'> | null {
  const afterIssuer = element(signed, at, ISSUER_ID)?.end ?? at
  const start = element(signed, afterIssuer, SUBJECT_ID)?.end ?? afterIssuer
  if (start === signed.length) return { names: 0, constraints: 0 }
  const around = element(signed, start, EXTENSIONS)
  const extensions = around === null || around.end !== signed.length ? null : element(around.content, 0, SEQUENCE)
  const all = extensions === null ? null : allElements(extensions.content)
  if (all === null) return null
  let [names, constraints] = [0, 0]
  for (const { tag, content } of all) {
    const name = tag === SEQUENCE ? element(content, 0, OID) : null
    if (name === null) return null
    const value = element(content, element(content, name.end, BOOLEAN)?.end ?? name.end, OCTETS)
    if (value === null) return null
    const type = hexOf(name.content)
    if (type === ALTERNATIVE_NAMES) names += countIn(value.content, null)
    if (type === NAME_CONSTRAINTS) constraints += countIn(value.content, [PERMITTED, EXCLUDED])
  }
  return { names, constraints }
}

/** Counts the elements of a sequence. With `tags`, counts inside its elements of these tags. Infinite: unreadable. */
function countIn(bytes: Uint8Array, tags: readonly number[] | null): number {
  const sequence = element(bytes, 0, SEQUENCE)
  const outer = sequence === null ? null : allElements(sequence.content)
  if (outer === null) return Number.POSITIVE_INFINITY
  if (tags === null) return outer.length
  return outer.reduce(
    (sum, { tag, content }) =>
      sum + ((tags.includes(tag) ? allElements(content)?.length : null) ?? Number.POSITIVE_INFINITY),
    0,
  )
}

/** Infinite for a key that is refused. */
function keyCost(key: Uint8Array): number {
  const [algorithm, bits] = elements(key, 0, [SEQUENCE, BITS])?.contents ?? []
  const name = algorithm === undefined ? null : element(algorithm, 0, OID)
  if (algorithm === undefined || bits === undefined || name === null) return Number.POSITIVE_INFINITY
  const type = hexOf(name.content)
  const curve = type === EC_KEY ? element(algorithm, name.end, OID) : null
  if (curve !== null) return CURVES[hexOf(curve.content)] ?? Number.POSITIVE_INFINITY
  const isCheap = type === ED25519 || (RSA_KEYS.has(type) && isCheapRsaKey(bits))
  return isCheap ? CHEAP : Number.POSITIVE_INFINITY
}

/** The first byte of a bit string is its number of unused bits. */
function isCheapRsaKey(bits: Uint8Array): boolean {
  const key = bits[0] === 0 && bits.length <= RSA_KEY_BYTES_MAX ? element(bits, 1, SEQUENCE) : null
  const exponent = key === null ? undefined : elements(key.content, 0, [INTEGER, INTEGER])?.contents[1]
  return exponent !== undefined && exponent.length <= RSA_EXPONENT_BYTES_MAX
}

/** The contents of consecutive elements; null: their tags are not `tags`. */
function elements(
  bytes: Uint8Array,
  at: number,
  tags: readonly number[],
): { contents: Uint8Array[]; end: number } | null {
  const contents: Uint8Array[] = []
  let end = at
  for (const tag of tags) {
    const next = element(bytes, end, tag)
    if (next === null) return null
    contents.push(next.content)
    end = next.end
  }
  return { contents, end }
}

/** All elements up to the end, each with a tag of one byte; null: anything else. */
function allElements(bytes: Uint8Array): { readonly tag: number; readonly content: Uint8Array }[] | null {
  const found: { readonly tag: number; readonly content: Uint8Array }[] = []
  for (let at = 0; at < bytes.length; ) {
    const tag = bytes[at] ?? LONG_TAG
    const next = (tag & LONG_TAG) === LONG_TAG ? null : element(bytes, at, tag)
    if (next === null) return null
    found.push({ tag, content: next.content })
    at = next.end
  }
  return found
}

const LONG_TAG = 0x1f

/** One DER element; null: another tag, truncated, or an unsupported length. */
function element(bytes: Uint8Array, at: number, tag: number): { content: Uint8Array; end: number } | null {
  const length = bytes[at + 1]
  if (bytes[at] !== tag || length === undefined) return null
  if (length < 0x80) return vector(bytes, at + 1, 1)
  return length > 0x80 && length <= 0x83 ? vector(bytes, at + 2, length - 0x80) : null
}

const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
