// Tests limits on published lists, at import and at each refresh, and the order of refreshes.

import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { after, test } from 'node:test'
import { createIssuer, mintAuthority, mintSigner, TYPE } from '@vidimus/wallet'
import { signJws } from '../../../wallet/src/sdjwt.ts'
import { createTrustListReader } from '../../src/features/trust/outbound/trust-list-reader.ts'
import {
  importTrustList,
  type NewTrustList,
  removeTrustList,
  showTrustLists,
} from '../../src/features/trust/usecases/import-trust-list.ts'
import { LIST_BOUNDS } from '../../src/features/trust/usecases/load-trust-list.ts'
import { listAnchors } from '../../src/features/trust/usecases/manage-anchors.ts'
import { importOwnList } from '../../src/features/trust/usecases/manage-own-trust.ts'
import { REFRESH_MS } from '../../src/features/trust/usecases/refresh-trust-lists.ts'
import { runJob } from '../harness/jobs.ts'
import { OPERATOR, testService } from '../harness/service.ts'
import { vicalFactory } from '../moving/vical.ts'

const service = await testService({}, { VIDIMUS_EGRESS_ALLOW: '127.0.0.0/8' })
const { deps } = service
const tenantId = await service.tenant()
const now = () => Math.floor(service.clock.now() / 1000)
const { certificate } = createIssuer({ base: 'https://issuer.example', now: now(), name: 'Listed' }).sdJwt.authority
const period = { notBefore: now() - 1000, notAfter: now() + 10_000_000 }
const signer = mintSigner(mintAuthority({ commonName: 'Lists' }, period), { commonName: 'List signer' }, period)
const iso = (seconds: number) => new Date(seconds * 1000).toISOString().replace('.000', '')

/** Returns a list whose first entry is an authority; the other entries are not even certificates. */
function lote({ sequence = 1, entries = 1, padding = 0, values = 0, first = certificate, others = 'AAAA' }): string {
  const more = Array.from({ length: entries - 1 }, () => ({ val: others }))
  const information = {
    ServiceTypeIdentifier: 'http://uri.etsi.org/19602/SvcType/PID/Issuance',
    ServiceDigitalIdentity: { X509Certificates: [{ val: first }, ...more] },
  }
  const claims = {
    LoTE: {
      ListAndSchemeInformation: {
        LoTEType: 'http://uri.etsi.org/19602/LoTEType/EUPIDProvidersList',
        LoTESequenceNumber: sequence,
        SchemeOperatorName: [{ lang: 'en', value: 'An invented operator' }],
        ListIssueDateTime: iso(now() - 60),
        NextUpdate: iso(now() + 86_400),
      },
      TrustedEntitiesList: [{ TrustedEntityServices: [{ ServiceInformation: information }] }],
    },
    padding: 'x'.repeat(padding),
    values: Array(values).fill(1),
  }
  return signJws({ alg: 'ES256', x5c: [signer.certificate] }, claims, signer.key)
}

let serve: (path: string) => Promise<string> = async () => lote({})
const server = createServer((request, response) => {
  serve(request.url ?? '').then(
    (body) => response.end(body),
    () => response.destroy(),
  )
})
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
after(() => server.close())
const address = server.address()
assert.ok(typeof address === 'object' && address !== null)
const base = `http://127.0.0.1:${address.port}`

const PID = `dc+sd-jwt:${TYPE.pidSdJwt}` as const
const load = (byOwner: boolean, path: string, types: NewTrustList['types'] = [PID]) =>
  importTrustList(deps, {
    owner: { tenantId: byOwner ? tenantId : null, environment: 'test' },
    byOwner,
    kind: 'lote',
    providers: 'pid',
    source: `${base}${path}`,
    file: null,
    signer: new Uint8Array(Buffer.from(signer.certificate, 'base64')),
    signerAuthority: null,
    types,
  })

const stateOf = async (id: string) => ({
  failure: (await showTrustLists(deps)).find((list) => list.id === id)?.failure,
  anchors: (await listAnchors(deps)).filter(({ listId }) => listId === id).length,
})

for (const [who, byOwner] of [
  ['an owner', true],
  ['the operator', false],
] as const) {
  const { entriesMax: entries } = LIST_BOUNDS[byOwner ? 'owner' : 'operator']
  test(`the number of entries in a list of ${who} is limited, whatever they are: at its import and at each refresh`, async () => {
    serve = async () => lote({ entries: entries + 1 })
    const refused = await load(byOwner, '/many')
    assert.ok(refused.outcome === 'refused')
    assert.match(refused.problem, new RegExp(`names ${entries + 1} authorities, and may name ${entries}`))
    serve = async () => lote({ entries })
    const done = await load(byOwner, '/many')
    assert.ok(done.outcome === 'loaded' && done.anchors === 1 && done.left === entries - 1, JSON.stringify(done))
    serve = async () => lote({ sequence: 2, entries: entries + 1 })
    await runJob(deps, 'refresh-trust-lists')
    const { failure, anchors } = await stateOf(done.id)
    assert.match(failure ?? '', new RegExp(`names ${entries + 1} authorities`))
    assert.equal(anchors, 1, 'the anchors stay')
    serve = async () => lote({ sequence: 3 })
    await runJob(deps, 'refresh-trust-lists')
    assert.deepEqual(await stateOf(done.id), { failure: null, anchors: 1 })
    await removeTrustList(deps, done.id)
  })
}

test("a list of an owner may have fewer bytes than an operator's", async () => {
  serve = async () => lote({ padding: LIST_BOUNDS.owner.bytes })
  assert.equal((await load(true, '/heavy')).outcome, 'refused')
  const done = await load(false, '/heavy')
  assert.ok(done.outcome === 'loaded', JSON.stringify(done))
  await removeTrustList(deps, done.id)
})

test("a list of an owner may have fewer JSON values than an operator's", async () => {
  serve = async () => lote({ values: LIST_BOUNDS.owner.values })
  assert.equal((await load(true, '/values')).outcome, 'refused')
  const done = await load(false, '/values')
  assert.ok(done.outcome === 'loaded', JSON.stringify(done))
  await removeTrustList(deps, done.id)
  serve = async () => lote({ values: LIST_BOUNDS.owner.values - 100 })
  const own = await load(true, '/values')
  assert.ok(own.outcome === 'loaded', JSON.stringify(own))
  await removeTrustList(deps, own.id)
})

test('the types of all authorities of an owner together have a limited length, at the import and at each refresh', async () => {
  const types = Array.from({ length: 20 }, (_, at) => `dc+sd-jwt:${'x'.repeat(280)}${at}` as const)
  const most = Math.floor(200_000 / types.join('').length)
  const listOf = (sequence: number, entries: number) => {
    serve = async () => lote({ sequence, entries, others: certificate })
  }
  listOf(1, most + 1)
  const refused = await load(true, '/types', types)
  assert.ok(refused.outcome === 'refused' && refused.code === 'list_too_long', JSON.stringify(refused))
  const operators = await load(false, '/types', types)
  assert.ok(operators.outcome === 'loaded', JSON.stringify(operators))
  await removeTrustList(deps, operators.id)
  listOf(1, most)
  const done = await load(true, '/types', types)
  assert.ok(done.outcome === 'loaded', JSON.stringify(done))
  listOf(2, most + 1)
  await runJob(deps, 'refresh-trust-lists')
  const { failure, anchors } = await stateOf(done.id)
  assert.match(failure ?? '', /characters/)
  assert.equal(anchors, most, 'the anchors stay')
  await removeTrustList(deps, done.id)
})

test('owners import at most five lists, also at the same time', async () => {
  const realm = { tenantId: await service.tenant(), environment: 'test' } as const
  let fetched = 0
  const all = Promise.withResolvers<void>()
  serve = async () => {
    fetched += 1
    if (fetched === 7) all.resolve()
    await all.promise
    return lote({})
  }
  const pem = `-----BEGIN CERTIFICATE-----\n${signer.certificate}\n-----END CERTIFICATE-----\n`
  const list = { kind: 'lote', providers: 'pid', signer: pem, types: [PID] } as const
  const own = (at: number) => importOwnList(deps, { realm, actor: OPERATOR, ...list, url: `${base}/${at}` })
  const done = await Promise.all(Array.from({ length: 7 }, (_, at) => own(at)))
  assert.deepEqual(done.map((one) => (one.outcome === 'done' ? 'done' : one.code)).sort(), [
    ...Array(5).fill('done'),
    ...Array(2).fill('too_many_lists'),
  ])
  for (const { id, tenantId: its } of await showTrustLists(deps))
    if (its === realm.tenantId) await removeTrustList(deps, id)
})

test('a VICAL of an owner has fewer CBOR items than one of the operator may', async () => {
  const vical = vicalFactory(now())
  const types = Array.from({ length: 50 }, (_, at) => `org.example.${at}`)
  // A text counts twice.
  const entries = Array(Math.ceil(LIST_BOUNDS.owner.items / (2 * types.length))).fill({ docTypes: types })
  const loadVical = (byOwner: boolean) =>
    importTrustList(deps, {
      owner: { tenantId, environment: 'test' },
      byOwner,
      kind: 'vical',
      providers: 'mdoc',
      source: 'list.vical',
      file: vical.listOf(entries),
      signer: vical.signer,
      signerAuthority: null,
      types: ['mso_mdoc:*'],
    })
  const refused = await loadVical(true)
  assert.ok(refused.outcome === 'refused' && refused.problem === 'the VICAL cannot be read', JSON.stringify(refused))
  const done = await loadVical(false)
  assert.ok(done.outcome === 'loaded', JSON.stringify(done))
  await removeTrustList(deps, done.id)
})

test('a list and its certificates are parsed outside of the event loop', async () => {
  const { entriesMax: entries, values } = LIST_BOUNDS.owner
  // No authority, so that nothing is stored.
  const list = lote({ first: signer.certificate, others: signer.certificate, entries, values: values - 3_000 })
  serve = async () => list
  const costs: number[] = []
  for (let at = 0; at < 5; at++) {
    const before = process.threadCpuUsage()
    const done = await load(true, '/costly')
    const { user, system } = process.threadCpuUsage(before)
    costs.push((user + system) / 1_000)
    assert.ok(done.outcome === 'refused' && done.code === 'list_names_nobody', JSON.stringify(done))
  }
  assert.ok(Math.min(...costs) < 60, `${costs.join()} ms of CPU`)
})

test('lists of one owner do not fill the queue of the thread, and each has a limited time', async () => {
  const problems: string[] = []
  const reader = createTrustListReader({ report: (problem) => problems.push(problem) })
  after(() => reader.close())
  const parse = (owner: string, withinMs: number, list = lote({})) =>
    reader.parse(owner, {
      bytes: Buffer.from(list),
      kind: 'lote',
      terms: { providers: 'pid', signer: Buffer.from(signer.certificate, 'base64'), authority: null, now: now() },
      bounds: { ...LIST_BOUNDS.owner, withinMs },
    })
  const several = await Promise.all([...Array.from({ length: 9 }, () => parse('one', 60_000)), parse('two', 60_000)])
  assert.deepEqual(
    several.map((parsed) => parsed?.outcome),
    [...Array(8).fill('parsed'), undefined, 'parsed'],
  )
  assert.deepEqual(problems, ['too many wait'])
  // Takes 100 ms.
  const long = lote({ entries: LIST_BOUNDS.owner.entriesMax, others: certificate })
  assert.equal(await parse('one', 5, long), null)
  assert.equal(problems.at(-1), 'the thread took too long')
  assert.equal((await parse('one', 60_000))?.outcome, 'parsed')
})

test("if there is no time for all lists, the operator's come first and failed ones last, and none waits forever", async () => {
  serve = async () => lote({})
  const ids: string[] = []
  for (const path of ['/1', '/2', '/3', '/4', '/5', '/operator']) {
    const done = await load(path !== '/operator', path)
    assert.ok(done.outcome === 'loaded', JSON.stringify(done))
    ids.push(done.id)
    service.clock.advance(1_000)
  }
  serve = async (path) => (path === '/1' ? '' : lote({ sequence: 2 }))
  await runJob(deps, 'refresh-trust-lists')
  // Four are read at once, and when these answer the time of the run is over.
  let requests: string[] = []
  let answer = Promise.withResolvers<string>()
  serve = (path) => {
    requests.push(path)
    if (requests.length === 4) {
      service.clock.advance(REFRESH_MS)
      answer.resolve(lote({ sequence: 3 }))
    }
    return answer.promise
  }
  service.clock.advance(1_000)
  await runJob(deps, 'refresh-trust-lists')
  assert.equal(requests.length, 4)
  assert.ok(requests.includes('/operator') && !requests.includes('/1'), requests.join())
  const left = ['/2', '/3', '/4', '/5'].filter((path) => !requests.includes(path))
  requests = []
  answer = Promise.withResolvers<string>()
  service.clock.advance(1_000)
  await runJob(deps, 'refresh-trust-lists')
  assert.ok(requests.includes('/operator') && left.every((path) => requests.includes(path)), requests.join())
  for (const id of ids) await removeTrustList(deps, id)
})
