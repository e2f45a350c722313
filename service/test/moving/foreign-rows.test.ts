// Tests that a moved tenant changes nothing of other tenants, and that its keys are known before it is served.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { subjectKeyOf } from '../../src/features/oidc/index.ts'
import { copyReceiptKeys } from '../../src/features/operator/store/moved-people.ts'
import { MoveRefused } from '../../src/features/operator/usecases/moving/copy-rows.ts'
import { copyTenant, switchTenant } from '../../src/features/operator/usecases/moving/move-tenant.ts'
import { person } from '../harness/staff.ts'
import { waitUntil } from '../harness/wait.ts'
import { completed, moveOf, twoInstallations } from './installations.ts'

const both = await twoInstallations()
const { source, target } = both
const STOP = { stopSeconds: 30 }

const rows = (service: typeof source, name: string, text: string, ...values: string[]) =>
  service.deps.db.query<Record<string, string>>({ name: `test_${name}`, text }, values)

test('a row of another tenant with the same secret stays, and the move is refused', async () => {
  const [mover, other] = [await source.tenant(), await target.tenant()]
  await source.key(mover)
  await target.key(other)
  const [key] = await rows(
    source,
    'find_key',
    `select encode(hash, 'hex') as hash from api_keys where tenant_id = $1`,
    mover,
  )
  const change = `update api_keys set hash = decode($2, 'hex') where tenant_id = $1`
  await rows(target, 'give_hash', change, other, key?.hash ?? '')
  await assert.rejects(switchTenant(moveOf(both, mover), STOP), (error: Error) => {
    assert.match(error.message, /api_keys/)
    return error instanceof MoveRefused
  })
  const find = `select tenant_id from api_keys where hash = decode($1, 'hex')`
  assert.deepEqual(await rows(target, 'find_owner', find, key?.hash ?? ''), [{ tenant_id: other }])
})

test('an existing account with the address of staff gets the membership, and no further way to sign in', async () => {
  const [mover, other] = [await source.tenant(), await target.tenant()]
  const email = 'shared@example.com'
  const [here, there] = [await person(source, mover, 'owner', email), await person(target, other, 'owner', email)]
  assert.equal(here.email, there.email)
  await rows(
    source,
    'bind_subject',
    `insert into oidc_identities (issuer, subject, person_id, created_at)
     select 'https://login.example.com', 'new-owner-of-the-address', id, now() from people where email = $1`,
    email,
  )
  await switchTenant(moveOf(both, mover), STOP)
  const bound = await rows(target, 'find_subjects', 'select subject from oidc_identities')
  assert.deepEqual(bound, [])
  const members = await rows(
    target,
    'find_members',
    'select m.tenant_id from members m join people p on p.id = m.person_id where p.email = $1',
    email,
  )
  assert.deepEqual(new Set(members.map(({ tenant_id }) => tenant_id)), new Set([mover, other]))
})

test("the keys of a tenant's subjects are known at the new installation before it serves the tenant", async () => {
  const tenantId = await source.tenant()
  await copyTenant(moveOf(both, tenantId))
  const realm = { tenantId, environment: 'test' } as const
  const here = subjectKeyOf(source.deps.derivedKeys, realm)
  await waitUntil('the process there knows the key', () => subjectKeyOf(target.deps.derivedKeys, realm).equals(here))
})

test('a tenant whose receipt cannot be signed here does not move: no other installation could sign it', async () => {
  const tenantId = await source.tenant()
  const id = await completed(source, await source.key(tenantId))
  // Keys that came with tenants of other tests are there, too.
  const kidsOf = async (service: typeof source): Promise<string[]> =>
    (await service.call('GET', '/log/receipt-keys')).json.keys.map((key: { kid: string }) => key.kid)
  const own = await kidsOf(source)
  const kid = (await kidsOf(target)).find((one) => !own.includes(one))
  assert.ok(kid !== undefined)
  await copyReceiptKeys(target.deps.db, source.deps.db, tenantId)
  const header = Buffer.from(JSON.stringify({ alg: 'vidimus-ES256-tree', kid, typ: 'vidimus-receipt+jwt' })).toString(
    'base64url',
  )
  await source.deps.db.query(
    {
      name: 'test_unsign_receipt',
      text: `update receipts set jws = $2 || '.' || split_part(jws, '.', 2) || '.', leaf_index = null, seq = null where verification_id = $1`,
    },
    [id, header],
  )
  await assert.rejects(switchTenant(moveOf(both, tenantId), STOP), /receipts cannot be signed/)
})
