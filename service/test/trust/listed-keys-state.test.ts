// Tests the cached anchors of a realm: unchanged rows keep their objects, and changes of listed keys are noticed.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mintIaca } from '../../../engine/test/trust/mint-pki.ts'
import type { Realm } from '../../src/core/tenants/domain/realm.ts'
import {
  loadListedKeys,
  loadListedKeysState,
  noteListedKeys,
  takeListedKeysOver,
} from '../../src/features/trust/store/listed-keys.ts'
import { addAnchor, removeAnchor } from '../../src/features/trust/usecases/manage-anchors.ts'
import { instantOf } from '../../src/platform/world.ts'
import { allNotified } from '../harness/notified.ts'
import { OPERATOR, testService } from '../harness/service.ts'

const service = await testService()
const { deps } = service
const { db } = deps
const MDL = 'org.iso.18013.5.1.mDL'
const ASKED = ['org.example.marked']
const key = (at: number) => at.toString(16).padStart(64, '0')
let lists = 0

/** Returns a list that was read: its keys are known. */
async function newList(tenantId: string | null, environment: Realm['environment'] = 'test') {
  lists += 1
  const list = { id: `lst_state_${lists}`, tenantId }
  await db.query(
    {
      name: 'test_insert_list',
      text: `insert into trust_lists (id, tenant_id, environment, kind, source, types, created_at, loaded_at, sha256,
               keys_sha256, by_owner) values ($1, $2, $3, 'lote', $1, '{}', now(), now(), '\\x01', '\\x01', false)`,
    },
    [list.id, tenantId, environment],
  )
  return list
}

const change = (text: string, id: string) => db.query({ name: `test_${text.slice(0, 30)}`, text }, [id])

/** Whether `work` changed the state, and whether it changed the result. */
async function watched(realm: Realm, work: () => Promise<unknown>) {
  const load = async () => ({
    state: await loadListedKeysState(db, realm),
    found: JSON.stringify(
      (await loadListedKeys(db, realm, ASKED))?.sort((a, b) => (a.keySha256 < b.keySha256 ? -1 : 1)),
    ),
  })
  const before = await load()
  await work()
  const after = await load()
  return { noticed: before.state !== after.state, changed: before.found !== after.found }
}

const BOTH = { noticed: true, changed: true }
let second = 0
const noting = (list: Awaited<ReturnType<typeof newList>>, keys: readonly [number, string][], most = 1_000) => {
  second += 1
  const named = keys.map(([at, docType]) => ({ keySha256: key(at), docType }))
  return noteListedKeys(db, list, { keys: named, at: instantOf(service.clock.now() + 1000 * second), most })
}

for (const ofOperator of [false, true])
  test(`every change of the keys that lists name is noticed, of ${ofOperator ? 'the operator' : 'a tenant'}`, async () => {
    const realm = { tenantId: await service.tenant(), environment: 'test' } as const
    const list = await newList(ofOperator ? null : realm.tenantId)
    const seen = (work: () => Promise<unknown>) => watched(realm, work)
    assert.deepEqual(await seen(() => noting(list, [[1, MDL]])), BOTH, 'the first key')
    assert.deepEqual(
      await seen(() =>
        noting(list, [
          [1, MDL],
          [2, MDL],
        ]),
      ),
      BOTH,
      'another key',
    )
    assert.deepEqual(
      await seen(() =>
        noting(list, [
          [1, 'org.example.club'],
          [2, MDL],
        ]),
      ),
      BOTH,
      'a second type of a key',
    )
    assert.deepEqual(
      await seen(() =>
        noting(
          list,
          [
            [3, MDL],
            [4, MDL],
          ],
          2,
        ),
      ),
      BOTH,
      'a key of two types is forgotten',
    )
    assert.deepEqual(
      await seen(() =>
        noting(
          list,
          [
            [5, MDL],
            [6, MDL],
          ],
          2,
        ),
      ),
      BOTH,
      'old keys are forgotten for as many new ones of the same type',
    )
    const successor = await newList(list.tenantId)
    await noting(successor, [[9, MDL]])
    assert.deepEqual(await seen(() => takeListedKeysOver(db, successor, list.id)), BOTH, 'keys of a replaced list')
    const unread = "update trust_lists set sha256 = '\\x02' where id = $1"
    assert.deepEqual(await seen(() => change(unread, list.id)), BOTH, 'an issue whose keys are not known')
    assert.equal(await loadListedKeys(db, realm, ASKED), null)
    assert.deepEqual(await seen(() => noting(list, [[3, MDL]])), BOTH, 'the keys are known again')
    const withdrawn = async () => {
      await change('delete from listed_keys where list_id = $1', list.id)
      await change('delete from trust_lists where id = $1', list.id)
      await change('delete from listed_keys where list_id = $1', successor.id)
      await change('delete from trust_lists where id = $1', successor.id)
    }
    assert.deepEqual(await seen(withdrawn), BOTH, 'the list is withdrawn')
  })

test('lists of other tenants and of the other environment change nothing', async () => {
  const realm = { tenantId: await service.tenant(), environment: 'test' } as const
  const work = async () => {
    await noting(await newList(await service.tenant()), [[1, MDL]])
    await noting(await newList(realm.tenantId, 'live'), [[1, MDL]])
  }
  assert.deepEqual(await watched(realm, work), { noticed: false, changed: false })
})

test('anchors that did not change keep their objects when another is added or removed', async () => {
  const realm = { tenantId: await service.tenant(), environment: 'test' } as const
  const add = async () => {
    const added = await addAnchor(deps, {
      owner: realm,
      kind: 'ca',
      profile: 'iso-mdl',
      certificate: mintIaca().der,
      types: [`mso_mdoc:${MDL}`],
      actor: OPERATOR,
    })
    assert.ok(added.outcome === 'added', JSON.stringify(added))
    return added.anchor.id
  }
  const find = async () => {
    // A load during which a notification arrives is not cached.
    await allNotified(service)
    return deps.anchors.find(realm, service.clock.now())
  }
  const first = await add()
  const byId = async () => new Map((await find()).map((anchor) => ['id' in anchor ? anchor.id : '', anchor]))
  const before = await byId()
  assert.ok(before.get(first) !== undefined)
  const second = await add()
  const during = await byId()
  assert.ok(during.get(second) !== undefined)
  assert.equal(during.get(first), before.get(first))
  await removeAnchor(deps, { realm, id: second, actor: OPERATOR })
  const after = await byId()
  assert.equal(after.get(second), undefined)
  assert.equal(after.get(first), before.get(first))
  const same = await find()
  service.clock.advance(60_000)
  assert.equal(await find(), same, 'an unchanged list stays the same array')
})
