// Tests that one line in a family's table defines a column: its name, cast, parameter number and value.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import test from 'node:test'
import { insertTenant } from '../../src/core/tenants/store/tenants.ts'
import { OPTIONAL_DEFAULTS } from '../../src/core/verifications/domain/verification.ts'
import {
  READ_BY_ALL,
  READ_FOR_WALLETS,
  SEARCHED,
  type SealedVerification,
  WRITTEN,
  writtenOf,
} from '../../src/core/verifications/store/columns.ts'
import { defineCreation, type SealedBatch } from '../../src/core/verifications/store/creation.ts'
import { APPENDING, type NewEntries } from '../../src/features/audit/store/chain.ts'
import { createAudit } from '../../src/features/audit/usecases/audit.ts'
import { KeyedRows, partOf, rowKey } from '../../src/platform/postgres/fragments.ts'
import {
  type Column,
  defineForOneOrMany,
  defineStatement,
  runStatement,
  selectAs,
} from '../../src/platform/postgres/statement.ts'
import { testDatabase } from '../harness/servers/database.ts'

const { db } = await testDatabase()
const realm = { tenantId: 'ten_a', environment: 'test' } as const
const NOW = '2027-06-15T12:00:00.000000Z'
const ENTRIES = rowKey<NewEntries>('audit entries')
const PARTS = [partOf(ENTRIES, APPENDING)]
const derivedKeys = { derive: (_: string, size: number) => randomBytes(size) }
const audit = createAudit({ random: randomBytes, derivedKeys })
await insertTenant(db, { id: realm.tenantId, name: 'A', plan: 'free', dailyQuota: null, createdAt: NOW })

function newVerification(id: string, seconds: number): SealedVerification {
  return {
    ...OPTIONAL_DEFAULTS,
    ...realm,
    id,
    createdAt: `2027-06-15T12:00:0${seconds}.000000Z`,
    expiresAt: `2027-06-15T12:05:0${seconds}.000000Z`,
    query: '{"credentials":[]}',
    outputs: null,
    registrationId: null,
    browserBinding: null,
    browserHash: null,
    purpose: `purpose of ${id}`,
    clientId: 'x509_hash:abc',
    sealedSensitiveFields: Buffer.from([1, 2, seconds]),
    metadataIndex: null,
    actor: { type: 'api_key', id: 'key_1' },
    nonce: `nonce of ${id}`,
    stateParameter: `state of ${id}`,
    responseMode: 'direct_post',
    encryptionKey: Buffer.from([3, seconds]),
    sealedTransaction: null,
    idempotencyKey: null,
    day: 0,
  }
}

const eventOf = ({ id }: SealedVerification) =>
  ({
    action: 'verification.created',
    actor: { type: 'api_key', id: 'key_1' },
    object: { type: 'verification', id },
    details: { purpose: id },
  }) as const

test('one more line in the table is one more column, written and read, and nothing else is renumbered', async () => {
  await db.query({
    name: 'test_add_columns',
    text: 'alter table verifications add column colour text, add basket json',
  })
  const more = {
    colour: { name: 'colour', type: 'text', get: (one: SealedVerification) => (one.id === 'ver_1' ? 'red' : null) },
    basket: { name: 'basket', type: 'json', get: (one: SealedVerification) => `{"of":"${one.id}"}` },
  } as const
  const table = { ...READ_BY_ALL, ...more }
  const columns = [table, READ_FOR_WALLETS, SEARCHED].flatMap(writtenOf)
  const [shipped, write] = [
    defineCreation('as_shipped', WRITTEN, PARTS),
    defineCreation('with_two_more', columns, PARTS),
  ]
  const numbers = (text: string) => new Set(text.match(/\$\d+/g)).size
  assert.equal(numbers(write.text), numbers(shipped.text) + 2)

  const verifications = [newVerification('ver_1', 1), newVerification('ver_2', 2)]
  await db.transaction(async (tx) => {
    const entries = audit.prepare(await audit.lock(tx, realm, NOW), { now: NOW, events: verifications.map(eventOf) })
    const keyedRows = new KeyedRows()
    keyedRows.put(ENTRIES, entries)
    const batch: SealedBatch = { verifications, answers: [], keyedRows }
    assert.equal(write.valuesOf(batch).length, numbers(write.text), 'a value for each number')
    assert.deepEqual(await runStatement(tx, write, batch), [{ allRecorded: 1 }])
  })

  const rows = await db.query<Record<string, unknown>>({
    name: 'test_read_columns',
    text: `select ${selectAs('v', table)}, ${selectAs('v', READ_FOR_WALLETS)}, ${selectAs('v', SEARCHED)}
           from verifications v order by v.id`,
  })
  assert.deepEqual(
    rows,
    verifications.map(
      ({ actor, redirectUrl: _, webhookUrl: __, metadata: ___, origin: ____, universal: _____, query, ...one }) => ({
        ...one,
        query: JSON.parse(query ?? 'null'),
        actorType: actor.type,
        actorId: actor.id,
        colour: one.id === 'ver_1' ? 'red' : null,
        basket: { of: one.id },
        state: 'pending',
        respondedAt: null,
        boundBy: null,
        requestFetchedAt: null,
        requestObject: null,
        sealedRequests: null,
        requestSha256: null,
        requestsSent: null,
        answeredByAgeLink: null,
        plainRedirectUrl: null,
        plainWebhookUrl: null,
        plainMetadata: null,
      }),
    ),
  )
  const [audited] = await db.query<{ objects: string[]; details: string[]; seq: number }>({
    name: 'test_read_audit',
    text: `select (select array_agg(object_id order by seq) from audit_entries) as objects,
                  (select array_agg(details ->> 'purpose' order by seq) from audit_details) as details,
                  (select seq from audit_heads) as seq`,
  })
  assert.deepEqual(audited, { objects: ['ver_1', 'ver_2'], details: ['ver_1', 'ver_2'], seq: 2 })
})

test('the lines are columns of the table, with its types', async () => {
  const rows = await db.query<{ name: string; type: string }>({
    name: 'test_columns_of_verifications',
    text: `select attname::text as name, replace(format_type(atttypid, null), 'timestamp with time zone', 'timestamptz') as type
           from pg_attribute where attrelid = 'verifications'::regclass and attnum > 0 and not attisdropped`,
  })
  const found = new Map(rows.map(({ name, type }) => [name, type]))
  for (const { name, type } of [READ_BY_ALL, READ_FOR_WALLETS, SEARCHED].flatMap((group) => Object.values(group)))
    assert.equal(found.get(name), type, name)
})

test('numbers follow the order of the calls; a repeated or unknown column is a bug at once', async () => {
  interface Given {
    readonly by: number
    readonly pairs: readonly { readonly word: string; readonly count: number }[]
  }
  const columns: readonly Column<Given['pairs'][number]>[] = [
    { name: 'word', type: 'text', get: ({ word }) => word },
    { name: 'count', type: 'integer', get: ({ count }) => count },
  ]
  const statement = defineStatement<Given>('test_times', (parameters) => {
    const pairs = parameters.rows(columns, (value) => value.pairs)
    const by = parameters.one((value) => value.by)
    return `select word, count * ${by}::integer as times from ${pairs.unnest('g')} where word = any (${pairs.arrayOf('word')})`
  })
  assert.equal(
    statement.text,
    'select word, count * $3::integer as times from (select * from unnest($1::text[], $2::integer[]) limit (select 2147483647)) as g (word, count) where word = any ($1::text[])',
  )
  const result = { by: 3, pairs: ['a', 'b'].map((word, i) => ({ word, count: i + 1 })) }
  assert.deepEqual(await runStatement(db, statement, result), [
    { word: 'a', times: 3 },
    { word: 'b', times: 6 },
  ])
  const { forOne } = defineForOneOrMany<Given>('test_once', (parameters) => {
    const pairs = parameters.rows(columns, (one) => one.pairs)
    const none = parameters.rows(columns, () => [], { noneAsNulls: true })
    return `select g.* from ${pairs.unnest('g')} left join ${none.unnest('n')} on n.word = g.word where n.word is null`
  })
  assert.ok(forOne !== undefined)
  assert.equal(
    forOne.text,
    'select g.* from (values ($1::text, $2::integer)) as g (word, count) left join (values ($3::text, $4::integer)) as n (word, count) on n.word = g.word where n.word is null',
  )
  const single = { by: 3, pairs: result.pairs.slice(0, 1) }
  assert.deepEqual([result, single, { by: 3, pairs: [] }].map(forOne.fits), [false, true, false])
  assert.deepEqual(await db.query(forOne, forOne.valuesOf(single)), single.pairs)
  const define = (write: Parameters<typeof defineStatement<Given>>[1]) => () =>
    defineStatement<Given>('test_bug', write)
  assert.throws(
    define(({ rows }) => rows([...columns, ...columns.slice(0, 1)], ({ pairs }) => pairs).unnest('g')),
    /^Error: bug: test_bug has two columns word$/,
  )
  assert.throws(
    define(({ rows }) => rows(columns, ({ pairs }) => pairs).arrayOf('colour')),
    /^Error: bug: test_bug has no column colour$/,
  )
})
