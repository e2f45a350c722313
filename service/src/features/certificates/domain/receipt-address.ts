// The address of a receipt on the page that verifies it. Browsers do not send its fragment, which is the receipt.

import { deflateRawSync } from 'node:zlib'

export const RECEIPT_PAGE = '/verify-receipt'

/**
 * `1.<index in the log>.<kid>.<deflated payload>.<signature>`, short enough for a QR code that a phone can read. Begins
 * with `2` if one signature covers several receipts. If the leaf has a salt, `.<salt>` follows.
 */
export function receiptAddress(
  baseUrl: string,
  jws: string,
  { index, salt }: { readonly index: number; readonly salt: Buffer | null },
): string {
  const [header = '', payload = '', signature = ''] = jws.split('.')
  const { alg, kid }: { alg: string; kid: string } = JSON.parse(Buffer.from(header, 'base64url').toString('utf8'))
  const packed = deflateRawSync(Buffer.from(payload, 'base64url'), { level: 9 }).toString('base64url')
  const parts = [alg === 'ES256' ? 1 : 2, index, kid, packed, signature, ...(salt ? [salt.toString('base64url')] : [])]
  return `${baseUrl}${RECEIPT_PAGE}#${parts.join('.')}`
}
