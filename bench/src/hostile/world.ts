// Defines the request that hostile responses answer, and passes a response to the engine as the service does.

import { generateKeyPairSync } from 'node:crypto'
import {
  type Budget,
  createChainCache,
  type Expected,
  parseQuery,
  readResponse,
  type Trust,
  verifyPresentation,
} from '@vidimus/engine'
import { anchor as licenceAnchor, MDL, MDL_SPACE } from '../../../engine/test/mdoc/mint-mdoc.ts'
import { encrypt } from '../../../engine/test/openid4vp/mint-jwe.ts'
import * as sdJwt from '../../../engine/test/sdjwt/mint-presentation.ts'
import type { Minted } from '../../../engine/test/trust/mint-certificate.ts'
import { mintAuthority, mintSigner } from '../../../engine/test/trust/mint-pki.ts'

const reader = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const KID = 'reader'

/** The most expensive authorities that an operator may have installed. */
export const authorities = {
  p521: mintAuthority({
    subject: { CN: 'Authority on P-521', C: 'UT' },
    key: generateKeyPairSync('ec', { namedCurve: 'P-521' }),
  }),
  rsa: mintAuthority({
    subject: { CN: 'Authority with RSA', C: 'UT' },
    key: generateKeyPairSync('rsa', { modulusLength: 4096 }),
  }),
}
/** Pinned signers. The engine searches for their issuer among the other presented certificates. */
const issuerOfPinned = { CN: 'Issuer of a pinned signer', C: 'UT' }
export const pinned = {
  ec: mintSigner(mintAuthority({ subject: issuerOfPinned })),
  rsa: mintSigner(mintAuthority({ subject: issuerOfPinned, key: generateKeyPairSync('rsa', { modulusLength: 3072 }) })),
} as const satisfies Record<string, Minted>

const credentialQuery = { id: 'identity', format: 'dc+sd-jwt', meta: { vct_values: [sdJwt.VCT] }, multiple: true }
const expected: Expected = {
  ...sdJwt.expected,
  query: parseQuery({
    credentials: [
      { ...credentialQuery, claims: [{ path: ['given_name'] }] },
      {
        id: 'licence',
        format: 'mso_mdoc',
        meta: { doctype_value: MDL },
        claims: [{ path: [MDL_SPACE, 'given_name'] }],
        multiple: true,
      },
    ],
    credential_sets: [{ options: [['identity'], ['licence']] }],
  }),
  encryption: null,
}
const trust: Trust = {
  anchors: [
    sdJwt.anchor,
    licenceAnchor,
    { ...sdJwt.anchor, certificate: authorities.p521.der },
    { ...sdJwt.anchor, certificate: authorities.rsa.der },
    { ...sdJwt.anchor, certificate: pinned.ec.der, kind: 'pinned' },
    { ...sdJwt.anchor, certificate: pinned.rsa.der, kind: 'pinned' },
  ],
  statusPolicy: 'prefer',
  haip: false,
  cache: createChainCache(5_000),
  fetchStatus: () => Promise.resolve({ outcome: 'unavailable', reason: 'nothing is served here' }),
}

export interface Hostile {
  readonly kind: string
  readonly body: Uint8Array
  /** Does with the body what the service does. Returns the outcome as a word. */
  readonly judge: (body: Uint8Array, budget: Budget) => Promise<string>
}

type ReaderKey = Parameters<typeof readResponse>[1]['encryption']

const judgeClear: Hostile['judge'] = (body, budget) => judgeResponse(body, budget, null)
const judgeSealed: Hostile['judge'] = (body, budget) =>
  judgeResponse(body, budget, { privateKey: reader.privateKey, kid: KID })

async function judgeResponse(body: Uint8Array, budget: Budget, encryption: ReaderKey): Promise<string> {
  const response = readResponse(body, { encryption, state: null }, budget)
  if (response.kind !== 'presentation') return response.kind
  const verdict = await verifyPresentation(response.vpToken, expected, trust, budget)
  return verdict.outcome === 'accepted' ? 'accepted' : verdict.code
}

export function inClear(kind: string, body: string | Uint8Array): Hostile {
  return { kind, body: Buffer.from(body), judge: judgeClear }
}

/** The unencrypted vp_token, percent-encoded like a wallet does. */
export function token(kind: string, vpToken: unknown): Hostile {
  return inClear(kind, `vp_token=${encodeURIComponent(JSON.stringify(vpToken))}`)
}

export function sealed(
  kind: string,
  plaintext: string | Uint8Array,
  plan: Parameters<typeof encrypt>[2] = {},
): Hostile {
  return {
    kind,
    body: Buffer.from(`response=${encrypt(plaintext, reader.publicKey, { kid: KID, ...plan })}`),
    judge: judgeSealed,
  }
}
