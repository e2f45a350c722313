// Checks each record of a TLS handshake before OpenSSL reads it.

import { createDecipheriv, createHmac } from 'node:crypto'
import { certificatesFault } from './certificate-cost.ts'

/**
 * OpenSSL verifies every signature of a chain, even of an untrusted one, and cannot be stopped. So each record is
 * checked first. OpenSSL's key log has the key that decrypts the certificates of TLS 1.3.
 */
export interface Handshake {
  /** Why OpenSSL must not read this record; null: it may. */
  check(record: Uint8Array): HandshakeFault | null
  /** A line of OpenSSL's key log (SSLKEYLOGFILE). */
  noteSecret(line: string): void
}

export type HandshakeFault = 'certificates' | 'handshake'

const CHANGE_CIPHER = 20
const ALERT = 21
const HANDSHAKE = 22
const ENCRYPTED = 23
export const HEADER_BYTES = 5
const RECORD_BYTES_MAX = 16_384 + 2_048
const TAG_BYTES = 16

const SERVER_HELLO = 2
const CERTIFICATE = 11
const FINISHED = 20
const COMPRESSED_CERTIFICATE = 25

interface Suite {
  readonly cipher: 'aes-128-gcm' | 'aes-256-gcm' | 'chacha20-poly1305'
  readonly hash: 'sha256' | 'sha384'
  readonly keyBytes: number
}
/** The cipher suites of TLS 1.3 (RFC 8446 §B.4). */
const SUITES: Readonly<Record<number, Suite>> = {
  4865: { cipher: 'aes-128-gcm', hash: 'sha256', keyBytes: 16 },
  4866: { cipher: 'aes-256-gcm', hash: 'sha384', keyBytes: 32 },
  4867: { cipher: 'chacha20-poly1305', hash: 'sha256', keyBytes: 32 },
}

export function createHandshake(): Handshake {
  /** null: TLS 1.2, or no ServerHello came yet. */
  let suite: Suite | null = null
  let secret: Buffer | null = null
  let records = 0
  let hasCertificates = false
  /** Whether no further certificate can arrive. OpenSSL allows neither resumption nor a second handshake here. */
  let isDone = false
  /** The received part of messages that are incomplete. */
  let pending = Buffer.alloc(0)

  function readMessages(bytes: Uint8Array): HandshakeFault | null {
    pending = Buffer.concat([pending, bytes])
    while (pending.length >= 4) {
      const end = 4 + pending.readUIntBE(1, 3)
      if (pending.length < end) return null
      const fault = readMessage(pending.readUInt8(0), pending.subarray(4, end))
      if (fault !== null) return fault
      pending = pending.subarray(end)
    }
    return null
  }

  function readMessage(type: number, body: Buffer): HandshakeFault | null {
    if (type === SERVER_HELLO) {
      const hello = readServerHello(body)
      if (hello === null) return 'handshake'
      suite = hello.suite
    }
    if (type === CERTIFICATE) {
      hasCertificates = true
      return certificatesFault(body, suite !== null)
    }
    if (type === FINISHED) return finish()
    // Compression was not offered, and this code cannot read it.
    return type === COMPRESSED_CERTIFICATE ? 'handshake' : null
  }

  function finish(): HandshakeFault | null {
    isDone = hasCertificates
    return hasCertificates ? null : 'handshake'
  }

  function readEncrypted(record: Uint8Array): HandshakeFault | null {
    const plain = suite === null || secret === null ? null : decrypt(record, { suite, secret, number: records })
    // A message must not begin in plaintext and continue encrypted.
    if (plain === null || (records === 0 && pending.length > 0)) return 'handshake'
    records += 1
    const end = plain.findLastIndex((byte) => byte !== 0)
    const type = plain[end]
    if (type === HANDSHAKE) return readMessages(plain.subarray(0, end))
    return type === ALERT ? null : 'handshake'
  }

  return {
    check(record) {
      const [type] = record
      if (!isWhole(record)) return 'handshake'
      if (isDone || type === ALERT) return null
      // In TLS 1.2 certificates came before this record, and the rest is encrypted. In TLS 1.3 it has no meaning.
      if (type === CHANGE_CIPHER) return suite === null ? finish() : null
      if (type === HANDSHAKE) return secret === null ? readMessages(record.subarray(HEADER_BYTES)) : 'handshake'
      return type === ENCRYPTED ? readEncrypted(record) : 'handshake'
    },
    noteSecret(line) {
      const [label, , hex] = line.trim().split(' ')
      if (label === 'SERVER_HANDSHAKE_TRAFFIC_SECRET' && hex !== undefined) secret = Buffer.from(hex, 'hex')
    },
  }
}

/** The length of a record with this header; null: it is not TLS (RFC 8446 §5.1). */
export function recordLength(header: Uint8Array): number | null {
  const [type = 0, major, , high = 0, low = 0] = header
  const length = high * 256 + low
  return type >= CHANGE_CIPHER && type <= ENCRYPTED && major === 3 && length <= RECORD_BYTES_MAX
    ? HEADER_BYTES + length
    : null
}

const isWhole = (record: Uint8Array) => record.length >= HEADER_BYTES && recordLength(record) === record.length

/** RFC 8446 §4.1.3: a server chooses TLS 1.3 by the extension supported_versions. null: unreadable. */
function readServerHello(body: Buffer): { readonly suite: Suite | null } | null {
  const sessionEnd = 35 + (body[34] ?? 0)
  if (body.length < sessionEnd + 3) return null
  const cipher = body.readUInt16BE(sessionEnd)
  let at = sessionEnd + 5
  let isTls13 = false
  while (at + 4 <= body.length) {
    const end = at + 4 + body.readUInt16BE(at + 2)
    if (end > body.length) return null
    if (body.readUInt16BE(at) === SUPPORTED_VERSIONS) isTls13 = end === at + 6 && body.readUInt16BE(at + 4) === TLS_1_3
    at = end
  }
  if (!isTls13) return { suite: null }
  const suite = SUITES[cipher]
  return suite === undefined ? null : { suite }
}

const SUPPORTED_VERSIONS = 43
const TLS_1_3 = 0x0304

/** RFC 8446 §5.2; null: not encrypted with this key. */
function decrypt(
  record: Uint8Array,
  { suite, secret, number }: { readonly suite: Suite; readonly secret: Buffer; readonly number: number },
): Buffer | null {
  if (record.length < HEADER_BYTES + TAG_BYTES) return null
  const nonce = expand(suite, secret, 'iv', 12)
  // The low 32 bits are enough: a handshake of at most 16 KiB has few records.
  nonce.writeUInt32BE((nonce.readUInt32BE(8) ^ number) >>> 0, 8)
  const key = expand(suite, secret, 'key', suite.keyBytes)
  // Node has different types for GCM and ChaCha20-Poly1305, with the same methods.
  const cipher = createDecipheriv(suite.cipher as 'aes-128-gcm', key, nonce, { authTagLength: TAG_BYTES })
  cipher.setAAD(record.subarray(0, HEADER_BYTES))
  cipher.setAuthTag(record.subarray(-TAG_BYTES))
  try {
    return Buffer.concat([cipher.update(record.subarray(HEADER_BYTES, -TAG_BYTES)), cipher.final()])
  } catch {
    return null
  }
}

/** HKDF-Expand-Label with an empty context (RFC 8446 §7.1): one block is enough for a key. */
function expand({ hash }: Suite, secret: Buffer, label: string, length: number): Buffer {
  const name = Buffer.from(`tls13 ${label}`)
  const info = Buffer.concat([Buffer.from([0, length, name.length]), name, Buffer.from([0, 1])])
  return createHmac(hash, secret).update(info).digest().subarray(0, length)
}
