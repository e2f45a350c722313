// Checks, at installation, whether a certificate may sign for a purpose, so that it does not fail in a wallet later.
// `requestChainFault` judges the chain.

import { X509Certificate } from 'node:crypto'
import type { KeyKind } from '../algorithms.ts'
import { algorithmOfKey } from '../jose.ts'
import { type Certificate, certificateOrFault } from './certificate.ts'

/** `openid4vp` and `google` sign request objects; `iso-reader` and `apple` authenticate a reader. */
export type SigningPurpose = 'openid4vp' | 'iso-reader' | 'apple' | 'google'

/** ISO/IEC 18013-5 Annex B: mdoc reader authentication. */
const READER_AUTHENTICATION = '1.0.18013.5.1.6'

/** Google's registrar programme: the SHA-256 of what the wallet shows of the merchant. */
const GOOGLE_METADATA_HASH = '1.3.6.1.4.1.11129.10.1'

/** Returns why not; null if it may. */
export function signingPurposeFault(leaf: Uint8Array, purpose: SigningPurpose): string | null {
  if (purpose === 'openid4vp') return requestFault(leaf)
  const read = certificateOrFault(leaf)
  if (typeof read === 'string') return read
  if (read.basicConstraints?.ca === true) return 'the certificate is one of a certification authority'
  if (read.keyUsage?.uses.has('digitalSignature') !== true)
    return 'the certificate lacks the key usage digitalSignature'
  return purpose === 'google' ? googleFault(read) : readerFault(read)
}

/** Requires only what signing a request needs, because wallet ecosystems have their own profiles. */
function requestFault(leaf: Uint8Array): string | null {
  const signable = algorithmOfKey(new X509Certificate(leaf).publicKey) !== null
  return signable ? null : 'requests are signed with P-256, P-384, P-521 or Ed25519; this key is of another kind'
}

const READER_CURVES: ReadonlySet<KeyKind> = new Set(['P-256', 'P-384', 'P-521'])

/** Apple publishes no profile for its certificates, so the standard's profile applies. */
function readerFault({ kind, extendedKeyUsage }: Certificate): string | null {
  if (!READER_CURVES.has(kind)) return 'the key of a reader certificate must be on P-256, P-384 or P-521'
  if (extendedKeyUsage === null || !extendedKeyUsage.purposes.includes(READER_AUTHENTICATION))
    return `the certificate lacks the extended key usage ${READER_AUTHENTICATION} (mdoc reader authentication)`
  return extendedKeyUsage.critical ? null : 'the extended key usage of a reader certificate must be critical'
}

function googleFault({ kind, extensions }: Certificate): string | null {
  if (kind !== 'P-256') return 'the key of a certificate for Google Wallet must be on P-256'
  const hash = extensions.get(GOOGLE_METADATA_HASH)
  if (hash === undefined) return `the certificate lacks the extension ${GOOGLE_METADATA_HASH} (hash of the metadata)`
  if (hash.critical) return `the extension ${GOOGLE_METADATA_HASH} must not be critical`
  return isHash(hash.value) ? null : `the extension ${GOOGLE_METADATA_HASH} does not hold a SHA-256`
}

/** Whether this is a SHA-256, in an inner OCTET STRING or bare: Google's text allows both. */
function isHash(value: Uint8Array): boolean {
  return value.length === 32 || (value.length === 34 && value[0] === 0x04 && value[1] === 32)
}
