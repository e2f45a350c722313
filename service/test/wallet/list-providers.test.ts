// Tests that a list is read only as the kind it was imported as.

import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { createIssuer, generateKey, issue, mintAuthority, mintSigner, TYPE, toPem } from '@vidimus/wallet'
import { signJws } from '../../../wallet/src/sdjwt.ts'
import { diagnoseTrust } from '../../src/features/trust/usecases/diagnose-trust.ts'
import {
  importTrustList,
  type NewTrustList,
  removeTrustList,
  showTrustLists,
} from '../../src/features/trust/usecases/import-trust-list.ts'
import { listAnchors } from '../../src/features/trust/usecases/manage-anchors.ts'
import { refreshList } from '../../src/features/trust/usecases/refresh-trust-lists.ts'
import { MIGRATIONS_DIRECTORY } from '../../src/platform/postgres/migrate.ts'
import { runJob } from '../harness/jobs.ts'
import { commandLine } from '../harness/servers/command-line.ts'
import { testService } from '../harness/service.ts'
import { testWallet } from '../harness/wallet.ts'
import { run } from '../moving/installations.ts'
import { create, read, respond, validBody } from './verifications.ts'

const service = await testService({}, { VIDIMUS_EGRESS_ALLOW: '127.0.0.0/8' })
const { deps } = service
const wallet = await testWallet(service)
const tenant = await service.tenant()
const key = await service.key(tenant)
const { run: vidimus, json } = commandLine(service)
const now = () => Math.floor(service.clock.now() / 1000)
const iso = (seconds: number) => new Date(seconds * 1000).toISOString().replace('.000', '')
const period = { notBefore: now() - 1000, notAfter: now() + 10_000_000 }
const der = ({ certificate }: { certificate: string }) => new Uint8Array(Buffer.from(certificate, 'base64'))
const listsCa = mintAuthority({ commonName: 'Lists' }, period)
const publisher = mintSigner(listsCa, { commonName: 'List signer' }, period)
/**
 * PID issuers, and issuers of access certificates: if one list was read as the other kind, its authority could sign
 * anything.
 */
const pidProvider = createIssuer({ base: 'https://pid.example', now: now(), name: 'PID provider' })
const accessAuthority = createIssuer({ base: 'https://access.example', now: now(), name: 'Access authority' })
const PID = `dc+sd-jwt:${TYPE.pidSdJwt}` as const

const ETSI = 'http://uri.etsi.org/19602'
interface Plan {
  readonly listType?: string
  /** null: the member for entities is absent. */
  readonly services?: readonly (readonly [string, ReturnType<typeof createIssuer>])[] | null
}
const PID_SERVICES: NonNullable<Plan['services']> = [
  ['PID/Issuance', pidProvider],
  ['PID/Revocation', accessAuthority],
]
const ACCESS: Plan = { listType: 'EUWRPACProvidersList', services: [['WRPAC/Issuance', accessAuthority]] }
const eaaProvider = createIssuer({ base: 'https://eaa.example', now: now(), name: 'Club cards' })
const EAA: Plan = { listType: 'EUEAAProvidersList', services: [['EAA/Issuance', eaaProvider]] }

/** The same key with another certificate. */
const renewed = mintSigner(listsCa, { commonName: 'List signer, renewed' }, { ...period, subjectKey: publisher.key })

let signedBy = publisher
const header = () => ({ alg: 'ES256', x5c: [signedBy.certificate] })
let sequence = 1
function lote({ listType = 'EUPIDProvidersList', services = PID_SERVICES }: Plan = {}): string {
  const claims = {
    LoTE: {
      ListAndSchemeInformation: {
        LoTEType: `${ETSI}/LoTEType/${listType}`,
        LoTESequenceNumber: sequence++,
        SchemeOperatorName: [{ lang: 'en', value: 'An invented union' }],
        ListIssueDateTime: iso(now() - 60),
        NextUpdate: iso(now() + 10 * 86_400),
      },
      ...(services === null
        ? {}
        : {
            TrustedEntitiesList: services.map(([type, { sdJwt }]) => ({
              TrustedEntityServices: [
                {
                  ServiceInformation: {
                    ServiceTypeIdentifier: `${ETSI}/SvcType/${type}`,
                    ServiceDigitalIdentity: { X509Certificates: [{ val: sdJwt.authority.certificate }] },
                  },
                },
              ],
            })),
          }),
    },
  }
  return signJws(header(), claims, publisher.key)
}

let served = () => lote()
let fetches = 0
const server = createServer((_request, response) => {
  fetches += 1
  response.end(served())
})
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
after(() => server.close())
const address = server.address()
assert.ok(typeof address === 'object' && address !== null)
const source = `http://127.0.0.1:${address.port}/list`

const load = (change: Partial<NewTrustList> = {}) =>
  importTrustList(deps, {
    owner: { tenantId: null, environment: 'test' },
    kind: 'lote',
    providers: 'pid',
    source,
    file: null,
    signer: der(publisher),
    signerAuthority: null,
    types: [PID],
    ...change,
  })

async function loaded(change: Partial<NewTrustList> = {}): Promise<string> {
  served = () => lote()
  const done = await load(change)
  assert.ok(done.outcome === 'loaded', JSON.stringify(done))
  return done.id
}

async function refresh() {
  service.clock.advance(6_000)
  await runJob(deps, 'refresh-trust-lists')
}

async function outcome(by: ReturnType<typeof createIssuer>): Promise<string> {
  // Anchors are cached for some seconds.
  service.clock.advance(5_001)
  const created = await create(service, key)
  const credentials = [issue(by, 'pid_sd_jwt', { holderKey: generateKey(), now: now(), statusIndex: null })]
  await respond(service, created.id, await validBody(wallet, await wallet.request(created.wallet_uri), { credentials }))
  const result = await read(service, key, created.id)
  return result.error?.code ?? result.status
}

async function seen(id: string) {
  const list = (await showTrustLists(deps)).find((one) => one.id === id)
  const diagnosis = (await diagnoseTrust(deps)).find(
    ({ area, finding }) => area === 'trust list' && finding.startsWith(source),
  )
  const metrics = await service.call('GET', '/metrics', { from: '127.0.0.1' })
  const counted = /^vidimus_trust_lists_mismatched\{owner="operator"\} (\d+)$/m.exec(metrics.text)?.[1]
  const { status, finding = '', remedy = '' } = diagnosis ?? {}
  return { failure: list?.failure, status, counted, finding, remedy }
}

test('nothing of a list is imported under another kind than its own', async () => {
  served = () => lote(ACCESS)
  const refused = await load()
  assert.deepEqual(refused, {
    outcome: 'refused',
    code: 'list_mismatch',
    problem: 'the list names providers of access certificates, and was imported as one that names PID providers',
  })
  served = () => lote()
  const asOther = await load({ providers: 'public-attestation' })
  assert.ok(asOther.outcome === 'refused' && asOther.code === 'list_mismatch', JSON.stringify(asOther))
  assert.deepEqual(await showTrustLists(deps), [])
  assert.equal(await outcome(accessAuthority), 'issuer_untrusted')
})

test('providers are granted only the types that they may vouch for', async () => {
  const before = fetches
  const cases: [Partial<NewTrustList>, RegExp][] = [
    [{ providers: 'wallet' }, /nothing here is checked against/],
    [{ providers: 'access-certificate' }, /nothing here is checked against/],
    [{ providers: 'mdoc' }, /is of the kind vical, not lote/],
    [{ kind: 'vical', providers: 'pid' }, /is of the kind lote, not vical/],
    [{ types: ['rc-wrp+jwt:*'] }, /cannot vouch for rc-wrp/],
    [{ types: ['register+jwt:*'] }, /cannot vouch for register/],
    [{ providers: 'registration-certificate' }, /cannot vouch for dc\+sd-jwt/],
    [{ providers: 'registration-certificate', types: ['register+jwt:*'] }, /cannot vouch for register/],
    [{ providers: 'register', types: ['rc-wrp+jwt:*'] }, /cannot vouch for rc-wrp/],
  ]
  for (const [change, why] of cases) {
    const done = await load(change)
    assert.ok(done.outcome === 'refused' && done.code === 'list_providers', JSON.stringify(done))
    assert.match(done.problem, why)
  }
  assert.equal(fetches, before, 'nothing was fetched')
})

const others: [string, () => string][] = [
  ['another list of the same publisher', () => lote(ACCESS)],
  ['a list of no known type', () => lote({ listType: 'local' })],
  [
    'a list with one service of another kind',
    () => lote({ services: [...PID_SERVICES, ['WRPAC/Issuance', accessAuthority]] }),
  ],
  ['a list with services that do not say what they issue', () => lote({ services: [['PID', pidProvider]] })],
  ['another list that names none', () => lote({ ...ACCESS, services: null })],
  ['other data of the same publisher', () => signJws(header(), { status_list: { bits: 1 } }, publisher.key)],
  ['signed data that is not JSON', () => signJws(header(), 'Back soon', publisher.key)],
  ['a list in XML', () => '<?xml version="1.0"?><TrustServiceStatusList></TrustServiceStatusList>'],
]
for (const [title, other] of others) {
  test(`if an address serves ${title}, the last good list stays in force, and the operator is warned until it is right again`, async () => {
    const id = await loaded()
    assert.equal(await outcome(pidProvider), 'completed')
    assert.equal(
      await outcome(accessAuthority),
      'issuer_untrusted',
      'the authority of a revocation service issues no PIDs',
    )
    assert.deepEqual((await seen(id)).counted, '0')
    served = other
    await refresh()
    const wrong = await seen(id)
    assert.match(wrong.failure ?? '', /names|imported as|is not a list/)
    assert.deepEqual([wrong.status, wrong.counted], ['problem', '1'])
    assert.match(wrong.finding, /; trusted until \S+\)$/)
    assert.match((await vidimus('doctor')).out, /was imported as|does not say that it names|is not a list/)
    assert.equal(await outcome(pidProvider), 'completed')
    assert.equal(await outcome(accessAuthority), 'issuer_untrusted')
    served = () => 'Back soon'
    await refresh()
    const unreachable = await seen(id)
    assert.deepEqual(
      [unreachable.status, unreachable.counted],
      ['problem', '1'],
      'a host without the list does not make it right',
    )
    served = () => lote()
    await refresh()
    const right = await seen(id)
    assert.deepEqual([right.failure, right.status, right.counted], [null, 'ok', '0'])
    assert.equal(await outcome(pidProvider), 'completed')
    await removeTrustList(deps, id)
  })
}

for (const services of [[['PID/Revocation', pidProvider]], [], null] as const) {
  const title = services === null ? 'has no member for entities' : `has ${services.length} services`
  test(`a list that no longer names an issuer removes its anchors, and the operator is warned: it ${title}`, async () => {
    const id = await loaded()
    served = () => lote({ services })
    await refresh()
    const empty = await seen(id)
    assert.match(empty.failure ?? '', /no longer names a provider/)
    assert.deepEqual([empty.status, empty.counted], ['problem', '1'])
    assert.match(empty.finding, /; no longer trusted\)$/)
    assert.equal(await outcome(pidProvider), 'issuer_untrusted')
    served = () => 'Back soon'
    await refresh()
    assert.match((await seen(id)).finding, /; no longer trusted\)$/)
    await removeTrustList(deps, id)
  })
}

test('a list from before its kind was required keeps its anchors, is not read again, and says what to do', async () => {
  const id = await loaded()
  await forgetProviders(id)
  const before = fetches
  served = () => lote({ services: [['PID/Issuance', accessAuthority]] })
  await refresh()
  assert.equal(fetches, before, 'nothing was fetched')
  assert.equal(await outcome(pidProvider), 'completed')
  assert.equal(await outcome(accessAuthority), 'issuer_untrusted')
  const unknown = await seen(id)
  assert.deepEqual([unknown.status, unknown.counted], ['problem', '1'])
  assert.match(unknown.remedy, new RegExp(`vidimus anchor set-providers ${id}`))
  assert.match((await vidimus('anchor', 'lists')).out, /lote +unknown/)

  const refused: [string[], RegExp][] = [
    [[id, 'mdoc'], /is of the kind vical/],
    [[id, 'wallet'], /nothing here is checked/],
    [[id, 'register'], /cannot vouch for dc\+sd-jwt/],
    [[id, 'banks'], /must be one of pid, mdl/],
    [['lst_None', 'pid'], /there is no list lst_None/],
  ]
  for (const [input, why] of refused) assert.match((await vidimus('anchor', 'set-providers', ...input)).err, why)
  // Stating the wrong kind loses nothing.
  assert.match(
    (await vidimus('anchor', 'set-providers', id, 'mdl')).out,
    /was not loaded again: the list names PID providers/,
  )
  assert.equal(await outcome(pidProvider), 'completed')
  served = () => lote()
  const set = await json('anchor', 'set-providers', id, 'pid')
  assert.deepEqual([set.providers, set.failure], ['pid', null])
  assert.deepEqual((await seen(id)).status, 'ok')
  await removeTrustList(deps, id)
})

/** Imports the list of attestation providers, number 500. From then on, PID lists have lower numbers. */
async function loadedAsAttestation(): Promise<string> {
  served = () => lote(EAA)
  sequence = 500
  const done = await load({ providers: 'attestation' })
  assert.ok(done.outcome === 'loaded', JSON.stringify(done))
  sequence = 3
  return done.id
}

const forgetProviders = (id: string) => run(service, 'update trust_lists set providers = null where id = $1', [id])

async function seenOf(id: string) {
  const { status, counted } = await seen(id)
  return [status, counted]
}

test('a list whose kind was unknown is replaced by a list of the kind that is set, whatever its number', async () => {
  const id = await loadedAsAttestation()
  await forgetProviders(id)
  assert.match(
    (await vidimus('anchor', 'set-providers', id, 'pid')).out,
    /was not loaded again.* stay until it expires/,
  )
  assert.deepEqual(await seenOf(id), ['problem', '1'])
  assert.equal(await outcome(eaaProvider), 'completed', 'its kind was never known, so a wrong answer removes nothing')
  served = () => 'Back soon'
  assert.match((await vidimus('anchor', 'set-providers', id, 'pid')).out, /was not loaded again/)
  assert.deepEqual(await seenOf(id), ['problem', '1'], 'naming the same kind again ends no alarm')
  served = () => lote()
  await refresh()
  assert.deepEqual(await seenOf(id), ['ok', '0'])
  assert.deepEqual([await outcome(eaaProvider), await outcome(pidProvider)], ['issuer_untrusted', 'completed'])
  sequence = 2
  await refresh()
  assert.equal((await seen(id)).failure, 'the address serves an older list than the one loaded')
  await removeTrustList(deps, id)
})

test('if the kind of a list changes, its issuers are not trusted until a list of the new kind has loaded', async () => {
  const id = await loadedAsAttestation()
  assert.equal(await outcome(eaaProvider), 'completed')
  const [before] = await showTrustLists(deps)
  assert.ok(before !== undefined)
  assert.match((await vidimus('anchor', 'set-providers', id, 'pid')).out, /earlier anchors are no longer trusted/)
  assert.deepEqual(await seenOf(id), ['problem', '1'])
  assert.match((await vidimus('doctor')).out, /no longer trusted/)
  assert.equal(await outcome(eaaProvider), 'issuer_untrusted')
  // A refresh that began before the change read the list as the kind from before.
  await refreshList(deps, before)
  assert.deepEqual(await seenOf(id), ['problem', '1'])
  assert.equal(await outcome(eaaProvider), 'issuer_untrusted')
  served = () => 'Back soon'
  await refresh()
  assert.deepEqual(await seenOf(id), ['problem', '1'])
  served = () => lote()
  await refresh()
  assert.deepEqual(await seenOf(id), ['ok', '0'])
  assert.equal(await outcome(pidProvider), 'completed')
  await removeTrustList(deps, id)
})

test('after the upgrade the first list of its kind loads, whatever number an unchecked issue had, unless it is older', async () => {
  const older = lote({ services: [['PID/Issuance', accessAuthority]] })
  service.clock.advance(1_000)
  const id = await loadedAsAttestation()
  // As after the migration that set the kind, if the release before it loaded the list.
  await run(service, `update trust_lists set providers = 'pid', sha256 = null, keys_sha256 = null where id = $1`, [id])
  const [own] = (await readdir(MIGRATIONS_DIRECTORY)).filter((file) =>
    file.endsWith('_numbers_of_unchecked_issues.sql'),
  )
  await run(service, await readFile(join(MIGRATIONS_DIRECTORY, own ?? assert.fail()), 'utf8'))
  served = () => older
  await refresh()
  assert.match((await seen(id)).failure ?? '', OLDER)
  assert.equal(await outcome(accessAuthority), 'issuer_untrusted')
  served = () => lote()
  await refresh()
  assert.deepEqual(await seenOf(id), ['ok', '0'])
  assert.deepEqual([await outcome(eaaProvider), await outcome(pidProvider)], ['issuer_untrusted', 'completed'])
  sequence = 2
  await refresh()
  assert.match((await seen(id)).failure ?? '', OLDER)
  await removeTrustList(deps, id)
})

/** Imports a PID list, then loads a newer one that no longer names its issuer. Returns the older one, too. */
async function loadedTwice() {
  const older = lote()
  const id = await loaded()
  served = () => lote({ services: [['PID/Issuance', eaaProvider]] })
  await refresh()
  assert.equal(await outcome(pidProvider), 'issuer_untrusted')
  return { id, older }
}
const OLDER = /the address serves an older list than the one loaded/

test('an older list stays a replay if the kind is set to another one and back', async () => {
  const { id, older } = await loadedTwice()
  for (const list of [older, lote(EAA)]) {
    served = () => list
    await vidimus('anchor', 'set-providers', id, 'attestation')
    served = () => older
    assert.match((await vidimus('anchor', 'set-providers', id, 'pid')).out, OLDER)
    assert.deepEqual(await seenOf(id), ['problem', '1'])
    assert.equal(await outcome(pidProvider), 'issuer_untrusted')
  }
  served = () => lote()
  await refresh()
  assert.deepEqual(await seenOf(id), ['ok', '0'])
  assert.equal(await outcome(pidProvider), 'completed')
  await removeTrustList(deps, id)
})

test('an older list stays a replay if another kind is set and a set-up file names the first one again', async () => {
  const { id, older } = await loadedTwice()
  served = () => older
  await vidimus('anchor', 'set-providers', id, 'attestation')
  assert.match((await apply('pid')).err, OLDER)
  assert.equal(await outcome(pidProvider), 'issuer_untrusted')
  served = () => lote()
  assert.equal((await apply('pid')).code, 0)
  await removeAll()
})

for (const title of ['replaces the import with one of another kind', 'keeps another import, of another kind'])
  test(`an older list stays a replay if a set-up file ${title}, and names the first kind again`, async () => {
    const { older } = await loadedTwice()
    served = () => lote(EAA)
    if (title.startsWith('keeps')) assert.equal((await load({ providers: 'attestation' })).outcome, 'loaded')
    for (let times = 0; times < 2; times += 1) {
      assert.equal((await apply('attestation')).code, 0)
      const lists = await showTrustLists(deps)
      assert.deepEqual(
        lists.map(({ providers }) => providers),
        ['attestation'],
      )
      const club = served()
      served = () => older
      assert.match((await apply('pid')).err, OLDER)
      assert.equal(await outcome(pidProvider), 'issuer_untrusted')
      served = () => club
    }
    served = () => lote()
    assert.equal((await apply('pid')).code, 0)
    assert.equal(await outcome(pidProvider), 'completed')
    await removeAll()
  })

test('an older list stays a replay if a set-up file adds the authority of its signer', async () => {
  const { older } = await loadedTwice()
  served = () => older
  assert.match((await apply('pid', toPem(der(listsCa), 'CERTIFICATE'))).err, OLDER)
  assert.equal(await outcome(pidProvider), 'issuer_untrusted')
  await removeAll()
})

test('an older list stays a replay if a set-up file names another kind under a renewed certificate, and the first kind again', async () => {
  await loadedTwice()
  signedBy = renewed
  served = () => lote(EAA)
  assert.equal((await apply('attestation')).code, 0)
  sequence = 1
  const older = lote()
  served = () => older
  assert.match((await apply('pid')).err, OLDER)
  assert.equal(await outcome(pidProvider), 'issuer_untrusted')
  signedBy = publisher
  sequence = 1_000
  await removeAll()
})

async function apply(providers: string, authority = '') {
  const folder = await mkdtemp(join(tmpdir(), 'vidimus-'))
  const file = join(folder, 'setup.yaml')
  const signer = toPem(der(signedBy), 'CERTIFICATE') + authority
  const list = { kind: 'lote', providers, source, types: [PID], signer }
  await writeFile(file, JSON.stringify({ vidimus: 1, service: { test: { trust_lists: [list] } }, tenants: [] }))
  const done = await vidimus('apply', '-f', file)
  await rm(folder, { recursive: true })
  return done
}

async function removeAll() {
  for (const { id } of await showTrustLists(deps)) await removeTrustList(deps, id)
}

test('an import of another kind than the set-up file names is not trusted, even if the file cannot be applied', async () => {
  const id = await loadedAsAttestation()
  const refused = await apply('pid')
  assert.equal(refused.code, 1, refused.out)
  assert.match(refused.err, /No change was completed.*no longer used/s)
  assert.equal(await outcome(eaaProvider), 'issuer_untrusted')
  assert.deepEqual(await seenOf(id), ['problem', '1'])
  const { finding, remedy } = await seen(id)
  assert.match(finding, /its terms have changed.*; no longer trusted\)$/)
  assert.match(remedy, new RegExp(`set-up file.*anchor forget ${id}`))
  assert.doesNotMatch(remedy, /attestation/)
  assert.match((await vidimus('anchor', 'set-providers', id, 'pid')).err, /not changed: .*apply the set-up file again/)
  await refresh()
  assert.deepEqual(await seenOf(id), ['problem', '1'])
  served = () => lote()
  const applied = await apply('pid')
  assert.equal(applied.code, 0, applied.err)
  const [list, ...more] = await showTrustLists(deps)
  assert.deepEqual([list?.providers, more], ['pid', []])
  assert.deepEqual(await seenOf(list?.id ?? ''), ['ok', '0'])
  assert.deepEqual([await outcome(eaaProvider), await outcome(pidProvider)], ['issuer_untrusted', 'completed'])
  await removeAll()
})

test('an import of an unknown kind stays, with the alarm, until the set-up file can be applied', async () => {
  const id = await loaded()
  await forgetProviders(id)
  served = () => 'Back soon'
  assert.equal((await apply('pid')).code, 1)
  assert.equal(await outcome(pidProvider), 'completed')
  assert.deepEqual(await seenOf(id), ['problem', '1'])
  sequence = 1
  served = () => lote()
  const applied = await apply('pid')
  assert.equal(applied.code, 0, applied.err)
  assert.deepEqual(
    (await showTrustLists(deps)).map(({ providers, failure }) => [providers, failure]),
    [['pid', null]],
  )
  await removeAll()
})

test('the kind of a list from a file cannot be set later: the file is imported again', async () => {
  const done = await load({ source: 'list.jwt', file: Buffer.from(lote()) })
  assert.ok(done.outcome === 'loaded')
  assert.match((await vidimus('anchor', 'set-providers', done.id, 'pid')).err, /import the file again with --providers/)
  assert.match(
    (await vidimus('anchor', 'import', source, '--environment', 'test', '--kind', 'lote', '--type', PID)).err,
    /--providers is missing/,
  )
  await removeTrustList(deps, done.id)
  assert.deepEqual(
    (await listAnchors(deps)).filter(({ listId }) => listId !== null),
    [],
  )
})

const CLUB_CARD = 'dc+sd-jwt:urn:example:club-card'

test('an export grants providers of one kind nothing that another import of the address granted another kind', async () => {
  const pid = await loaded()
  // From now on the address serves a list of another kind.
  served = () => lote(EAA)
  await refresh()
  assert.equal((await seen(pid)).status, 'problem')
  const club = await load({ providers: 'attestation', types: [CLUB_CARD] })
  assert.ok(club.outcome === 'loaded', JSON.stringify(club))
  const gym = await load({ providers: 'attestation', types: ['dc+sd-jwt:urn:example:gym-card'] })
  assert.ok(gym.outcome === 'loaded', JSON.stringify(gym))
  assert.equal(await outcome(eaaProvider), 'issuer_untrusted')
  const folder = await mkdtemp(join(tmpdir(), 'vidimus-'))
  const out = join(folder, 'setup.yaml')
  const done = await vidimus('export', '--out', out)
  assert.equal(done.code, 0, done.err)
  assert.match(done.err, /^Left out: lst_\w+, http:\S+ as pid: the file has another kind$/m)
  const text = await readFile(out, 'utf8')
  assert.match(text, /providers: attestation/)
  for (const type of [CLUB_CARD, 'dc+sd-jwt:urn:example:gym-card']) assert.ok(text.includes(type), type)
  assert.ok(!text.includes(PID), text)

  const applied = await vidimus('apply', '-f', out)
  assert.equal(applied.code, 0, applied.err)
  assert.equal(await outcome(eaaProvider), 'issuer_untrusted')
  const lists = await showTrustLists(deps)
  assert.ok(
    lists.every(({ providers, types }) => providers === 'attestation' && !types.includes(PID)),
    JSON.stringify(lists.map(({ providers, types }) => ({ providers, types }))),
  )
  for (const { id } of lists) await removeTrustList(deps, id)
  await rm(folder, { recursive: true })
})

test('of two imports of one address, the one of the kind that the list has is exported, not the later one', async () => {
  served = () => lote(EAA)
  const club = await load({ providers: 'attestation', types: [CLUB_CARD] })
  assert.ok(club.outcome === 'loaded', JSON.stringify(club))
  const pid = await loaded()
  served = () => lote(EAA)
  await refresh()
  const { out, err } = await vidimus('export')
  assert.match(out, /providers: attestation/)
  assert.ok(out.includes(CLUB_CARD) && !out.includes(PID), out)
  assert.match(err, /^Left out: /)
  for (const id of [club.id, pid]) await removeTrustList(deps, id)
})
