// Builds genuine documents whose lists name certificates that are as expensive to parse as possible.

import { createPublicKey, ECDH, generateKeyPairSync } from 'node:crypto'
import {
  type Budget,
  createChainCache,
  type ListContent,
  readList,
  type Trust,
  verifyPresentation,
} from '@vidimus/engine'
import { date, expected, MDL, mintMdoc, NOW } from '../../../engine/test/mdoc/mint-mdoc.ts'
import { mintCwt } from '../../../engine/test/status/mint-status.ts'
import {
  extension,
  extensionOf,
  mintCertificate,
  oid,
  sequence,
  tlv,
} from '../../../engine/test/trust/mint-certificate.ts'
import { mintAuthority } from '../../../engine/test/trust/mint-pki.ts'
import { many } from './identities.ts'
import { authority, query, signer } from './merchants-issuer.ts'
import type { Hostile } from './world.ts'

const URI = 'https://issuer.example/lists/1'

const LISTS = {
  status_list_cwt: listOf('application/statuslist+cwt', new Map([[2, URI]])),
  identifier_list_cwt: listOf(
    'application/identifierlist+cwt',
    new Map<number, unknown>([
      [2, URI],
      [65533, undefined],
      [65530, { identifiers: {} }],
    ]),
  ),
} as const

function listOf(contentType: string, claims: Map<number, unknown>) {
  const bytes = mintCwt({ by: signer, headers: new Map([[33, undefined]]), type: contentType, claims })
  const kind = contentType.includes('identifier') ? 'identifier_list_cwt' : 'status_list_cwt'
  const content: ListContent | null = readList(bytes, kind)
  if (content === null) throw new Error('bug: the list cannot be read')
  return { outcome: 'fetched', bytes, content, contentType, stale: false } as const
}

const trust: Trust = {
  anchors: [{ kind: 'ca', certificate: authority.der, types: [`mso_mdoc:${MDL}`], profile: 'generic' }],
  statusPolicy: 'prefer',
  haip: false,
  cache: createChainCache(5_000),
  fetchStatus: async ({ kind }) =>
    kind === 'status_list_cwt' || kind === 'identifier_list_cwt'
      ? LISTS[kind]
      : { outcome: 'unavailable', reason: 'nothing is served here' },
}

export function namingLists(): readonly Hostile[] {
  return [
    storm('20 documents with two lists each', () => ({})),
    storm('20 documents that name 40 certificates for their lists', (at) => ({ certificate: expensive(at) })),
  ]
}

function storm(kind: string, naming: (index: number) => { readonly certificate?: Uint8Array }): Hostile {
  const licence = many(20, (at) => {
    const validityInfo = { signed: date(NOW - 3600 - at), validFrom: date(NOW - 3600), validUntil: date(NOW + 86_400) }
    const status = {
      status_list: { idx: 5, uri: URI, ...naming(2 * at) },
      identifier_list: { id: Buffer.from('cafe', 'hex'), uri: URI, ...naming(2 * at + 1) },
    }
    return mintMdoc({ signer, mso: (members) => ({ ...members, validityInfo, status }) })
  })
  return { kind: `lists: ${kind}`, body: Buffer.from(JSON.stringify({ licence })), judge }
}

async function judge(body: Uint8Array, budget: Budget): Promise<string> {
  const vpToken = JSON.parse(Buffer.from(body).toString()) as { licence: string[] }
  const verdict = await verifyPresentation(vpToken, { ...expected, query }, trust, budget)
  return verdict.outcome === 'accepted' ? 'accepted' : verdict.code
}

const p521 = generateKeyPairSync('ec', { namedCurve: 'P-521' })
const by = mintAuthority({})
const point = sequence(tlv(0xa0, tlv(0xa0, tlv(0x86, Buffer.from('http://a')))))
const names = sequence(...Array<Uint8Array>(90).fill(tlv(0x82, Buffer.from('a'))))

/** A certificate with a compressed point, whose second coordinate must be computed, long names and many extensions. */
function expensive(index: number): Uint8Array {
  const spki = p521.publicKey.export({ type: 'spki', format: 'der' })
  const compressed = ECDH.convertKey(spki.subarray(-133), 'secp521r1', undefined, undefined, 'compressed')
  const key = Buffer.from(
    sequence(
      sequence(oid('2a8648ce3d0201'), oid('2b81040023')),
      tlv(0x03, Buffer.concat([Buffer.of(0), Buffer.from(compressed)])),
    ),
  )
  const name = sequence(
    ...Array<Uint8Array>(40).fill(tlv(0x31, sequence(oid('550403'), tlv(0x0c, Buffer.from('\u00e4'))))),
  )
  return mintCertificate(
    {
      key: { publicKey: createPublicKey({ key, format: 'der', type: 'spki' }), privateKey: p521.privateKey },
      serial: Buffer.of(1, index + 1),
      subjectName: name,
      issuer: name,
      extensions: [
        extension.noAuthority(),
        extensionOf('551d1f', false, sequence(...Array<Uint8Array>(90).fill(point))),
        extensionOf('551d11', false, names),
        extensionOf('551d12', false, names),
      ],
    },
    by,
  ).der
}
