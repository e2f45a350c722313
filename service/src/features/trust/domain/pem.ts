// Reads certificates and keys that operators upload: DER, or PEM with one or more in a file.

const CERTIFICATE = /-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----/g

/** DER of each certificate, in order; empty if there is none. */
export function certificatesIn(bytes: Uint8Array): Uint8Array[] {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')
  const found = [...text.matchAll(CERTIFICATE)].map(([, base64 = '']) => new Uint8Array(Buffer.from(base64, 'base64')))
  // A DER certificate begins with the tag of a SEQUENCE. Other bytes without PEM contain no certificate.
  return found.length === 0 && bytes[0] === 0x30 ? [bytes] : found
}

export function toPem(label: 'CERTIFICATE' | 'CERTIFICATE REQUEST', der: Uint8Array): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`
}
