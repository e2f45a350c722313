// A tenant's lists move with the keys that they have named: a mark that they contradict stays void there.

import assert from 'node:assert/strict'
import { it } from 'node:test'
import { TYPE } from '@vidimus/wallet'
import { mintIaca } from '../../../engine/test/trust/mint-pki.ts'
import { switchTenant } from '../../src/features/operator/usecases/moving/move-tenant.ts'
import { loadAnchors } from '../../src/features/trust/store/anchors.ts'
import { importTrustList } from '../../src/features/trust/usecases/import-trust-list.ts'
import { addAnchor } from '../../src/features/trust/usecases/manage-anchors.ts'
import { instantOf } from '../../src/platform/world.ts'
import { OPERATOR } from '../harness/service.ts'
import { moveOf, twoInstallations } from './installations.ts'
import { vicalFactory } from './vical.ts'

const both = await twoInstallations()
const { source, target } = both

it('a contradicted mark stays void, also for a key that an earlier release wrote', async () => {
  const vical = vicalFactory(Math.floor(source.clock.now() / 1000))
  const { der: certificate } = mintIaca()
  for (const isOfEarlierRelease of [false, true]) {
    const owner = { tenantId: await source.tenant(), environment: 'test' } as const
    const sole = { docType: TYPE.mdl, nameSpace: 'org.iso.18013.5.1', withoutStatus: false }
    const types = [`mso_mdoc:${TYPE.mdl}`] as const
    const marked = { owner, kind: 'ca', profile: 'iso-mdl', types, certificate, actor: OPERATOR, sole } as const
    assert.equal((await addAnchor(source.deps, marked)).outcome, 'added')
    const file = vical.listOf([{ docTypes: [TYPE.pidMdoc] }, { docTypes: ['org.example.club'], certificate }])
    const imported = await importTrustList(source.deps, {
      owner,
      kind: 'vical',
      providers: 'mdoc',
      source: 'list.vical',
      file,
      signer: vical.signer,
      signerAuthority: null,
      types: [`mso_mdoc:${TYPE.pidMdoc}`],
    })
    assert.equal(imported.outcome, 'loaded', JSON.stringify(imported))
    if (isOfEarlierRelease)
      await source.deps.db.query({ name: 'test_earlier_keys', text: 'update listed_keys set tenant_id = null' })
    const marks = async ({ deps, clock }: typeof source) =>
      (await loadAnchors(deps.db, owner, instantOf(clock.now()))).flatMap(({ sole: mark }) => mark ?? [])
    assert.deepEqual(await marks(source), [])
    await switchTenant(moveOf(both, owner.tenantId), { stopSeconds: 30 })
    assert.deepEqual(await marks(target), [])
  }
})
