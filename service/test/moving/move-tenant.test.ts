// Tests that a tenant moves with all its data, and that at any time one installation serves it.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { verifyStored } from '../../src/features/audit/usecases/verify-audit.ts'
import { correlationKeyOf, subjectKeyOf } from '../../src/features/oidc/index.ts'
import { loadWhereabouts } from '../../src/features/operator/store/closings.ts'
import { keepDerivedKeys } from '../../src/features/operator/usecases/keep-derived-keys.ts'
import { MoveRefused } from '../../src/features/operator/usecases/moving/copy-rows.ts'
import {
  abortMove,
  copyTenant,
  finishMove,
  moveAlone,
  switchTenant,
} from '../../src/features/operator/usecases/moving/move-tenant.ts'
import { verifyReceipt } from '../../src/features/transparency/domain/receipt/verify-receipt.ts'
import { readReceiptKeys } from '../../src/features/transparency/usecases/manage-receipt-keys.ts'
import { openDb } from '../../src/platform/postgres/db.ts'
import { UnknownMasterKey } from '../../src/platform/seal/seal.ts'
import { routeOf } from '../../src/platform/verification-id.ts'
import { testSealer } from '../harness/servers/master-key.ts'
import { person } from '../harness/staff.ts'
import { waitUntil } from '../harness/wait.ts'
import { testWallet } from '../harness/wallet.ts'
import { create, newCredentials, read, respond, validBody } from '../wallet/verifications.ts'
import { ask, completed, moveOf, NEW, OLD, settles, twoInstallations } from './installations.ts'

const both = await twoInstallations()
const { source, target } = both
const STOP = { stopSeconds: 30 }

async function counted(service: typeof source, table: string, tenantId: string): Promise<number> {
  const [row] = await service.deps.db.query<{ count: number }>(
    { name: `test_count_${table}`, text: `select count(*)::int as count from ${table} where tenant_id = $1` },
    [tenantId],
  )
  return row?.count ?? 0
}

describe('a whole move', () => {
  it('moves results, receipts, trail, staff and open verifications; the old address redirects', async () => {
    const tenantId = await source.tenant({ name: 'Mover' })
    const other = await source.tenant({ name: 'Neighbour' })
    const [key, live, otherKey] = [
      await source.key(tenantId),
      await source.key(tenantId, { environment: 'live' }),
      await source.key(other),
    ]
    const staff = await person(source, tenantId, 'owner')
    const done = await completed(source, key)
    const before = await read(source, key, done)
    const link = await source.call('POST', '/v1/links', { key, body: { template: 'identity' } })
    assert.equal(link.status, 201, link.text)
    const device = await source.call('POST', '/v1/devices', {
      key,
      body: { name: 'Till', allowed_templates: ['identity'] },
    })
    assert.equal(device.status, 201, device.text)
    const open = await create(source, key)
    const unfetched = await create(source, key)
    const request = await (await testWallet(source)).request(open.wallet_uri)
    /** Which installation answers before each step: the old one, and the new one. */
    const EXPECTED: Record<string, string> = {
      copy: '200 401',
      'catch up': '200 503',
      compare: '200 503',
      close: '200 503',
      'copy the rest': '503 503',
      verify: '503 503',
      prepare: '503 503',
      'give away': '503 503',
      open: '308 503',
      log: '308 200',
    }
    const steps: string[] = []
    const moved = await switchTenant(
      moveOf(both, tenantId, async (step) => {
        steps.push(step)
        await settles(both, key, EXPECTED[step] ?? 'an unknown step', /^200 200$/)
        // Another tenant is served during the whole move.
        const body = { template: 'identity' }
        const created = await ask(source, '/v1/verifications', { key: otherKey, method: 'POST', body })
        assert.equal(created.status, 201, `${step}: ${created.text}`)
      }),
      STOP,
    )
    assert.deepEqual(steps, Object.keys(EXPECTED))
    assert.ok(moved.stoppedMs !== null && moved.stoppedMs > 0)
    assert.ok(moved.counts.find(({ table }) => table === 'verifications')?.rows === 3)
    await settles(both, live, '308 200')

    assert.deepEqual(await read(target, key, done), { ...before, ...addresses(before) })
    // Ids name the tenant only to the installation that made them; the new one looks them up by the id alone.
    assert.deepEqual(routeOf(source.deps.derivedKeys, open.id)?.tenantId, tenantId)
    assert.equal(routeOf(target.deps.derivedKeys, open.id), null)
    assert.equal((await target.call('GET', `/v1/verifications/${open.id}/status`)).status, 200)
    assert.equal(routeOf(target.deps.derivedKeys, (await create(target, key)).id)?.tenantId, tenantId)
    const receipt = await target.call('GET', `/v1/verifications/${done}/receipt`, { key })
    assert.equal(verifyReceipt(receipt.text, await readReceiptKeys(target.deps)).outcome, 'genuine')
    for (const environment of ['test', 'live'] as const) {
      const verdict = await verifyStored(target.deps, { realm: { tenantId, environment }, log: 'newest' })
      assert.equal(verdict.outcome, 'whole', JSON.stringify(verdict))
    }
    assert.equal(await counted(target, 'members', tenantId), 1)
    assert.ok(staff.email.length > 0)

    const redirected = await ask(source, `/v1/verifications/${done}?x=1`, { key })
    assert.deepEqual([redirected.status, redirected.location], [308, `${NEW}/v1/verifications/${done}?x=1`])
    const { pathname } = new URL(link.json.url)
    const discovery = `/oidc/${tenantId}/test/.well-known/openid-configuration`
    for (const path of [`/verify/${open.id}`, `/v1/verifications/${open.id}/status`, pathname, discovery]) {
      const answer = await ask(source, path)
      assert.deepEqual([answer.status, answer.location], [308, `${NEW}${path}`], path)
    }

    // The request was signed by the old installation, and names its address.
    assert.ok(request.responseUri.startsWith(OLD))
    const wallet = await testWallet(target)
    const body = await validBody(wallet, request, { credentials: newCredentials(wallet) })
    const sent = await ask(source, `/wallet/response/${open.id}`, { method: 'POST', raw: body })
    assert.deepEqual([sent.status, sent.location], [308, `${NEW}/wallet/response/${open.id}`])
    assert.equal((await respond(target, open.id, body)).status, 200)
    assert.equal((await read(target, key, open.id)).status, 'completed')

    // Only the old installation has the certificate that its client id names.
    const late = await (await testWallet(source)).request(unfetched.wallet_uri)
    const lateBody = await validBody(wallet, late, { credentials: newCredentials(wallet) })
    assert.equal((await respond(target, unfetched.id, lateBody)).status, 200)

    await create(target, key)
    const finished = await finishMove(moveOf(both, tenantId))
    assert.notEqual(finished.waitUntil, null, 'wallets may still fetch')
    source.clock.advance(86_400_000)
    target.clock.advance(86_400_000)
    assert.equal((await finishMove(moveOf(both, tenantId))).waitUntil, null)
    for (const table of ['verifications', 'verification_results', 'receipts', 'members', 'webhook_deliveries'])
      assert.equal(await counted(source, table, tenantId), 0, table)
    assert.equal((await ask(source, '/v1/verifications', { key })).location, `${NEW}/v1/verifications`)
    assert.equal((await ask(target, '/v1/verifications', { key })).status, 200)
    const logged = [...source.logged, ...target.logged].join('')
    assert.ok(!logged.includes('Mustermann'))
  })
})

const addresses = (verification: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(verification).map(([name, value]) => [
      name,
      typeof value === 'string'
        ? value.replaceAll(OLD, NEW).replaceAll(encodeURIComponent(OLD), encodeURIComponent(NEW))
        : value,
    ]),
  )

describe('a process that is killed between two steps', () => {
  // Runs a move up to this step, as if it was killed there. No transaction is open between steps.
  const killedAt = (step: string, tenantId: string) =>
    new Promise<void>((resolve, reject) => {
      const hangs = (at: string) => {
        if (at !== step) return undefined
        resolve()
        return new Promise<void>(() => undefined)
      }
      switchTenant(moveOf(both, tenantId, hangs), { stopSeconds: 4 }).then(
        () => reject(new Error('it was done')),
        reject,
      )
    })

  for (const step of ['copy', 'catch up', 'compare', 'close', 'copy the rest', 'verify', 'prepare', 'give away'])
    it(`leaves the tenant at the old installation: ${step}`, async () => {
      const tenantId = await source.tenant()
      const key = await source.key(tenantId)
      await create(source, key)
      await killedAt(step, tenantId)
      await settles(both, key, step === 'copy' ? '200 401' : '200 503', /200$/)
      await create(source, key)
      await switchTenant(moveOf(both, tenantId), STOP)
      await settles(both, key, '308 200')
      assert.equal((await ask(target, '/v1/verifications', { key })).text.match(/"id":"ver_/g)?.length, 2)
    })

  it('after the decision, the next run opens the tenant there', async () => {
    const tenantId = await source.tenant()
    const key = await source.key(tenantId)
    await killedAt('open', tenantId)
    await settles(both, key, '308 503')
    await switchTenant(moveOf(both, tenantId), STOP)
    await settles(both, key, '308 200')
  })
})

describe('what the copy must not miss', () => {
  it('a row that differs at the new installation is found, and the tenant stays', async () => {
    const tenantId = await source.tenant()
    const key = await source.key(tenantId)
    const id = await completed(source, key)
    const forged = moveOf(both, tenantId, async (step) => {
      if (step === 'verify')
        await target.deps.db.query(
          { name: 'test_forge', text: `update verifications set purpose = 'forged' where id = $1 and tenant_id = $2` },
          [id, tenantId],
        )
    })
    await assert.rejects(switchTenant(forged, STOP), (error: Error) => {
      assert.match(error.message, /verifications: the rows differ/)
      return error instanceof MoveRefused
    })
    await settles(both, key, '200 503')
    await abortMove(moveOf(both, tenantId))
    assert.equal(await counted(target, 'verifications', tenantId), 0)
    const keys = await target.deps.db.query(
      { name: 'test_kept_keys', text: `select label from kept_keys where label like '%|' || $1` },
      [tenantId],
    )
    assert.deepEqual(keys, [])
    await settles(both, key, '200 401')
  })

  it('the second of two commands at once is refused and changes nothing', async () => {
    const tenantId = await source.tenant()
    const key = await source.key(tenantId)
    await completed(source, key)
    const refusals: string[] = []
    const refused = async (work: Promise<unknown>) => {
      const error = await work.then(
        () => null,
        (problem: unknown) => problem,
      )
      refusals.push(error instanceof MoveRefused ? error.message : String(error))
    }
    const move = moveOf(both, tenantId, async (step) => {
      if (step !== 'compare') return
      await refused(moveAlone(moveOf(both, tenantId), abortMove))
      await refused(moveAlone(moveOf(both, tenantId), copyTenant))
    })
    await moveAlone(move, (input) => switchTenant(input, STOP))
    const UNDER_WAY = 'another command is moving this tenant: wait until it ends'
    assert.deepEqual(refusals, [UNDER_WAY, UNDER_WAY])
    await settles(both, key, '308 200')
  })

  describe('of a tenant with more rows than are compared during the stop', () => {
    const LARGE = { ...STOP, comparedWholeMax: 0 }
    const forge = (id: string, tenantId: string) =>
      target.deps.db.query(
        { name: 'test_forge', text: `update verifications set purpose = 'forged' where id = $1 and tenant_id = $2` },
        [id, tenantId],
      )

    it('a row that differs is copied again before the stop', async () => {
      const tenantId = await source.tenant()
      const key = await source.key(tenantId)
      const id = await completed(source, key)
      const before = await read(source, key, id)
      const forged = moveOf(both, tenantId, async (step) => {
        if (step === 'compare') await forge(id, tenantId)
      })
      const { stoppedMs } = await switchTenant(forged, LARGE)
      assert.deepEqual(await read(target, key, id), { ...before, ...addresses(before) })
      // By the store's clock: callers that had passed the check get their second, and all of it is within the limit.
      assert.ok(stoppedMs !== null && stoppedMs >= 1_200 && stoppedMs < STOP.stopSeconds * 1000, `${stoppedMs}`)
    })

    it('a row that differs again ends the move before the stop', async () => {
      const tenantId = await source.tenant()
      const key = await source.key(tenantId)
      await completed(source, key)
      await target.deps.db.query({
        name: 'test_always_forge',
        text: `create function forge() returns trigger language plpgsql as
               $$ begin if new.tenant_id = '${tenantId}' then new.purpose := 'forged'; end if; return new; end $$`,
      })
      await target.deps.db.query({
        name: 'test_forge_trigger',
        text: 'create trigger forge before insert or update on verifications for each row execute function forge()',
      })
      const steps: string[] = []
      const forged = moveOf(both, tenantId, (step) => void steps.push(step))
      await assert.rejects(
        switchTenant(forged, LARGE),
        /verifications: 1 rows still differ after they were copied again/,
      )
      assert.equal(steps.at(-1), 'compare')
      await settles(both, key, '200 503')
      await target.deps.db.query({ name: 'test_no_forge', text: 'drop function forge cascade' })
    })
  })

  it('nothing is copied over a tenant that the new installation has opened', async () => {
    const tenantId = await source.tenant()
    const key = await source.key(tenantId)
    const late = moveOf(both, tenantId, async (step) => {
      if (step === 'catch up') await switchTenant(moveOf(both, tenantId), STOP)
    })
    await create(source, key)
    await assert.rejects(switchTenant(late, STOP), /serves the tenant already/)
    await assert.rejects(copyTenant(moveOf(both, tenantId)), /has moved to/)
    await settles(both, key, '308 200')
  })

  it('rows that change, appear and disappear during the copy arrive in their final state', async () => {
    const tenantId = await source.tenant()
    const key = await source.key(tenantId)
    const [gone, kept] = [await completed(source, key), await create(source, key)]
    await copyTenant(moveOf(both, tenantId))
    await source.call('DELETE', `/v1/verifications/${gone}`, { key })
    const late = await completed(source, key)
    await source.call('POST', `/v1/verifications/${kept.id}/cancel`, { key })
    await switchTenant(moveOf(both, tenantId), STOP)
    assert.equal((await ask(target, `/v1/verifications/${gone}`, { key })).status, 404)
    assert.equal((await read(target, key, late)).status, 'completed')
    assert.equal((await read(target, key, kept.id)).status, 'expired')
  })

  it('a writer that passed the check before the tenant closed writes nothing', async () => {
    const tenantId = await source.tenant()
    const key = await source.key(tenantId)
    const open = await create(source, key)
    const wallet = await testWallet(source)
    const body = await validBody(wallet, await wallet.request(open.wallet_uri))
    const before = await counted(source, 'audit_entries', tenantId)
    const close = (until: string) =>
      source.deps.db.query(
        {
          name: 'test_close_heads',
          text: `update audit_heads set closed_until = $2::text::timestamptz where tenant_id = $1`,
        },
        [tenantId, until],
      )
    await close('infinity')
    for (const answer of [
      await ask(source, '/v1/verifications', { key, method: 'POST', body: { template: 'identity' } }),
      await ask(source, `/wallet/response/${open.id}`, { method: 'POST', raw: body }),
      await ask(source, `/v1/verifications/${open.id}/cancel`, { key, method: 'POST' }),
    ])
      assert.deepEqual([answer.status, answer.headers['retry-after']], [503, '2'], answer.text)
    assert.equal(await counted(source, 'audit_entries', tenantId), before)
    assert.equal(await counted(source, 'verifications', tenantId), 1)
    await close('-infinity')
    assert.equal((await respond(source, open.id, body)).status, 200)
  })

  it('a move that takes too long changes nothing', async () => {
    const tenantId = await source.tenant()
    const key = await source.key(tenantId)
    await assert.rejects(switchTenant(moveOf(both, tenantId), { stopSeconds: 1 }), /within 1 s/)
    await settles(both, key, '200 503')
    assert.equal((await loadWhereabouts(source.deps.db, tenantId))?.isClosed, false)
  })
})

describe('refusals', () => {
  it('a store is refused under an unknown master key', async () => {
    const wrong = await openDb({ connection: { url: target.url }, sealer: testSealer(randomBytes(32)), poolMax: 1 })
    try {
      const { config, clock, remoteKeys } = target.deps
      assert.equal(config.baseUrl, NEW)
      await assert.rejects(keepDerivedKeys({ db: wrong, clock, remoteKeys }), UnknownMasterKey)
    } finally {
      await wrong.close()
    }
  })

  it('subjects and correlations of the tenant stay the same there', async () => {
    const tenantId = await source.tenant()
    await switchTenant(moveOf(both, tenantId), STOP)
    const realm = { tenantId, environment: 'test' } as const
    const there = () => subjectKeyOf(target.deps.derivedKeys, realm)
    const here = subjectKeyOf(source.deps.derivedKeys, realm)
    await waitUntil('the process there knows the key', () => there().equals(here))
    const [a, b] = [source, target].map(({ deps }) => correlationKeyOf(deps.derivedKeys, tenantId))
    assert.deepEqual(a, b)
    const other = { tenantId: await target.tenant(), environment: 'test' } as const
    assert.notDeepEqual(subjectKeyOf(target.deps.derivedKeys, other), subjectKeyOf(source.deps.derivedKeys, other))
  })

  it('an unknown tenant, the installation itself, a tenant that exists there, another schema', async () => {
    await assert.rejects(copyTenant(moveOf(both, 'ten_0000000000000000')), /there is no tenant/)
    const tenantId = await source.tenant()
    await assert.rejects(copyTenant(moveOf({ source, target: source }, tenantId)), /the target is this installation/)
    await target.deps.db.query(
      {
        name: 'test_same_tenant',
        text: `insert into tenants (id, name, plan, created_at) values ($1, 'Same', 'free', now())`,
      },
      [tenantId],
    )
    await assert.rejects(copyTenant(moveOf(both, tenantId)), /has this tenant already/)
    const another = await source.tenant()
    const change = (text: string) => target.deps.db.query({ name: `test_schema_${text.length}`, text })
    await change(`insert into schema_migrations (number, name, checksum) values (9999, 'later', 'x')`)
    try {
      await assert.rejects(copyTenant(moveOf(both, another)), /different schemas/)
    } finally {
      await change('delete from schema_migrations where number = 9999')
    }
    assert.equal(await loadWhereabouts(target.deps.db, another), null)
  })
})
