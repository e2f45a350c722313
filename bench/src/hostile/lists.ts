// Builds genuine documents, each with its own status or revocation list, as expensive as the limits allow.

import { deflateSync } from 'node:zlib'
import {
  type Budget,
  createChainCache,
  LIMITS,
  type StatusSource,
  type Trust,
  verifyPresentation,
} from '@vidimus/engine'
import { cbor, date, expected, head, MDL, mintMdoc, NOW, Raw } from '../../../engine/test/mdoc/mint-mdoc.ts'
import { mintCwt } from '../../../engine/test/status/mint-status.ts'
import { createListBudgets } from '../../../service/src/features/trust/outbound/list-budgets.ts'
import { createListReader } from '../../../service/src/features/trust/outbound/list-reader.ts'
import { many } from './identities.ts'
import { authority, query, signer } from './merchants-issuer.ts'
import { namingLists } from './named-certificates.ts'
import type { Hostile } from './world.ts'

const TYPE = { identifier_list: 'application/identifierlist+cwt', status_list: 'application/statuslist+cwt' } as const

export function lists(): readonly Hostile[] {
  return [
    stormOf('20 genuine documents without a list', null),
    stormOf('16 identifier lists of 2 MB', identifiers(240_000, 6)),
    stormOf('16 identifier lists of 500,000', identifiers(500_000, 4)),
    stormOf('16 identifier lists of 5 MB', identifiers(600_000, 6)),
    stormOf('16 identifier lists of a million short identifiers', identifiers(1_000_000, 3)),
    stormOf('16 status lists that unpack to 16 MiB', { status_list: { bits: 1, lst: bomb() } }),
    ...namingLists(),
  ]
}

type ListContent = { readonly identifier_list: unknown } | { readonly status_list: unknown }

function stormOf(kind: string, content: ListContent | null): Hostile {
  // The limit: if a response names one list more, none is fetched.
  const uris = many(content === null ? 20 : LIMITS.lists, (at) => `https://issuer.example/lists/${at}`)
  const mechanism = content !== null && 'status_list' in content ? 'status_list' : 'identifier_list'
  const documents = uris.map((uri, at) => {
    const own = mechanism === 'status_list' ? { idx: 5, uri } : { id: Buffer.from('cafe', 'hex'), uri }
    const status = content === null ? {} : { status: { [mechanism]: own } }
    const validityInfo = { signed: date(NOW - 3600 - at), validFrom: date(NOW - 3600), validUntil: date(NOW + 86_400) }
    return mintMdoc({ signer, mso: (members) => ({ ...members, validityInfo, ...status }) })
  })
  const served = new Map(content === null ? [] : uris.map((uri) => [uri, listAt(uri, content)]))
  const body = Buffer.from(JSON.stringify({ licence: documents }))
  return { kind: `lists: ${kind}`, body, judge: (bytes, budget) => judge(bytes, budget, served) }
}

function listAt(uri: string, content: ListContent): Buffer {
  const claims = new Map<number, unknown>([
    [2, uri],
    [65533, 'status_list' in content ? content.status_list : undefined],
    [65530, 'identifier_list' in content ? content.identifier_list : undefined],
  ])
  return mintCwt({ by: signer, type: 'status_list' in content ? TYPE.status_list : TYPE.identifier_list, claims })
}

/** These budgets are so large that only the limits of one response apply. */
const budgets = createListBudgets({ lists: 1e9, bytes: 1e12, items: 1e12 })

/** Shared by all rows. Its threads do not keep the process alive. */
const reader = createListReader()

async function judge(body: Uint8Array, budget: Budget, served: ReadonlyMap<string, Buffer>): Promise<string> {
  const vpToken = JSON.parse(Buffer.from(body).toString()) as { licence: string[] }
  let turn = Promise.resolve()
  const trust: Trust = {
    anchors: [{ kind: 'ca', certificate: authority.der, types: [`mso_mdoc:${MDL}`], profile: 'generic' }],
    statusPolicy: 'prefer',
    haip: false,
    cache: CACHE,
    fetchStatus: async ({ uri, kind }, budget) => {
      // Like the service, reads lists one after another, so that each read knows what is left of the budget.
      const before = turn
      const { promise, resolve: next } = Promise.withResolvers<void>()
      turn = promise
      await before
      using _ = { [Symbol.dispose]: next }
      const lookup = { owner: null, budget, nowMs: 0 }
      if (!budgets.mayRead(lookup)) return SPENT
      // Copies the bytes, because bytes from the network are in no cache.
      const bytes = new Uint8Array(served.get(uri) ?? [])
      const done = await reader.read({ bytes, kind, limit: budgets.limitOfNext(lookup) }, new Set(['one']))
      budgets.spend(lookup, done?.cost ?? { bytes: 0, items: 0 }, done !== null && done.read !== null)
      if (done?.isOverBudget === true) return SPENT
      if (done?.read == null) return { outcome: 'unavailable', reason: 'it cannot be read' }
      const contentType = mediaOf(kind)
      return { outcome: 'fetched', bytes: done.read.bytes, contentType, stale: false, content: done.read.content }
    },
  }
  const verdict = await verifyPresentation(vpToken, { ...expected, query }, trust, budget)
  const passed = verdict.credentials.filter(({ checks }) =>
    checks.some(({ check, status }) => check === 'not_revoked' && status === 'pass'),
  )
  return `${verdict.outcome}, the status of ${passed.length} established`
}

const CACHE = createChainCache(5_000)
const SPENT = { outcome: 'unavailable', reason: 'too many or too long lists', overBudget: 'response' } as const
const mediaOf = (kind: StatusSource['kind']) => (kind === 'status_list_cwt' ? TYPE.status_list : TYPE.identifier_list)

/** `count` identifiers of `idBytes` bytes, in no order, as issuers assign them. */
function identifiers(count: number, idBytes: number): ListContent {
  const ids = Buffer.alloc(count * (idBytes + 2))
  for (let at = 0; at < count; at += 1) {
    const offset = at * (idBytes + 2)
    ids[offset] = 0x40 + idBytes
    ids.writeUIntBE((at * 7_919) % 2 ** (8 * Math.min(idBytes, 4)), offset + 1, Math.min(idBytes, 4))
    ids[offset + 1 + idBytes] = 0xa0
  }
  return { identifier_list: new Raw(cbor({ identifiers: new Raw(Buffer.concat([head(5, count), ids])) })) }
}

function bomb(): Buffer {
  return deflateSync(Buffer.alloc(16 * 1024 * 1024))
}
