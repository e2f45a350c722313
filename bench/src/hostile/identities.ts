// Builds hostile SD-JWTs that are expensive to verify: by an untrusted issuer, and by a holder of a genuine credential.

import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import {
  authority,
  base64,
  digest,
  elementDisclosure,
  encode,
  type Members,
  mintPresentation,
  type Plan,
  signer,
} from '../../../engine/test/sdjwt/mint-presentation.ts'
import { extension, extensionOf, keyUsage, sequence, tlv } from '../../../engine/test/trust/mint-certificate.ts'
import { mintAuthority, mintSigner, NOW } from '../../../engine/test/trust/mint-pki.ts'
import { type Hostile, sealed, token } from './world.ts'

const untrustedSigner = mintSigner(mintAuthority({ subject: { CN: 'Untrusted issuer', C: 'UT' } }))
const p521 = generateKeyPairSync('ec', { namedCurve: 'P-521' })
const p521Signer = mintSigner(mintAuthority(), { key: p521 })

/** A trusted signer with an alternative name, which `iss` is compared with. */
const namedSigner = mintSigner(authority, {
  extensions: [
    extension.noAuthority(),
    extension.keyUsage(keyUsage.digitalSignature),
    extensionOf('551d11', false, sequence(tlv(0x82, Buffer.from('issuer.example')))),
  ],
})

/** The most expensive host to parse: a letter that normalizes to six, repeated, and thousands of different letters. */
const COSTLY_HOST = `${'\u3316'.repeat(2_164)}${Array.from({ length: 3_276 }, (_, i) => String.fromCodePoint(0x4e00 + i)).join('')}`

function named(kind: string, count: number, signWith: KeyObject): Hostile {
  const identity = many(count, (i) =>
    mintPresentation({
      signWith,
      header: (header) => ({ ...header, x5c: [base64(namedSigner.der)] }),
      payload: (payload) => ({ ...payload, iss: `ftp://${COSTLY_HOST}`, iat: NOW - 100 - i }),
    }),
  )
  return token(`issuer name: ${kind}`, { identity })
}

/** A presentation that an untrusted issuer signed. */
export function forged(plan: Plan = {}): string {
  return mintPresentation({
    signWith: untrustedSigner.privateKey,
    ...plan,
    header: (header) => (plan.header ?? same)({ ...header, x5c: [base64(untrustedSigner.der)] }),
  })
}

export const many = (count: number, make: (index: number) => string): string[] =>
  Array.from({ length: count }, (_, i) => make(i))

export function identities(): readonly Hostile[] {
  return [
    token('a genuine SD-JWT', { identity: [mintPresentation()] }),
    token('20 genuine presentations of one credential', { identity: many(20, () => mintPresentation()) }),
    token('20 different genuine SD-JWTs', {
      identity: many(20, (i) => mintPresentation({ payload: (payload) => ({ ...payload, iat: NOW - 100 - i }) })),
    }),
    named('an address of 16 kB beyond ASCII, unsigned', 1, untrustedSigner.privateKey),
    named('20 × an address of 16 kB beyond ASCII, genuine', 20, namedSigner.privateKey),
    token('20 forgeries', { identity: many(20, () => forged()) }),
    token('20 that end in nothing', { identity: many(20, () => '~') }),
    token('tildes', { identity: ['~'.repeat(990_000), '~'.repeat(990_000)] }),
    token('20 × tildes', { identity: many(20, () => '~'.repeat(98_000)) }),
    token('dots', { identity: ['.'.repeat(990_000), '.'.repeat(990_000)] }),
    token('one letter a million times', { identity: many(2, () => 'A'.repeat(990_000)) }),
    token('500 disclosures', { identity: [forged({ concealed: claims(500) })] }),
    token('20 × 500 disclosures', { identity: many(20, () => forged({ concealed: claims(500) })) }),
    token('genuine, then 19 × 500 disclosures', {
      identity: [mintPresentation(), ...many(19, () => forged({ concealed: claims(500) }))],
    }),
    token('20 payloads of many values', {
      identity: many(20, () => forged({ payload: (payload) => ({ ...payload, more: Array(19_000).fill(0) }) })),
    }),
    token('20 payloads of many members', { identity: many(20, (i) => forged({ payload: wide(5_000, i) })) }),
    token('a payload of many members', { identity: [forged({ payload: wide(9_000) })] }),
    token('a payload of members like array indices', { identity: [forged({ payload: wide(9_000, 0, 4001) })] }),
    token('20 headers of many members', {
      identity: many(20, (i) => forged({ header: wide(5_000, i) })),
    }),
    token('20 key bindings of many members', {
      identity: many(20, (i) => forged({ bindingHeader: wide(2_500, i), binding: wide(2_500, i) })),
    }),
    token('digests without disclosures', { identity: [forged({ payload: decoys(9_000) })] }),
    token('20 × digests without disclosures', { identity: many(20, () => forged({ payload: decoys(1_500) })) }),
    token('disclosures of many values', { identity: [forged({ concealed: { given_name: Array(9_000).fill([]) } })] }),
    token('20 × disclosures of many values', {
      identity: many(20, () => forged({ concealed: { given_name: Array(19_000).fill(0) } })),
    }),
    token('disclosures inside disclosures', { identity: many(20, () => forged(nested(30, 15))) }),
    token('array elements, each disclosed', { identity: [forged(elements(495))] }),
    token('a portrait as large as it may be', {
      identity: many(2, () =>
        forged({ concealed: { given_name: 'x', a: 'A'.repeat(260_000), b: 'B'.repeat(260_000) } }),
      ),
    }),
    token('SHA-512 over a megabyte, several times', {
      identity: many(2, () =>
        forged({
          payload: (payload) => ({ ...payload, _sd_alg: 'sha-512', more: 'x'.repeat(700_000) }),
          disclosures: () => [],
        }),
      ),
    }),
    token('escapes in disclosures', { identity: many(4, () => forged({ concealed: { a: '\n'.repeat(120_000) } })) }),
    token('a key of the holder and a signer on P-521', {
      identity: many(20, () =>
        forged({
          header: (header) => ({ ...header, alg: 'ES512', x5c: [base64(p521Signer.der)] }),
          payload: (payload) => ({ ...payload, cnf: { jwk: p521.publicKey.export({ format: 'jwk' }) } }),
          sign: es512,
          bindingHeader: (header) => ({ ...header, alg: 'ES512' }),
          bindingJwt: (jwt) => `${jwt.split('.', 2).join('.')}.${es512(jwt.split('.', 2).join('.'))}`,
        }),
      ),
    }),
    token('signatures of the right length and nothing else', {
      identity: many(20, () => forged({ sign: () => randomBytes(64).toString('base64url') })),
    }),
    token("a trusted issuer's certificate on 2 MB it never signed", {
      identity: [
        mintPresentation({
          header: (header) => ({ ...header, x5c: [base64(signer.der)] }),
          payload: (payload) => ({ ...payload, more: 'x'.repeat(700_000) }),
          signWith: untrustedSigner.privateKey,
        }),
      ],
    }),
    sealed(
      'JWE: as much as fits, one presentation of many disclosures',
      JSON.stringify({
        vp_token: { identity: many(2, () => forged({ concealed: { ...claims(400), big: 'A'.repeat(250_000) } })) },
      }),
    ),
  ]
}

function claims(count: number): Members {
  return Object.fromEntries(many(count, (i) => `claim_${i}`).map((name) => [name, `value of ${name}`]))
}

function wide(count: number, from = 0, step = 0): (members: Members) => Members {
  return (members) => ({
    ...members,
    ...Object.fromEntries(
      many(count, (i) => (step === 0 ? `m${from}_${i}` : `${(from + i) * step}`)).map((name) => [name, 0]),
    ),
  })
}

function decoys(count: number): (payload: Members) => Members {
  return (payload) => ({ ...payload, _sd: many(count, (i) => digest(String(i))) })
}

/** Chains of disclosures, each inside the previous disclosure. */
function nested(depth: number, chains: number): Plan {
  const links: string[] = []
  const ends = many(chains, (chain) => {
    let value: unknown = 1
    for (let i = 0; i < depth; i++) {
      const link = encode([`${chain} ${i}`, 'a', value])
      links.push(link)
      value = { _sd: [digest(link)] }
    }
    const last = encode([`${chain} end`, `c${chain}`, value])
    links.push(last)
    return digest(last)
  })
  return { payload: (payload) => ({ ...payload, _sd: ends }), disclosures: () => links }
}

function elements(count: number): Plan {
  const elements = many(count, (i) => elementDisclosure(`element ${i}`))
  return {
    payload: (payload) => ({ ...payload, _sd: [], list: elements.map((text) => ({ '...': digest(text) })) }),
    disclosures: () => elements,
  }
}

function es512(input: string): string {
  return sign('sha512', Buffer.from(input), { key: p521.privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url')
}

function same(members: Members): Members {
  return members
}
