// Tests that authorities for registrations and for credentials have different keys; the operator's take precedence.

import assert from 'node:assert/strict'
import test from 'node:test'
import type { VouchedType } from '@vidimus/engine'
import { mintAuthority } from '@vidimus/wallet'
import { certificateBytes } from '../../../wallet/src/pki.ts'
import { loadAnchors } from '../../src/features/trust/store/anchors.ts'
import { diagnoseTrust } from '../../src/features/trust/usecases/diagnose-trust.ts'
import { addAnchor } from '../../src/features/trust/usecases/manage-anchors.ts'
import { instantOf } from '../../src/platform/world.ts'
import { runJob } from '../harness/jobs.ts'
import { testService } from '../harness/service.ts'

const service = await testService()
const now = Math.floor(service.clock.now() / 1000)
const period = { notBefore: now - 1000, notAfter: now + 10_000_000 }

test("R08: an owner's anchor never blocks the operator: it is ignored, and its owner learns nothing of the operator's", async () => {
  const { db } = service.deps
  const authority = certificateBytes(mintAuthority({ commonName: 'Of two minds' }, period))
  const add = (tenantId: string | null, types: VouchedType[], type: 'user' | 'operator') =>
    addAnchor(service.deps, {
      owner: { tenantId, environment: 'test' },
      kind: 'ca',
      profile: 'generic',
      types,
      certificate: authority,
      actor: { type, id: 'somebody' },
    })
  const realm = { tenantId: await service.tenant(), environment: 'test' } as const
  const own = await add(realm.tenantId, ['dc+sd-jwt:*'], 'user')
  assert.ok(own.outcome === 'added')
  const judgedBy = async () => (await loadAnchors(db, realm, instantOf(service.clock.now()))).map(({ id }) => id)
  assert.ok((await judgedBy()).includes(own.anchor.id))
  const theirs = await add(null, ['rc-wrp+jwt:*'], 'operator')
  assert.ok(theirs.outcome === 'added', JSON.stringify(theirs))
  // A row from before facts of certificates were stored is parsed, until the facts are filled in.
  const forget = { name: 'test_forget_facts', text: 'update anchors set public_key_sha256 = null, subject = null' }
  for (const isNoted of [true, false]) {
    if (!isNoted) await db.query(forget)
    assert.ok(!(await judgedBy()).includes(own.anchor.id), 'the owner’s yields')
    assert.ok((await judgedBy()).includes(theirs.anchor.id))
    const again = await add(realm.tenantId, ['mso_mdoc:*'], 'user')
    assert.ok(again.outcome === 'refused')
    assert.doesNotMatch(again.problem, /anc_/)
  }
  const problem = (await diagnoseTrust(service.deps)).find(({ finding }) => finding.includes(own.anchor.id))
  assert.equal(problem?.status, 'problem')
  await runJob(service.deps, 'refresh-trust-lists')
  const empty = {
    name: 'test_count_empty',
    text: 'select id from anchors where public_key_sha256 is null or subject is null',
  }
  assert.deepEqual(await db.query(empty), [])
})
