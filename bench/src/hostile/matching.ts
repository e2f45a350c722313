// Builds responses to queries of a merchant that multiply what a holder sends: types, authorities, and paths through arrays.

import {
  type Budget,
  createChainCache,
  type Expected,
  parseQuery,
  readResponse,
  type Trust,
  verifyPresentation,
} from '@vidimus/engine'
import type { Members } from '../../../engine/test/sdjwt/mint-presentation.ts'
import * as sdJwt from '../../../engine/test/sdjwt/mint-presentation.ts'
import { extension, keyUsage } from '../../../engine/test/trust/mint-certificate.ts'
import { mintAuthority, mintSigner, NOW } from '../../../engine/test/trust/mint-pki.ts'
import type { Hostile } from './world.ts'

const PRESENTATIONS = 20
const KEY_ID = Buffer.alloc(20, 0x33)
const authority = mintAuthority({
  subject: { CN: 'Authority with an identifier' },
  extensions: [extension.authority(), extension.keyUsage(keyUsage.authority), extension.subjectKeyId(KEY_ID)],
})
const signer = mintSigner(authority, {
  extensions: [
    extension.noAuthority(),
    extension.keyUsage(keyUsage.digitalSignature),
    extension.authorityKeyId(KEY_ID),
  ],
})
const trust: Trust = {
  ...sdJwt.trust,
  haip: false,
  cache: createChainCache(5_000),
  anchors: [{ ...sdJwt.anchor, certificate: authority.der, types: ['dc+sd-jwt:*'] }],
}

export function matching(): readonly Hostile[] {
  const longType = (at: number) => `urn:${'x'.repeat(1_010)}:${1_000 + at}`
  const keyIds = [...many(999, (at) => Buffer.from(`${at}`.padStart(20, 'k'))), KEY_ID].map((id) =>
    id.toString('base64url'),
  )
  const names = many(64, (at) => `n${at}`)
  const wide = (length: number) => many(4, () => many(4, () => many(4, () => many(length, (at) => at))))
  return [
    answered('50 types of equal length beside 60 that a credential lists', {
      query: { meta: { vct_values: many(50, longType) } },
      payload: { aka_vcts: many(60, (at) => longType(at === 59 ? 49 : 100 + at)) },
    }),
    answered('1,000 authorities', {
      query: {
        trusted_authorities: many(20, (at) => ({ type: 'aki', values: keyIds.slice(50 * at, 50 * at + 50) })),
      },
    }),
    ...[20, 1].map((presentations) =>
      answered(`64 paths through arrays by index and by any element, ${presentations} presentations`, {
        presentations,
        // Each node below is on 8 of the paths: those that name it by its index, and those that name any.
        query: {
          claims: names.map((_, at) => ({ path: ['a', ...[4, 2, 1].map((bit) => (at & bit ? null : 0)), at + 1] })),
        },
        payload: { a: wide(presentations === 1 ? 80 : 4) },
      }),
    ),
  ]
}

const many = <Item>(count: number, item: (at: number) => Item) => Array.from({ length: count }, (_, at) => item(at))

interface Shape {
  readonly presentations?: number
  readonly query: object
  readonly payload?: Members
}

function answered(kind: string, { presentations = PRESENTATIONS, query, payload = {} }: Shape): Hostile {
  const credential = { id: 'q', format: 'dc+sd-jwt', meta: { vct_values: [sdJwt.VCT] }, multiple: true, ...query }
  const expected: Expected = { ...sdJwt.expected, query: parseQuery({ credentials: [credential] }), encryption: null }
  const presented = many(presentations, (at) =>
    sdJwt.mintPresentation({
      concealed: {},
      header: (header) => ({ ...header, x5c: [sdJwt.base64(signer.der)] }),
      signWith: signer.privateKey,
      payload: (own) => ({ ...own, iat: NOW - 100 - at, ...payload }),
    }),
  )
  const judge = async (body: Uint8Array, budget: Budget) => {
    const response = readResponse(body, { encryption: null, state: null }, budget)
    if (response.kind !== 'presentation') return response.kind
    const verdict = await verifyPresentation(response.vpToken, expected, trust, budget)
    return verdict.outcome === 'accepted' ? 'accepted' : `${verdict.code}: ${verdict.message}`
  }
  return { kind: `matching: ${kind}`, body: Buffer.from(`vp_token=${JSON.stringify({ q: presented })}`), judge }
}
