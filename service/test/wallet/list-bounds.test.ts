// Tests limits on published lists, at import and at each refresh, and the order of refreshes.

import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { after, test } from 'node:test'
import type { ListEntry } from '@vidimus/engine'
import { createIssuer, mintAuthority, mintSigner, TYPE } from '@vidimus/wallet'
import { signJws } from '../../../wallet/src/sdjwt.ts'
import {
  importTrustList,
  removeTrustList,
  showTrustLists,
} from '../../src/features/trust/usecases/import-trust-list.ts'
import { anchorsOf, LIST_BOUNDS } from '../../src/features/trust/usecases/load-trust-list.ts'
import { listAnchors } from '../../src/features/trust/usecases/manage-anchors.ts'
import { REFRESH_MS } from '../../src/features/trust/usecases/refresh-trust-lists.ts'
import { instantOf } from '../../src/platform/world.ts'
import { runJob } from '../harness/jobs.ts'
import { testService } from '../harness/service.ts'
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
function lote({ sequence = 1, entries = 1, padding = 0, values = 0 }): string {
  const others = Array.from({ length: entries - 1 }, () => ({ val: 'AAAA' }))
  const information = {
    ServiceTypeIdentifier: 'http://uri.etsi.org/19602/SvcType/PID/Issuance',
    ServiceDigitalIdentity: { X509Certificates: [{ val: certificate }, ...others] },
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

const load = (byOwner: boolean, path: string) =>
  importTrustList(deps, {
    owner: { tenantId: byOwner ? tenantId : null, environment: 'test' },
    byOwner,
    kind: 'lote',
    providers: 'pid',
    source: `${base}${path}`,
    file: null,
    signer: new Uint8Array(Buffer.from(signer.certificate, 'base64')),
    signerAuthority: null,
    types: [`dc+sd-jwt:${TYPE.pidSdJwt}`],
  })

const stateOf = async (id: string) => ({
  failure: (await showTrustLists(deps)).find((list) => list.id === id)?.failure,
  anchors: (await listAnchors(deps)).filter(({ listId }) => listId === id).length,
})

for (const [who, byOwner] of [
  ['an owner', true],
  ['the operator', false],
] as const) {
  const { entries } = LIST_BOUNDS[byOwner ? 'owner' : 'operator']
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

test('the certificates of a list are parsed in many turns of the event loop', async () => {
  const list = { id: 'list', tenantId, environment: 'test', types: [`dc+sd-jwt:${TYPE.pidSdJwt}`] } as const
  const entry: ListEntry = {
    certificate: new Uint8Array(Buffer.from(certificate, 'base64')),
    docTypes: null,
    profile: 'generic',
  }
  const entries = Array<ListEntry>(LIST_BOUNDS.owner.entries).fill(entry)
  const published = {
    issuer: 'An invented operator',
    sequence: 1,
    issuedAt: now(),
    ended: [],
    endsAt: now() + 1,
    entries,
  }
  let turns = 0
  let isOver = false
  const eachTurn = () => {
    turns += 1
    if (!isOver) setImmediate(eachTurn)
  }
  setImmediate(eachTurn)
  const { anchors } = await anchorsOf(deps, list, { published, now: instantOf(service.clock.now()) })
  isOver = true
  assert.equal(anchors.length, entries.length)
  assert.ok(turns * 10 >= entries.length, `${turns} turns`)
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
