// Tests how many templates an environment can have, and the cost of an unknown key.

import assert from 'node:assert/strict'
import test from 'node:test'
import { type DcqlQuery, parseQuery } from '@vidimus/engine'
import { saveTemplate as saveRow } from '../../src/core/templates/store/templates.ts'
import { removeTemplate, saveTemplate } from '../../src/core/templates/usecases/manage-templates.ts'
import { Refusal } from '../../src/platform/errors.ts'
import { newTemplateId } from '../../src/platform/ids.ts'
import { nearestOf } from '../../src/platform/nearest.ts'
import { instantOf } from '../../src/platform/world.ts'
import { OPERATOR, testService } from '../harness/service.ts'
import { person } from '../harness/staff.ts'

const service = await testService({}, { VIDIMUS_TEMPLATES_MAX: '3' })
const document = {
  query: {
    credentials: [
      {
        id: 'pid',
        format: 'dc+sd-jwt',
        meta: { vct_values: ['urn:eudi:pid:de:1'] },
        claims: [{ path: ['age_birth_year'] }],
      },
    ],
  },
}

const isFull = (error: unknown) => error instanceof Refusal && error.code === 'template_limit_reached'

test('concurrent creations cannot exceed the limit of templates, which counts per environment', async () => {
  const tenantId = await service.tenant()
  const realm = { tenantId, environment: 'test' } as const
  const save = (key: string, environment: 'test' | 'live' = 'test') =>
    saveTemplate(service.deps, { realm: { tenantId, environment }, key, document, actor: OPERATOR })
  const answers = await Promise.allSettled(Array.from({ length: 8 }, (_, at) => save(`own_${at}`)))
  const saved = answers.filter((answer) => answer.status === 'fulfilled')
  assert.deepEqual(
    saved.map(({ value }) => value.outcome),
    ['created', 'created', 'created'],
  )
  for (const answer of answers)
    if (answer.status === 'rejected') assert.ok(isFull(answer.reason), String(answer.reason))
  await assert.rejects(save('one_more'), isFull)
  const [first] = saved
  assert.ok(first !== undefined && 'template' in first.value)
  assert.equal((await save(first.value.template.key)).outcome, 'replaced', 'replacing a template does not count')
  assert.equal((await save('own_live', 'live')).outcome, 'created')
  await removeTemplate(service.deps, { realm, key: first.value.template.key, actor: OPERATOR })
  assert.equal((await save('one_more')).outcome, 'created')
})

test('all templates of an environment together have a limited length, and one of them, too', async () => {
  const realm = { tenantId: await service.tenant(), environment: 'test' } as const
  const longDocument = (bytes: number) => {
    const [credential] = document.query.credentials
    const values = (of: number) => Array.from({ length: 20 }, (_, at) => `${of}_${at}_${'x'.repeat(495)}`)
    const claims = Array.from({ length: bytes / 10_000 }, (_, of) => ({ path: [`claim${of}`], values: values(of) }))
    return { query: { credentials: [{ ...credential, claims }] } }
  }
  const save = (key: string, bytes: number) =>
    saveTemplate(service.deps, { realm, key, document: longDocument(bytes), actor: OPERATOR })
  assert.deepEqual(await save('own', 60_000), {
    outcome: 'invalid',
    problem: 'template: must have at most 60000 bytes',
  })
  const stored = { key: 'old', title: 'Old', description: '', outputs: null, intendedUse: null, transaction: null }
  const query = { credentials: longDocument(920_000).query.credentials } as unknown as DcqlQuery
  const now = instantOf(service.deps.clock.now())
  await saveRow(service.deps.db, realm, {
    template: { ...stored, query },
    newId: newTemplateId(service.deps.random),
    now,
  })
  assert.equal((await save('own', 50_000)).outcome, 'created')
  await assert.rejects(save('more', 50_000), isFull)
  await assert.rejects(
    save('own', 55_000).then(() => save('more', 20_000)),
    isFull,
  )
  assert.equal((await save('own', 10_000)).outcome, 'replaced')
  assert.equal((await save('more', 50_000)).outcome, 'created')
  await assert.rejects(save('own', 50_000), isFull, 'replacing one may not exceed the limit either')
  const owner = await person(service, realm.tenantId, 'owner')
  const list = async (environment: 'test' | 'live') => (await owner.call('GET', '@/templates', { environment })).status
  for (let at = 0; at < 19; at++) assert.equal(await list('test'), 200)
  assert.equal(await list('test'), 429, 'a long list costs more than one of the rate')
  assert.equal(await list('live'), 200)
  service.clock.advance(2_000)
  assert.equal(await list('test'), 200)
  const older = { ...stored, key: 'older', query }
  await saveRow(service.deps.db, realm, { template: older, newId: newTemplateId(service.deps.random), now })
  assert.equal((await save('more', 40_000)).outcome, 'replaced', 'beyond the limit one may still become shorter')
  await assert.rejects(save('more', 50_000), isFull)
})

test('a template with too many sources, saved by an earlier release, cannot be used', async () => {
  const realm = { tenantId: await service.tenant(), environment: 'test' } as const
  const key = await service.key(realm.tenantId)
  const source = { credential: 'pid', path: ['age_birth_year'] }
  const saveStored = (count: number) =>
    saveRow(service.deps.db, realm, {
      template: {
        key: 'old',
        title: 'Old',
        description: '',
        query: parseQuery(document.query),
        outputs: { year: { value: Array.from({ length: count }, () => source) } },
        intendedUse: null,
        transaction: null,
      },
      newId: newTemplateId(service.deps.random),
      now: instantOf(service.deps.clock.now()),
    })
  const ask = () => service.call('POST', '/v1/verifications', { key, body: { template: 'old' } })
  await saveStored(500)
  assert.equal((await ask()).status, 201)
  await saveStored(501)
  service.deps.templates.forget()
  const refused = await ask()
  assert.equal(refused.status, 400, refused.text)
  assert.match(refused.text, /body\.template: must name at most 500 sources/)
})

test('a name is compared with a limited number of others, and never with one of a very different length', () => {
  let compared = 0
  const counted = (name: string) => ({
    get length() {
      compared += 1
      return name.length
    },
  })
  const names = Array.from({ length: 5_000 }, () => counted('x'.repeat(60)) as unknown as string)
  assert.equal(nearestOf('age_over_18', names), null)
  assert.equal(compared, 1_000)
  assert.equal(nearestOf('age_ovr_18', ['age_over_18', 'age_over_21']), 'age_over_18')
})

test('a hint costs few steps however similar the names are, and is only given for typing errors', () => {
  let compared = 0
  const alike = (end: string) =>
    new Proxy(new String(`${'a'.repeat(60)}${end}`), {
      get(name, at) {
        compared += typeof at === 'string' && /^\d+$/.test(at) ? 1 : 0
        return Reflect.get(name, at)
      },
    }) as unknown as string
  const names = Array.from({ length: 200 }, () => alike('bbbb'))
  assert.equal(nearestOf(`${'a'.repeat(60)}cccc`, names), null, 'four letters are not a typing error')
  assert.ok(compared < 100 * 64 * 7 * 3, `${compared} letters compared`)
  assert.equal(nearestOf(`${'a'.repeat(60)}cccb`, [`${'a'.repeat(60)}bbbb`]), `${'a'.repeat(60)}bbbb`)
})

test('of several names the nearest is suggested', () => {
  assert.equal(nearestOf('kitten', ['mitten', 'kitten_2', 'kittne']), 'mitten')
  assert.equal(nearestOf('abcdef', ['xbcxef', 'abdcef', 'abcdef']), 'abcdef')
  assert.equal(nearestOf('abcdef', ['abdcef', 'xbcxef']), 'abdcef', 'two swapped neighbouring letters are one change')
  assert.equal(nearestOf('abcdefghi', ['xbcdexghx']), 'xbcdexghx')
  assert.equal(nearestOf('abcdefghi', ['cdefghixy']), null)
  assert.equal(nearestOf('ab', ['']), '')
})
