// Recognizes names that occur in every mdoc by comparing bytes, which costs a fraction of creating a string.

/** Returns null for every other text. */
export function commonName(bytes: Uint8Array, start: number, length: number): string | null {
  for (const { text, bytes: name } of COMMON_NAMES[length] ?? []) {
    let index = 0
    while (index < length && bytes[start + index] === name[index]) index += 1
    if (index === length) return text
  }
  return null
}

const COMMON_NAMES = [
  ...['version', 'documents', 'status', 'docType', 'issuerSigned', 'deviceSigned', 'nameSpaces', 'issuerAuth'],
  ...['deviceAuth', 'deviceSignature', 'digestID', 'random', 'elementIdentifier', 'elementValue', 'digestAlgorithm'],
  ...['valueDigests', 'deviceKeyInfo', 'deviceKey', 'validityInfo', 'signed', 'validFrom', 'validUntil', 'SHA-256'],
  ...['org.iso.18013.5.1', 'org.iso.18013.5.1.mDL', 'eu.europa.ec.eudi.pid.1', 'given_name', 'family_name'],
  ...['birth_date', 'issue_date', 'expiry_date', 'issuing_country', 'issuing_authority', 'document_number'],
].reduce((byLength: { text: string; bytes: Uint8Array }[][], text) => {
  byLength[text.length] = [...(byLength[text.length] ?? []), { text, bytes: Buffer.from(text) }]
  return byLength
}, [])
