// Builds hostile responses that are expensive in several ways at once: each nearly reaches several limits and exceeds none.

import { generateKeyPairSync, sign } from 'node:crypto'
import { LIMITS, PRICES, VERIFICATION } from '../../../engine/src/limits.ts'
import { base64 } from '../../../engine/test/sdjwt/mint-presentation.ts'
import { mintAuthority, mintSigner } from '../../../engine/test/trust/mint-pki.ts'
import { forged, many } from './identities.ts'
import { type Hostile, inClear, sealed } from './world.ts'

const p521 = generateKeyPairSync('ec', { namedCurve: 'P-521' })
const signer = mintSigner(mintAuthority(), { key: p521 })

const es512 = (input: string) =>
  sign('sha512', Buffer.from(input), { key: p521.privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url')

/** A presentation with this many bytes and escapes. Issuer and holder sign with P-521; `digest` is its `_sd_alg`. */
function expensive(bytes: number, escapes: number, digest: string): string {
  const long = '\n'.repeat(escapes) + 'x'.repeat(bytes)
  const isDisclosed = digest === 'sha-256'
  return forged({
    concealed: isDisclosed ? { a: long.slice(0, 200_000), b: long.slice(200_000) } : {},
    header: (header) => ({ ...header, alg: 'ES512', x5c: [base64(signer.der)] }),
    payload: (payload) => ({
      ...payload,
      _sd_alg: digest,
      ...(isDisclosed ? {} : { more: long }),
      cnf: { jwk: p521.publicKey.export({ format: 'jwk' }) },
    }),
    sign: es512,
    bindingHeader: (header) => ({ ...header, alg: 'ES512' }),
    bindingJwt: (jwt) => `${jwt.split('.', 2).join('.')}.${es512(jwt.split('.', 2).join('.'))}`,
  })
}

/** Escapes as many letters as allowed, evenly spread, so that no unescaped run is long. */
export function escaped(text: string): string {
  const plain = encodeURIComponent(text)
  const free = LIMITS.formEscapes - (plain.match(/%/g)?.length ?? 0)
  const step = Math.max(1, Math.ceil(plain.length / free))
  return plain.replace(/%..|[\w-]/g, (letter, at: number) =>
    letter.length === 1 && at % step === 0 ? `%${letter.charCodeAt(0).toString(16)}` : letter,
  )
}

/** How many bytes the budget leaves for hashing, after the signatures and parsing. */
const HASHED = (LIMITS.work / VERIFICATION / 2 - 4) * PRICES.hashedBytes
/** The cost of hashing a byte for the issuer's signature and for `sd_hash`, in units of SHA-2. */
const TIMES = { 'sha-256': 2, 'sha-512': 2, 'sha3-512': 4 } as const

export function combined(): readonly Hostile[] {
  // The first presentation spends the budget for signatures. Later presentations are only parsed, and fill the response.
  const vpToken = (digest: keyof typeof TIMES, count: number, bytes: number) => {
    const escapes = Math.floor((LIMITS.jsonEscapes - 100) / count)
    const first = Math.floor(((HASHED / TIMES[digest]) * 3) / 4) - escapes * 2
    return JSON.stringify({
      identity: many(count, (at) =>
        expensive(at === 0 ? Math.min(Math.max(first, 1_000), 350_000) : bytes, escapes, digest),
      ),
    })
  }
  return (['sha-256', 'sha-512', 'sha3-512'] as const).flatMap((digest) => [
    inClear(`combined: hashing (${digest}), escapes, P-521`, `vp_token=${escaped(vpToken(digest, 2, 600_000))}`),
    inClear(`combined: the same in four presentations (${digest})`, `vp_token=${escaped(vpToken(digest, 4, 300_000))}`),
    sealed(`combined: the same, encrypted (${digest})`, `{"vp_token":${vpToken(digest, 2, 600_000)}}`),
  ])
}
