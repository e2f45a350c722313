// Tests the status within the whole verification: what the policy decides, and when no list is fetched.

import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { deflateSync } from 'node:zlib'
import type { StatusAnswer } from '../src/expected.ts'
import { LIMITS } from '../src/limits.ts'
import { createChainCache } from '../src/trust/cache.ts'
import { acceptance, asking, identity, rejection } from './judgement.ts'
import * as sdJwt from './sdjwt/mint-presentation.ts'
import { mintJwt, pack } from './status/mint-status.ts'
import { extension, keyUsage, type Minted } from './trust/mint-certificate.ts'
import { mintAuthority, mintSigner } from './trust/mint-pki.ts'

const { mintPresentation } = sdJwt

const status = { status_list: { idx: 0, uri: 'https://status.example/1' } }
const withStatus = mintPresentation({ payload: (payload) => ({ ...payload, status }) })
const endless = mintPresentation({ payload: ({ exp: _, ...payload }) => payload })

test('an unknown status rejects if it is required and warns if it is preferred', async () => {
  const rejected = await rejection({ identity: [withStatus] }, { trust: { statusPolicy: 'require' } })
  assert.equal(rejected.code, 'status_unavailable')
  const [warned] = await acceptance({ identity: [withStatus] }, { trust: { statusPolicy: 'prefer' } })
  assert.equal(warned?.checks.find(({ check }) => check === 'not_revoked')?.status, 'warning')
})

test('a credential without status is accepted if it expires or the status is only preferred', async () => {
  const [credential] = await acceptance({ identity: [mintPresentation()] }, { trust: { statusPolicy: 'require' } })
  const check = credential?.checks.find(({ check }) => check === 'not_revoked')
  assert.deepEqual(check, { check: 'not_revoked', status: 'skipped', detail: 'the credential names no status' })
  await acceptance({ identity: [endless] }, { trust: { statusPolicy: 'prefer' } })
  assert.equal(
    (await rejection({ identity: [endless] }, { trust: { statusPolicy: 'require' } })).code,
    'status_unavailable',
  )
})

test('fetches no list for a credential that has already failed', async () => {
  let requestCount = 0
  const fetchStatus = (): Promise<StatusAnswer> => {
    requestCount += 1
    return Promise.resolve({ outcome: 'unavailable', reason: 'counted' })
  }
  const payload = (members: sdJwt.Members): sdJwt.Members => ({ ...members, status })
  const both = asking({ credentials: [identity, { ...identity, id: 'second' }] })
  await rejection(
    { identity: [mintPresentation({ payload, bindWith: sdJwt.signer.privateKey })] },
    { trust: { fetchStatus } },
  )
  await rejection(
    { identity: [withStatus], second: [mintPresentation({ bindingJwt: () => '' })] },
    { expected: both, trust: { fetchStatus } },
  )
  await rejection({ identity: [withStatus] }, { expected: both, trust: { fetchStatus } })
  assert.equal(requestCount, 0)
  await acceptance({ identity: [withStatus] }, { trust: { fetchStatus } })
  assert.equal(requestCount, 1)
})

const listUri = (at: number) => `https://status.example/${at}`
const withListAt = (uri: string, at: number) =>
  mintPresentation({ payload: (payload) => ({ ...payload, jti: `${at}`, status: { status_list: { idx: 0, uri } } }) })
const several = asking({ credentials: [{ ...identity, multiple: true }] })

test('a response that names too many lists is refused under every policy, and none of them is fetched', async () => {
  const requests: string[] = []
  const fetchStatus = async ({ uri }: { uri: string }): Promise<StatusAnswer> => {
    requests.push(uri)
    return { outcome: 'unavailable', reason: 'counted' }
  }
  const presentations = Array.from({ length: 20 }, (_, at) => withListAt(listUri(at), at))
  for (const statusPolicy of ['prefer', 'require'] as const) {
    requests.length = 0
    const trust = { fetchStatus, statusPolicy }
    const rejected = await rejection({ identity: presentations }, { expected: several, trust })
    assert.deepEqual(requests, [])
    assert.equal(rejected.code, 'status_unavailable')
    const last = rejected.credentials.at(-1)?.checks.find(({ check }) => check === 'not_revoked')
    assert.match(last?.detail ?? '', /more or longer status lists than one response may use/)
  }
  const fewer = presentations.slice(0, LIMITS.lists)
  await acceptance({ identity: fewer }, { expected: several, trust: { fetchStatus, statusPolicy: 'prefer' } })
  assert.equal(requests.length, LIMITS.lists)
})

test('the revocation lists of signers count as well, before any list is fetched', async () => {
  const requests: string[] = []
  const fetchStatus = async ({ uri }: { uri: string }): Promise<StatusAnswer> => {
    requests.push(uri)
    return { outcome: 'unavailable', reason: 'counted' }
  }
  const { authority } = sdJwt
  const listed = mintSigner(authority, {
    extensions: [extension.noAuthority(), extension.keyUsage(keyUsage.digitalSignature), extension.crlAt(listUri(99))],
  })
  const presentations = Array.from({ length: LIMITS.lists }, (_, at) =>
    mintPresentation({
      header: (header) => ({ ...header, x5c: [Buffer.from(listed.der).toString('base64')] }),
      signWith: listed.privateKey,
      payload: (payload) => ({ ...payload, jti: `${at}`, status: { status_list: { idx: 0, uri: listUri(at) } } }),
    }),
  )
  await rejection({ identity: presentations }, { expected: several, trust: { fetchStatus, statusPolicy: 'require' } })
  assert.deepEqual(requests, [])
  await rejection(
    { identity: presentations.slice(1) },
    { expected: several, trust: { fetchStatus, statusPolicy: 'require' } },
  )
  assert.equal(requests.length, LIMITS.lists)
})

test('a list that every credential of a response names is fetched once and counted once', async () => {
  let requestCount = 0
  const fetchStatus = async (): Promise<StatusAnswer> => {
    requestCount += 1
    return { outcome: 'unavailable', reason: 'counted' }
  }
  const presentations = Array.from({ length: 20 }, (_, at) => withListAt(listUri(0), at))
  await acceptance({ identity: presentations }, { expected: several, trust: { fetchStatus } })
  assert.equal(requestCount, 1)
})

/** Each makes expensive chains of signers: by the type of their authority's key, or by the number of certificates. */
for (const [what, chainOf] of Object.entries({
  signatures: () => {
    const above = mintAuthority({ subject: { CN: 'Lists' }, key: generateKeyPairSync('ec', { namedCurve: 'P-521' }) })
    return (at: number) => ({ anchor: above, chain: [mintSigner(above, { subject: { CN: `Lists ${at}` } })] })
  },
  certificates: () => {
    const above = mintAuthority({ subject: { CN: 'Lists' } })
    return (at: number) => {
      const between: Minted[] = []
      for (let depth = 1; depth < LIMITS.chainLength; depth++)
        between.unshift(mintAuthority({ subject: { CN: `Lists ${at} ${depth}` } }, between[0] ?? above))
      return { anchor: above, chain: [mintSigner(between[0] ?? above, { subject: { CN: `Lists ${at}` } }), ...between] }
    }
  },
})) {
  test(`never accepts a revoked credential, even if the signers of other lists cost more ${what} than the budget`, async () => {
    const makeChain = chainOf()
    const count = 9
    const presentations = Array.from({ length: count }, (_, at) => withListAt(listUri(at), at))
    const signers = presentations.map((_, at) => makeChain(at))
    const lists = new Map(
      signers.map(({ chain: [by, ...above] }, at) => {
        const x5c = [by, ...above].map((one) => Buffer.from(one?.der ?? []).toString('base64'))
        const list = { bits: 1, lst: deflateSync(pack({ 0: at === count - 1 ? 1 : 0 })).toString('base64url') }
        return [listUri(at), mintJwt({ by: by as Minted, header: { x5c }, claims: { sub: listUri(at) }, list })]
      }),
    )
    const relied: string[] = []
    const fetchStatus = async ({ uri }: { uri: string }): Promise<StatusAnswer> => {
      const bytes = lists.get(uri) ?? Buffer.of()
      const markVerified = () => void relied.push(uri)
      return { outcome: 'fetched', bytes, contentType: 'application/statuslist+jwt', stale: false, markVerified }
    }
    const anchors = [sdJwt.anchor, ...signers.map(({ anchor }) => ({ ...sdJwt.anchor, certificate: anchor.der }))]
    const trust = { fetchStatus, anchors, cache: createChainCache(100), statusPolicy: 'prefer' } as const
    const rejected = await rejection({ identity: presentations }, { expected: several, trust })
    assert.equal(rejected.code, 'status_unavailable')
    assert.match(rejected.message, /more certificates than one response may use/)
    assert.ok(!relied.includes(listUri(count - 1)), 'a list that was not verified is not marked as verified')
    // Verified signatures are cached: eventually the last list is checked, and its status is known.
    let code: string = rejected.code
    for (let tries = 0; tries < count && code === 'status_unavailable'; tries++)
      code = (await rejection({ identity: presentations }, { expected: several, trust })).code
    assert.equal(code, 'credential_revoked')
  })
}
