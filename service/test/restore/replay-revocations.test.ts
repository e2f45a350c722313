// Tests that every audit action that takes something away is repeated after a restore, or named to the operator.

import assert from 'node:assert/strict'
import test from 'node:test'
import { mintAuthority } from '@vidimus/wallet'
import { generateResultKey } from '../../../sdk/typescript/src/result.ts'
import { certificateBytes } from '../../../wallet/src/pki.ts'
import { SCOPES } from '../../../wire/values/keys.ts'
import { AFTER_RESTORE, AUDIT_ACTIONS, type AuditAction } from '../../src/core/ports/audit.ts'
import { addResultKey, removeResultKey } from '../../src/core/result-keys/usecases/manage-result-keys.ts'
import { removeTemplate, saveTemplate } from '../../src/core/templates/usecases/manage-templates.ts'
import type { Realm } from '../../src/core/tenants/domain/realm.ts'
import { createKey, revokeKey, rollKey } from '../../src/core/tenants/usecases/manage-keys.ts'
import { removeType, saveType } from '../../src/core/transactions/usecases/manage-types.ts'
import { nameEntries } from '../../src/features/audit/domain/losses.ts'
import { exportAudit } from '../../src/features/audit/usecases/read-audit.ts'
import { verifyStored } from '../../src/features/audit/usecases/verify-audit.ts'
import { changeDevice } from '../../src/features/devices/usecases/change-device.ts'
import { renewPairingCode } from '../../src/features/devices/usecases/renew-pairing-code.ts'
import { revokeDevice } from '../../src/features/devices/usecases/revoke-device.ts'
import { takeBundle } from '../../src/features/evidence/store/bundles.ts'
import { revokeLink } from '../../src/features/links/usecases/revoke-link.ts'
import { removeClient } from '../../src/features/oidc/usecases/manage-clients.ts'
import { checkRestore } from '../../src/features/operator/usecases/check-restore.ts'
import { REPEATS } from '../../src/features/operator/usecases/repeated-actions.ts'
import { addRegistration, removeRegistration } from '../../src/features/registration/usecases/manage-registrations.ts'
import { forgetAddresses, listAddressesBefore } from '../../src/features/staff/store/former-staff.ts'
import {
  changeRole,
  invite,
  readTeam,
  removeMember,
  withdrawInvitation,
} from '../../src/features/staff/usecases/manage-team.ts'
import { loadListedKeys, noteListedKeys } from '../../src/features/trust/store/listed-keys.ts'
import { listTrustListsOf } from '../../src/features/trust/store/trust-lists.ts'
import { removeTrustList } from '../../src/features/trust/usecases/import-trust-list.ts'
import { addAnchor, removeAnchor } from '../../src/features/trust/usecases/manage-anchors.ts'
import { requestCertificate } from '../../src/features/trust/usecases/manage-certificates.ts'
import { withdrawOwnKey } from '../../src/features/trust/usecases/manage-own-trust.ts'
import { addOrigin, removeOrigin } from '../../src/features/trust/usecases/origins/manage-origins.ts'
import { removeEndpoint, saveEndpoint } from '../../src/features/webhooks/usecases/manage-endpoints.ts'
import {
  endOldSecrets,
  rotateSecret,
  showWebhookSecret,
} from '../../src/features/webhooks/usecases/manage-webhook-secret.ts'
import { type Instant, instantOf } from '../../src/platform/world.ts'
import { OWN_TEMPLATE } from '../domain/template/own-template.ts'
import { enroll, pairDevice, refresh, registerDevice } from '../harness/devices.ts'
import { runJob } from '../harness/jobs.ts'
import { testClient } from '../harness/openid-client.ts'
import { registerTenant, testRegistrar } from '../harness/registrar.ts'
import { OPERATOR, testService } from '../harness/service.ts'
import { PASSWORD, person, post, tokenOf } from '../harness/staff.ts'
import { backUp } from './whole-backup.ts'

const service = await testService()
const { deps, call, clock } = service
const realm = { tenantId: await service.tenant(), environment: 'test' } as const
const { tenantId } = realm
const key = await service.key(tenantId)
const actor = OPERATOR

let statements = 0
/** Whether the statement finds a row. */
const finds =
  (text: string, ...values: readonly unknown[]) =>
  async () =>
    (await deps.db.query({ name: `test_${++statements}`, text, replanEachCall: true }, [...values])).length > 0

interface Case {
  /** Takes it away. */
  end(): Promise<unknown>
  isThere(): Promise<boolean>
}

async function newKey() {
  const input = { name: 'leaked', scopes: SCOPES, expiresInDays: null, actor }
  const created = await createKey(deps, { ...realm, ...input })
  assert.ok(created !== null)
  const isThere = async () => (await call('GET', '/v1/usage', { key: created.key })).status === 200
  return { id: created.apiKey.id, isThere }
}

async function unpaired() {
  const { device, pairing_code: code } = (await registerDevice(service, key, { ttlSeconds: 86_400 })).json
  const id: string = device.id
  const [row] = await deps.db.query<{ hash: Buffer }>(
    { name: 'test_code', text: 'select pairing_code_hash as hash from devices where id = $1' },
    [id],
  )
  return { id, code, isThere: finds('select from devices where id = $1 and pairing_code_hash = $2', id, row?.hash) }
}

async function screened(first: string) {
  const { id, accessToken } = await pairDevice(service, key)
  const connect = async (code: string) => call('PUT', '/till/display', { key: accessToken, body: { code } })
  assert.equal((await connect(first)).status, 200)
  const disconnect = () => call('DELETE', '/till/display', { key: accessToken })
  return { connect, disconnect, isThere: finds('select from devices where id = $1 and display_code = $2', id, first) }
}

async function invited(role: 'owner' | 'viewer') {
  const email = `guest-${++statements}@example.com`
  const again = (as: typeof role) => invite(deps, { tenantId, email, role: as, actor, byOperator: false })
  const url = (await again(role))?.url ?? ''
  return {
    email,
    url,
    again,
    isThere: finds('select from sign_in_links where email = $1 and role = $2 and used_at is null', email, role),
  }
}

/** Whether the person's password is the one of now. */
async function hasSamePassword(id: string) {
  const [row] = await deps.db.query<{ password: string }>(
    { name: 'test_password', text: 'select password from people where id = $1' },
    [id],
  )
  return finds('select from people where id = $1 and password = $2', id, row?.password)
}

async function member() {
  const { id, email } = await person(service, tenantId, 'owner')
  const hasPassword = await hasSamePassword(id)
  const hasRole = finds(`select from members where person_id = $1 and role = 'owner'`, id)
  return { id, email, hasPassword, hasRole }
}

async function origin(port: number) {
  const added = await addOrigin(deps, { realm, origin: `http://localhost:${port}`, actor })
  assert.ok(added.outcome === 'added', JSON.stringify(added))
  return added.origin.id
}

const CLIENT = { redirectUris: ['https://shop.example/back'] }
const TYPE = 'https://shop.example/terms'
const SCHEMA = {
  type: 'object',
  properties: { text: { type: 'string', maxLength: 100 } },
  required: ['text'],
  additionalProperties: false,
}

const CASES: Readonly<Record<keyof typeof REPEATS, () => Promise<Case>>> = {
  async 'key.revoked'() {
    const { id, isThere } = await newKey()
    return { end: () => revokeKey(deps, { tenantId, keyId: id, actor }), isThere }
  },
  async 'key.rolled'() {
    const { id, isThere } = await newKey()
    return { end: () => rollKey(deps, { realm, keyId: id, overlapHours: 0, expiresInDays: null, actor }), isThere }
  },
  async 'verification.cancelled'() {
    const body = { template: 'identity', ttl_seconds: 3_600 }
    const { id } = (await call('POST', '/v1/verifications', { key, body })).json
    const isThere = async () => (await call('GET', `/v1/verifications/${id}`, { key })).json.status === 'pending'
    return { end: () => call('POST', `/v1/verifications/${id}/cancel`, { key }), isThere }
  },
  async 'device.changed'() {
    const { id } = await pairDevice(service, key, { templates: ['age_over_18', 'identity'] })
    const allowedTemplates = ['age_over_18']
    return {
      end: () => changeDevice(deps, { realm, deviceId: id, name: 'Till', allowedTemplates, actor }),
      isThere: finds(`select from devices where id = $1 and 'identity' = any (allowed_templates)`, id),
    }
  },
  async 'device.code_renewed'() {
    const { id, isThere } = await unpaired()
    return { end: () => renewPairingCode(deps, { realm, deviceId: id, pairingTtlSeconds: 900, actor }), isThere }
  },
  async 'device.enrolled'() {
    const { code, isThere } = await unpaired()
    return { end: () => enroll(service, code), isThere }
  },
  async 'device.revoked'() {
    const { id } = await pairDevice(service, key)
    return {
      end: () => revokeDevice(deps, { ...realm, deviceId: id, actor }),
      isThere: finds(`select from devices where id = $1 and status = 'active'`, id),
    }
  },
  async 'device.display_connected'() {
    const { connect, isThere } = await screened('BCDEFGHJ')
    return { end: () => connect('CDEFGHJK'), isThere }
  },
  async 'device.display_disconnected'() {
    const { disconnect: end, isThere } = await screened('ABCDEFGH')
    return { end, isThere }
  },
  async 'link.revoked'() {
    const { id } = (await call('POST', '/v1/links', { key, body: { template: 'age_over_18' } })).json
    return {
      end: () => revokeLink(deps, { realm, id, actor }),
      isThere: finds('select from links where id = $1 and revoked_at is null', id),
    }
  },
  async 'template.removed'() {
    const saved = await saveTemplate(deps, { realm, key: 'mine', document: OWN_TEMPLATE, actor })
    assert.equal(saved.outcome, 'created')
    return {
      end: () => removeTemplate(deps, { realm, key: 'mine', actor }),
      isThere: finds(`select from templates where key = 'mine'`),
    }
  },
  async 'transaction_type.removed'() {
    const saved = await saveType(deps, { realm, type: TYPE, title: 'Terms', schema: SCHEMA, actor })
    assert.equal(saved.outcome, 'created', JSON.stringify(saved))
    return {
      end: () => removeType(deps, { realm, type: TYPE, actor }),
      isThere: finds('select from transaction_types where type = $1', TYPE),
    }
  },
  async 'webhook_secret.rotated'() {
    const { secret } = await showWebhookSecret(deps, { realm, actor })
    return {
      end: () => rotateSecret(deps, { realm, actor, endPrevious: false }),
      isThere: async () => (await showWebhookSecret(deps, { realm, actor })).secret === secret,
    }
  },
  async 'webhook_secret.old_ended'() {
    const { secret } = await showWebhookSecret(deps, { realm, actor })
    return {
      end: () => endOldSecrets(deps, { realm, actor }),
      isThere: async () => (await showWebhookSecret(deps, { realm, actor })).secret === secret,
    }
  },
  async 'endpoint.removed'() {
    const draft = { name: 'Shop', url: 'https://hooks.example.com/in', isDefault: false }
    const id = (await saveEndpoint(deps, { realm, id: null, draft, actor }))?.id ?? ''
    return {
      end: () => removeEndpoint(deps, { realm, id, actor }),
      isThere: finds('select from webhook_endpoints where id = $1', id),
    }
  },
  async 'anchor.removed'() {
    const period = { notBefore: clock.now() / 1000 - 1_000, notAfter: clock.now() / 1000 + 86_400 }
    const certificate = certificateBytes(mintAuthority({ commonName: 'Root', country: 'UT' }, period))
    const types = ['dc+sd-jwt:*'] as const
    const added = await addAnchor(deps, { owner: realm, kind: 'ca', profile: 'generic', types, certificate, actor })
    assert.ok(added.outcome === 'added', JSON.stringify(added))
    const { id } = added.anchor
    return {
      end: () => removeAnchor(deps, { id, realm, actor }),
      isThere: finds('select from anchors where id = $1', id),
    }
  },
  async 'trust_list.removed'() {
    const insert = finds(
      `insert into trust_lists (id, tenant_id, environment, by_owner, kind, source, types, created_at)
       values ('tl_one', $1, 'test', false, 'lote', 'one.json', '{}', now()) returning id`,
      tenantId,
    )
    assert.ok(await insert())
    return {
      end: () => removeTrustList(deps, 'tl_one', { realm, actor }),
      isThere: finds(`select from trust_lists where id = 'tl_one'`),
    }
  },
  async 'certificate.withdrawn'() {
    const subject = { commonName: 'Shop', organization: 'Shop', country: 'UT' }
    const requested = await requestCertificate(deps, {
      owner: realm,
      purpose: 'openid4vp',
      serviceId: null,
      subject,
      actor,
    })
    assert.ok(requested.outcome === 'requested', JSON.stringify(requested))
    const [row] = await deps.db.query<{ id: string }>(
      { name: 'test_waiting', text: 'select id from access_keys where tenant_id = $1 and installed_at is null' },
      [tenantId],
    )
    const id = row?.id ?? ''
    return {
      end: () => withdrawOwnKey(deps, { realm, id, actor }),
      isThere: finds('select from access_keys where id = $1', id),
    }
  },
  async 'registration.removed'() {
    const registrar = await testRegistrar(service)
    await registerTenant(service, registrar, realm)
    const added = await addRegistration(deps, { realm, jwt: registrar.certify(), intendedUse: null, actor })
    assert.ok(added.outcome === 'added', JSON.stringify(added))
    const { id } = added.registration
    return {
      end: () => removeRegistration(deps, { realm, id, actor }),
      isThere: finds('select from registration_certificates where id = $1 and removed_at is null', id),
    }
  },
  async 'origin.unproven'() {
    const id = await origin(4_000)
    return {
      // As the job does after three days.
      end: () =>
        deps.db.transaction(async (tx) => {
          await tx.query({ name: 'test_unprove', text: 'update tenant_origins set proven_at = null where id = $1' }, [
            id,
          ])
          const object = { type: 'origin', id }
          await deps.audit.record(tx, realm, { now: instantOf(clock.now()), actor, action: 'origin.unproven', object })
        }),
      isThere: finds('select from tenant_origins where id = $1 and proven_at is not null', id),
    }
  },
  async 'origin.removed'() {
    const id = await origin(5_000)
    return {
      end: () => removeOrigin(deps, { realm, id, actor }),
      isThere: finds('select from tenant_origins where id = $1', id),
    }
  },
  async 'result_key.removed'() {
    const jwk = JSON.stringify((await generateResultKey()).publicKey)
    const added = await addResultKey(deps, { realm, jwk, actor })
    assert.ok(added.outcome === 'added')
    const { id } = added.key
    return {
      end: () => removeResultKey(deps, { realm, id, actor }),
      isThere: finds('select from result_keys where id = $1', id),
    }
  },
  async 'evidence.delivered'() {
    const { id } = (await call('POST', '/v1/verifications', { key, body: { template: 'age_over_18' } })).json
    const isThere = finds('select from evidence_bundles where verification_id = $1', id)
    const text = `insert into evidence_bundles (verification_id, tenant_id, environment, jwe, drop_at)
                  values ($1, $2, 'test', 'sealed', 'infinity')`
    await deps.db.query({ name: 'test_bundle', text }, [id, tenantId])
    const end = () =>
      deps.db.transaction(async (tx) => {
        const now = instantOf(clock.now())
        const taken = await takeBundle(tx, realm, { id, now })
        const event = { now, actor, action: 'evidence.delivered', object: { type: 'verification', id } } as const
        await deps.audit.record(tx, realm, event)
        return taken
      })
    return { end, isThere }
  },
  async 'client.removed'() {
    const { id } = (await testClient(service, tenantId, CLIENT)).client
    return {
      end: () => removeClient(deps, { realm, id, actor }),
      isThere: finds('select from oidc_clients where id = $1', id),
    }
  },
  async 'user.invited'() {
    const { again, isThere } = await invited('owner')
    return { end: () => again('viewer'), isThere }
  },
  async 'user.invitation_withdrawn'() {
    const { email, isThere } = await invited('owner')
    return { end: () => withdrawInvitation(deps, { tenantId, email, actor }), isThere }
  },
  async 'user.joined'() {
    const { url, isThere } = await invited('viewer')
    return { end: () => post(service, '/links/use', { token: tokenOf(url), password: PASSWORD }), isThere }
  },
  async 'user.role_changed'() {
    const { id, hasRole } = await member()
    return { end: () => changeRole(deps, { tenantId, personId: id, role: 'viewer', actor }), isThere: hasRole }
  },
  async 'user.removed'() {
    const { id, hasRole } = await member()
    return { end: () => removeMember(deps, { tenantId, personId: id, actor }), isThere: hasRole }
  },
  async 'user.forgotten'() {
    const { email } = await invited('viewer')
    await withdrawInvitation(deps, { tenantId, email, actor })
    // The job forgets it a week later.
    const now = instantOf(clock.now() + 7 * 86_400_000 + 1_000)
    const named = (await listAddressesBefore(deps.db, realm, 1_000_000, 1_000)).filter((one) => one.email === email)
    const forgetting = { now, entries: named.map(({ seq }) => seq) }
    const end = () =>
      deps.db.transaction(async (tx) => {
        const entries = await forgetAddresses(tx, realm, forgetting)
        const details = { entries: nameEntries(entries) }
        const object = { type: 'tenant', id: tenantId }
        await deps.audit.record(tx, realm, { now, actor, action: 'user.forgotten', object, details })
      })
    const text = `select from audit_details where tenant_id = $1 and environment = 'test' and details ->> 'email' = $2`
    return { end, isThere: finds(text, tenantId, email) }
  },
  async 'user.password_changed'() {
    const { call: asPerson, id } = await person(service, tenantId, 'owner')
    return {
      end: () => asPerson('POST', '/me/password', { body: { password: 'another horse that counts to ten' } }),
      isThere: await hasSamePassword(id),
    }
  },
  async 'user.sign_ins_replaced'() {
    const { email, hasPassword } = await member()
    return {
      async end() {
        const link = await invite(deps, { tenantId, email, role: 'owner', actor, byOperator: true })
        await post(service, '/links/use', {
          token: tokenOf(link?.url ?? ''),
          password: 'another horse that counts to ten',
        })
      },
      isThere: hasPassword,
    }
  },
}

async function exported(of: Realm = realm) {
  const lines: string[] = []
  for await (const line of exportAudit(deps, of)) lines.push(line)
  return {
    name: 'one',
    lines: async function* () {
      yield* lines
    },
  }
}

const isThere = async (cases: ReadonlyMap<string, Case>) => {
  // Caches keep an answer for some seconds.
  clock.advance(6_000)
  const found: string[] = []
  for (const [action, one] of cases) if (await one.isThere()) found.push(action)
  return found
}

async function record(action: AuditAction, id: string): Promise<void> {
  const event = { now: instantOf(clock.now()) as Instant, actor, action, object: { type: 'thing', id } }
  await deps.db.transaction((tx) => deps.audit.record(tx, realm, event))
}

const BY_HAND = AUDIT_ACTIONS.filter((action) => AFTER_RESTORE[action] === 'by_hand')

test('what was taken away since the backup is taken away again, or named to the operator', async () => {
  const cases = new Map<string, Case>()
  for (const [action, prepare] of Object.entries(CASES)) cases.set(action, await prepare())
  for (const action of BY_HAND) await record('user.signed_in', `thing-${action}`)
  const guest = await person(service, tenantId, 'viewer')
  const all = [...cases.keys()]
  assert.deepEqual(await isThere(cases), all)
  const restore = await backUp(service)
  for (const [action, { end }] of cases) {
    const done = await end()
    const failed = typeof done === 'object' && done !== null && 'status' in done && Number(done.status) >= 400
    assert.ok(!failed && done !== null && done !== false, `${action}: ${JSON.stringify(done)}`)
  }
  for (const action of BY_HAND) await record(action, `thing-${action}`)
  await record('client.changed', 'cl_created_since')
  await record('future.ended' as AuditAction, 'thing')
  assert.deepEqual(await isThere(cases), [])
  const exports = [await exported()]
  await restore()
  assert.deepEqual(await isThere(cases), all, 'the backup brought it back')
  assert.equal((await guest.call('GET', '/me')).status, 200)

  const check = async () => {
    const { replays, isChecked } = await checkRestore(deps, { exports, acceptsRest: false })
    const [replay] = replays.map((one) => one.replay)
    assert.ok(replay?.outcome === 'replayed', JSON.stringify(replay))
    assert.ok(!isChecked)
    return replay
  }
  const named = [...BY_HAND.map((action) => `${action} of thing-${action}`), 'future.ended of thing'].sort()
  const first = await check()
  assert.deepEqual(await isThere(cases), [])
  assert.deepEqual([...first.byHand].sort(), named)
  assert.equal((await guest.call('GET', '/me')).status, 401, 'sign-outs are on no trail')
  assert.equal((await verifyStored(deps, { realm, log: 'newest' })).outcome, 'whole')

  // What was done by hand is named no more, and what was created again stays.
  await record('client.changed', 'thing-client.changed')
  const { pairing_code: code } = (await registerDevice(service, key)).json
  const { secret } = await showWebhookSecret(deps, { realm, actor })
  const again = await check()
  assert.deepEqual(
    [...again.byHand].sort(),
    named.filter((one) => !one.startsWith('client.changed ')),
  )
  assert.deepEqual([again.revoked, again.unknown], [first.revoked + 1, first.unknown])
  assert.equal((await enroll(service, code)).status, 200)
  assert.equal((await showWebhookSecret(deps, { realm, actor })).secret, secret)
})

test('a trust list that was replaced vouches for nothing, and the keys that it named stay known', async () => {
  const other = { tenantId: await service.tenant(), environment: 'test' } as const
  const insert = (id: string) =>
    finds(
      `insert into trust_lists (id, tenant_id, environment, by_owner, kind, source, types, created_at)
       values ($1, $2, 'test', false, 'lote', 'https://list.example', '{mso_mdoc:club.card.1}', now()) returning id`,
      ...[id, other.tenantId],
    )()
  const ofTenant = (id: string) => ({ id, tenantId: other.tenantId })
  await insert('tl_old')
  const keys = [{ keySha256: 'ab'.repeat(32), docType: 'club.card.1' }]
  await noteListedKeys(deps.db, ofTenant('tl_old'), { keys, at: instantOf(clock.now()), most: 10 })
  const restore = await backUp(service)
  await insert('tl_new')
  assert.ok(await removeTrustList(deps, 'tl_old', { realm: null, actor }, ofTenant('tl_new')))
  const exports = [await exported(other)]
  await restore()
  for (const time of ['first', 'again']) {
    await checkRestore(deps, { exports, acceptsRest: true })
    const lists = await listTrustListsOf(deps.db, other)
    assert.deepEqual(
      lists.map(({ id, types }) => [id, types]),
      [['tl_old', []]],
      time,
    )
    assert.deepEqual(await loadListedKeys(deps.db, other, ['org.iso.18013.5.1.mDL']), keys)
  }
  assert.equal((await verifyStored(deps, { realm: other, log: 'newest' })).outcome, 'whole')
})

test('a person who was invited again has the lower role; the last owner is left to the operator', async () => {
  const other = await service.tenant()
  const [again, last] = [await person(service, other, 'owner'), await person(service, other, 'owner')]
  const restore = await backUp(service)
  await removeMember(deps, { tenantId: other, personId: again.id, actor })
  assert.equal((await person(service, other, 'viewer', again.email)).id, again.id)
  await person(service, other, 'owner')
  await removeMember(deps, { tenantId: other, personId: last.id, actor })
  const exports = [await exported({ tenantId: other, environment: 'test' })]
  await restore()
  const { replays } = await checkRestore(deps, { exports, acceptsRest: true })
  const [replay] = replays.map((one) => one.replay)
  assert.deepEqual(replay?.outcome === 'replayed' && replay.byHand, [
    `user.removed of ${last.id}: there is no other owner here`,
  ])
  const { members } = await readTeam(deps, other)
  assert.deepEqual(
    new Map(members.map(({ id, role }) => [id, role])),
    new Map([
      [again.id, 'viewer'],
      [last.id, 'owner'],
    ]),
  )
})

test('a device that was paired with a restored code is revoked, and one that was paired with a new code stays', async () => {
  const [old, renewed] = [await unpaired(), await unpaired()]
  const restore = await backUp(service)
  assert.equal((await enroll(service, old.code)).status, 200)
  await renewPairingCode(deps, { realm, deviceId: renewed.id, pairingTtlSeconds: 900, actor })
  const exports = [await exported()]
  await restore()
  clock.advance(1_000)
  assert.equal((await enroll(service, old.code)).status, 200)
  const isActive = (id: string) => finds(`select from devices where id = $1 and status = 'active'`, id)()
  await check(exports)
  assert.equal(await isActive(old.id), false)
  const input = { realm, deviceId: renewed.id, pairingTtlSeconds: 900, actor }
  const { pairingCode } = await renewPairingCode(deps, input)
  assert.equal((await enroll(service, pairingCode)).status, 200)
  await check(exports)
  assert.equal(await isActive(renewed.id), true)
})

async function check(exports: readonly Awaited<ReturnType<typeof exported>>[]) {
  const { replays } = await checkRestore(deps, { exports, acceptsRest: true })
  const [replay] = replays.map((one) => one.replay)
  assert.ok(replay?.outcome === 'replayed', JSON.stringify(replay))
  return replay
}

test('a refresh token that was spent after the backup is not valid after a restore; the device can be paired again', async () => {
  const other = { tenantId: await service.tenant(), environment: 'test' } as const
  const ownKey = await service.key(other.tenantId)
  const [till, idle] = [await pairDevice(service, ownKey), await pairDevice(service, ownKey)]
  const restore = await backUp(service)
  clock.advance(60_000)
  assert.equal((await refresh(service, till.refreshToken)).status, 200)
  await registerDevice(service, ownKey)
  const exports = [await exported(other)]
  await restore()
  clock.advance(1_000)
  const late = await pairDevice(service, ownKey)
  assert.equal((await check(exports)).unpaired, 2)
  for (const { refreshToken, accessToken } of [till, idle]) {
    assert.equal((await refresh(service, refreshToken)).status, 400)
    assert.equal((await call('GET', '/v1/usage', { key: accessToken })).status, 401)
  }
  assert.equal((await refresh(service, late.refreshToken)).status, 200)
  const renewal = { realm: other, deviceId: till.id, pairingTtlSeconds: 900, actor }
  const paired = await enroll(service, (await renewPairingCode(deps, renewal)).pairingCode)
  assert.equal(paired.status, 200)
  assert.equal((await refresh(service, till.refreshToken)).status, 400)
  assert.equal((await check(exports)).unpaired, 0)
  assert.equal((await refresh(service, paired.json.refresh_token)).status, 200)
  clock.advance(9 * 86_400_000)
  await runJob(deps, 'forget-devices')
  assert.equal(await finds('select from devices where id = $1', idle.id)(), false)
})

test('devices stay paired if nothing was lost, and once they were paired again; a restore without lost entries ends pairings', async () => {
  const [one, other] = [
    { tenantId: await service.tenant(), environment: 'test' },
    { tenantId: await service.tenant(), environment: 'test' },
  ] as const
  const keys = [await service.key(one.tenantId), await service.key(other.tenantId)] as const
  const tills = [await pairDevice(service, keys[0]), await pairDevice(service, keys[1])] as const
  const both = async () => [await exported(one), await exported(other)]
  const unpairedBy = async (exports: Awaited<ReturnType<typeof both>>) =>
    (await checkRestore(deps, { exports, acceptsRest: true })).replays.map(({ replay }) =>
      replay.outcome === 'replayed' ? replay.unpaired : replay.problem,
    )
  const pairAgain = async () => {
    clock.advance(1_000)
    for (const [i, realmOf] of [one, other].entries()) {
      const renewal = { realm: realmOf, deviceId: tills[i]?.id ?? '', pairingTtlSeconds: 900, actor }
      assert.equal((await enroll(service, (await renewPairingCode(deps, renewal)).pairingCode)).status, 200)
    }
    clock.advance(1_000)
  }
  const restore = await backUp(service)
  assert.deepEqual(await unpairedBy(await both()), [0, 0])
  clock.advance(1_000)
  await registerDevice(service, keys[0])
  const before = await both()
  await restore()
  clock.advance(1_000)
  assert.deepEqual(await unpairedBy(before), [1, 1], 'the entry of one trail shows that the store was restored')
  await pairAgain()
  for (const again of [before, await both(), [before[0], await exported(other)]])
    assert.deepEqual(await unpairedBy(again.flatMap((each) => each ?? [])), [0, 0])
  await deps.db.query({ name: 'test_set_back', text: `update log_heads set set_back = 'rolled back'` }, [])
  assert.deepEqual(await unpairedBy(await both()), [1, 1])
  await pairAgain()
  assert.deepEqual(await unpairedBy(await both()), [0, 0])
})

test('what is made again after a check stays at the next check', async () => {
  const other = { tenantId: await service.tenant(), environment: 'test' } as const
  await person(service, other.tenantId, 'owner')
  const till = await pairDevice(service, await service.key(other.tenantId))
  const staff = await person(service, other.tenantId, 'viewer', `staff-${++statements}@example.com`)
  await removeMember(deps, { tenantId: other.tenantId, personId: staff.id, actor })
  let token = till.accessToken
  const connect = () => call('PUT', '/till/display', { key: token, body: { code: 'DEFGHJKM' } })
  const make = async () => {
    await saveTemplate(deps, { realm: other, key: 'again', document: OWN_TEMPLATE, actor })
    await saveType(deps, { realm: other, type: TYPE, title: 'Terms', schema: SCHEMA, actor })
    assert.equal((await connect()).status, 200)
    return person(service, other.tenantId, 'owner', staff.email)
  }
  const restore = await backUp(service)
  const joined = await make()
  assert.equal(joined.id, staff.id)
  await joined.call('POST', '/me/password', { body: { password: 'another horse that counts to ten' } })
  await changeRole(deps, { tenantId: other.tenantId, personId: staff.id, role: 'viewer', actor })
  await removeTemplate(deps, { realm: other, key: 'again', actor })
  await removeType(deps, { realm: other, type: TYPE, actor })
  await call('DELETE', '/till/display', { key: till.accessToken })
  await removeMember(deps, { tenantId: other.tenantId, personId: staff.id, actor })
  const exports = [await exported(other)]
  await restore()
  await check(exports)
  const renewal = { realm: other, deviceId: till.id, pairingTtlSeconds: 900, actor }
  token = (await enroll(service, (await renewPairingCode(deps, renewal)).pairingCode)).json.access_token
  const again = await make()
  assert.equal(again.id, staff.id)
  const hasPassword = await hasSamePassword(staff.id)
  await check(exports)
  const all: readonly [string, ...string[]][] = [
    [`select from templates where tenant_id = $1 and key = 'again'`, other.tenantId],
    ['select from transaction_types where tenant_id = $1 and type = $2', other.tenantId, TYPE],
    ['select from devices where id = $1 and display_code is not null', till.id],
    [`select from members where tenant_id = $1 and person_id = $2 and role = 'owner'`, other.tenantId, staff.id],
  ]
  const gone: string[] = []
  for (const [text, ...values] of all) if (!(await finds(text, ...values)())) gone.push(text)
  assert.deepEqual(gone, [])
  assert.ok(await hasPassword())
})

test('who joined with a restored invitation before the check is removed', async () => {
  const [withdrawn, replaced, open] = [await invited('owner'), await invited('owner'), await invited('viewer')]
  const restore = await backUp(service)
  await withdrawInvitation(deps, { tenantId, email: withdrawn.email, actor })
  await replaced.again('viewer')
  const exports = [await exported()]
  await restore()
  for (const { url } of [withdrawn, replaced, open])
    assert.equal((await post(service, '/links/use', { token: tokenOf(url), password: PASSWORD })).status, 200)
  const joined = async () => {
    const members = new Set((await readTeam(deps, tenantId)).members.map(({ email }) => email))
    return [withdrawn, replaced, open].map(({ email }) => members.has(email))
  }
  await check(exports)
  assert.deepEqual(await joined(), [false, false, true])
  await person(service, tenantId, 'viewer', withdrawn.email)
  await check(exports)
  assert.deepEqual(await joined(), [true, false, true])
})

test('who used a restored link of the operator before the check must sign in again', async () => {
  const { id, email } = await person(service, tenantId, 'viewer')
  const link = async () => {
    const invitation = await invite(deps, { tenantId, email, role: 'viewer', actor, byOperator: true })
    return tokenOf(invitation?.url ?? '')
  }
  const token = await link()
  const restore = await backUp(service)
  await withdrawInvitation(deps, { tenantId, email, actor })
  const exports = [await exported()]
  await restore()
  const use = async (of: string) => {
    const used = await post(service, '/links/use', { token: of, password: 'another horse that counts to ten' })
    assert.equal(used.status, 200, used.text)
    return hasSamePassword(id)
  }
  const hasPasswordOfThief = await use(token)
  await check(exports)
  assert.equal(await hasPasswordOfThief(), false)
  const hasNewPassword = await use(await link())
  await check(exports)
  assert.ok(await hasNewPassword())
})

test('what people did to themselves before the check does not count as repeated', async () => {
  // Sign-ins by one sender are limited.
  clock.advance(3_600_000)
  const other = { tenantId: await service.tenant(), environment: 'test' } as const
  await person(service, other.tenantId, 'owner')
  const [changed, lowered] = [
    await person(service, other.tenantId, 'owner'),
    await person(service, other.tenantId, 'owner'),
  ]
  const restore = await backUp(service)
  await changed.call('POST', '/me/password', { body: { password: 'another horse that counts to ten' } })
  await changeRole(deps, { tenantId: other.tenantId, personId: lowered.id, role: 'viewer', actor })
  const exports = [await exported(other)]
  await restore()
  // At the same time it would be the same entry.
  clock.advance(1_000)
  const password = 'the horse of a thief counts to ten'
  assert.equal((await changed.call('POST', '/me/password', { body: { password } })).status, 200)
  const own = { type: 'user', id: lowered.id } as const
  await changeRole(deps, { tenantId: other.tenantId, personId: lowered.id, role: 'owner', actor: own })
  const hasPasswordOfThief = await hasSamePassword(changed.id)
  await check(exports)
  assert.equal(await hasPasswordOfThief(), false)
  const isOwner = finds(`select from members where person_id = $1 and role = 'owner'`, lowered.id)
  assert.equal(await isOwner(), false)

  await changeRole(deps, { tenantId: other.tenantId, personId: lowered.id, role: 'owner', actor })
  const link = await invite(deps, {
    tenantId: other.tenantId,
    email: changed.email,
    role: 'owner',
    actor,
    byOperator: true,
  })
  assert.equal((await post(service, '/links/use', { token: tokenOf(link?.url ?? ''), password })).status, 200)
  const hasNewPassword = await hasSamePassword(changed.id)
  await check(exports)
  assert.ok(await hasNewPassword())
  assert.ok(await isOwner())
})

test('a PIN is named until its device is revoked, and a changed template or type until it is saved again', async () => {
  const { id } = await pairDevice(service, key)
  const save = (name: string) => saveTemplate(deps, { realm, key: name, document: OWN_TEMPLATE, actor })
  const saveTerms = () => saveType(deps, { realm, type: TYPE, title: 'Terms', schema: SCHEMA, actor })
  await save('narrowed')
  await saveTerms()
  const restore = await backUp(service)
  await record('device.pin_set', id)
  await save('narrowed')
  await save('new')
  await saveTerms()
  const named = [await exported()]
  await revokeDevice(deps, { ...realm, deviceId: id, actor })
  const exports = [await exported()]
  await restore()
  const actionsOf = async (of: typeof exports) => (await check(of)).byHand.map((one) => one.split(' ')[0])
  assert.deepEqual(await actionsOf(named), ['device.pin_set', 'template.saved', 'transaction_type.saved'])
  assert.deepEqual(await actionsOf(exports), ['template.saved', 'transaction_type.saved'])
  await save('narrowed')
  await removeType(deps, { realm, type: TYPE, actor })
  assert.deepEqual(await actionsOf(exports), [])
})

test('of every audit action it is said whether a restore must repeat it', () => {
  const repeated = AUDIT_ACTIONS.filter((action) => AFTER_RESTORE[action] === 'repeated')
  const elsewhere = ['tenant.moved_away', 'verification.erased', 'verification.forgotten', 'verifications.lapsed']
  assert.deepEqual(repeated.filter((action) => !Object.hasOwn(REPEATS, action)).sort(), elsewhere)
  for (const action of AUDIT_ACTIONS.filter((one) =>
    /revoked|removed|withdrawn|ended|rotated|unproven|disconnected/.test(one),
  ))
    if (action !== 'device.pin_removed') assert.notEqual(AFTER_RESTORE[action], 'nothing', action)
})
