// Tests that a tenant's lists move with the keys that they have named, so that a mark they contradict stays void.

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

it("a mark that the operator's list or anchor contradicts stays void after a move without them", async () => {
  const vical = vicalFactory(Math.floor(source.clock.now() / 1000))
  for (const by of ['list', 'anchor']) {
    const { der: certificate } = mintIaca()
    const owner = { tenantId: await source.tenant(), environment: 'test' } as const
    const sole = { docType: TYPE.mdl, nameSpace: 'org.iso.18013.5.1', withoutStatus: false }
    const anchor = { kind: 'ca', profile: 'iso-mdl', certificate, actor: OPERATOR } as const
    const types = [`mso_mdoc:${TYPE.mdl}`] as const
    const marks = async ({ deps, clock }: typeof source) =>
      (await loadAnchors(deps.db, owner, instantOf(clock.now()))).filter(
        (one) => Buffer.from(one.certificate).equals(certificate) && one.sole !== undefined,
      ).length
    assert.equal((await addAnchor(source.deps, { ...anchor, owner, types, sole })).outcome, 'added')
    const { der: other } = mintIaca()
    assert.equal((await addAnchor(source.deps, { ...anchor, owner, types, sole, certificate: other })).outcome, 'added')
    assert.equal(await marks(source), 1)
    const operator = { tenantId: null, environment: 'test' } as const
    if (by === 'anchor') {
      const club = await addAnchor(source.deps, { ...anchor, owner: operator, types: ['mso_mdoc:org.example.club'] })
      assert.equal(club.outcome, 'added')
    } else {
      const imported = await importTrustList(source.deps, {
        owner: operator,
        kind: 'vical',
        providers: 'mdoc',
        source: 'operator.vical',
        file: vical.listOf([{ docTypes: [TYPE.pidMdoc] }, { docTypes: ['org.example.club'], certificate }]),
        signer: vical.signer,
        signerAuthority: null,
        types: [`mso_mdoc:${TYPE.pidMdoc}`],
      })
      assert.equal(imported.outcome, 'loaded', JSON.stringify(imported))
    }
    await switchTenant(moveOf(both, owner.tenantId), { stopSeconds: 30 })
    assert.equal(await marks(target), 0, by)
    const moved = await loadAnchors(target.deps.db, owner, instantOf(target.clock.now()))
    assert.deepEqual(
      moved.flatMap(({ sole: mark }) => mark ?? []),
      [sole],
      'the other mark holds',
    )
  }
})

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

it("every mark is void after a move away from an operator's list whose keys are not known", async () => {
  const vical = vicalFactory(Math.floor(source.clock.now() / 1000))
  const owner = { tenantId: await source.tenant(), environment: 'test' } as const
  const sole = { docType: TYPE.mdl, nameSpace: 'org.iso.18013.5.1', withoutStatus: false }
  const { der: certificate } = mintIaca()
  const marked = { owner, kind: 'ca', profile: 'iso-mdl', types: [`mso_mdoc:${TYPE.mdl}`], certificate, sole } as const
  assert.equal((await addAnchor(source.deps, { ...marked, actor: OPERATOR })).outcome, 'added')
  const imported = await importTrustList(source.deps, {
    owner: { tenantId: null, environment: 'test' },
    kind: 'vical',
    providers: 'mdoc',
    source: 'operator.vical',
    file: vical.listOf([{ docTypes: [TYPE.pidMdoc] }]),
    signer: vical.signer,
    signerAuthority: null,
    types: [`mso_mdoc:${TYPE.pidMdoc}`],
  })
  assert.equal(imported.outcome, 'loaded', JSON.stringify(imported))
  const marks = async ({ deps, clock }: typeof source) =>
    (await loadAnchors(deps.db, owner, instantOf(clock.now()))).flatMap(({ sole: mark }) => mark ?? [])
  assert.deepEqual(await marks(source), [sole])
  await source.deps.db.query({
    name: 'test_list_of_earlier_release',
    text: 'update trust_lists set keys_sha256 = null where tenant_id is null',
  })
  assert.deepEqual(await marks(source), [])
  await switchTenant(moveOf(both, owner.tenantId), { stopSeconds: 30 })
  assert.deepEqual(await marks(target), [])
})
