// Tests that erased data does not stay readable in PostgreSQL's statistics, in current and future columns.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, it } from 'node:test'
import pg from 'pg'
import { saveTemplate } from '../../src/core/templates/usecases/manage-templates.ts'
import { diagnose } from '../../src/features/operator/usecases/diagnose.ts'
import { MIGRATIONS_DIRECTORY } from '../../src/platform/postgres/migrate.ts'
import { listLeftoverStatistics } from '../../src/platform/postgres/statistics.ts'
import { quickSignIn, testClient, visit } from '../harness/openid-client.ts'
import { testCluster } from '../harness/servers/cluster.ts'
import { testDatabase } from '../harness/servers/database.ts'
import { OPERATOR, testService } from '../harness/service.ts'
import { testWallet } from '../harness/wallet.ts'
import { authorizeUrl, CALLBACK, callToken, ownSecret } from '../oidc/callers.ts'

const { db, connection } = await testDatabase()
const cluster = await testCluster()
after(() => cluster.stop())

const words = (text: string) => text.split(/\s+/)

/** Texts whose values may stay in pg_stats for ever: ids in the audit chain, members of closed sets, published data. */
const IDS = `actor_id attempt client_id delivery_id device_id environment id key_id kid list_id object_id person_id registration_id
  people.came_with service_id tenant_id verification_id`
const CLOSED_SETS = `bound_by browser_binding cross_device providers actor_type alg answered_by auth_method channel client_id_prefix content error_code id_token_alg kind logo_type method month
  outcome plan profile response_mode role scopes status status_policy_live status_policy_test step subject_mode alert_mails.topic alert_subscriptions.language alert_subscriptions.topic tenant_branding.font tenant_branding.radius logo_dark_type transports trigger type
  types unrecorded_forgetting`
/** An installation's or a merchant's own settings: nothing of a holder, and not erased with a verification. */
const SETTINGS = `allowed_templates background checksum colour cosignatures default_template evidence_basis halted identifier intended_use invited_by
  issuer jwks label moved_from moved_to note opened_by prefix privacy_url public_jwk redirect_uris registry_uri request_uris revoked_reason shown_name source
  subject_claims support_url tenant_branding.help_text template templates thumbprint title trade_name unverified`
const QUALIFIED = `log_epochs.statement log_heads.set_back log_heads.set_back_note log_heads.store_id log_heads.witnessed_note access_keys.origin access_keys.purpose anchors.subject api_keys.name devices.name jobs.name log_heads.origin
  log_witnesses.name log_witnesses.state oidc_clients.name operator_requests.answer operator_requests.state
  registration_certificates.jwt sandbox_issuers.name schema_migrations.name templates.description templates.key tenant_origins.origin
  tenants.name trust_lists.failure verification_counts.name webhook_deliveries.state webhook_endpoints.name`
const MAY_KEEP = new Set([IDS, CLOSED_SETS, SETTINGS, QUALIFIED].flatMap(words))
/** Their values are numbers, times and switches, */
const WITHOUT_TEXT = ['bigint', 'boolean', 'date', 'integer', 'integer[]', 'smallint', 'timestamp with time zone']
/**
 * which are the same for every answer, except of these tables: only an accepted sign-in has a code that is used, and lends
 * its verification to further ones. So how often an id occurs, too, says yes or no.
 */
const OF_SIGN_INS = ['oidc_assertions', 'oidc_authorizations']
const mayHaveStatistics = ({ table, name, type }: Column) =>
  !OF_SIGN_INS.includes(table) &&
  (WITHOUT_TEXT.includes(type) ||
    // Sealed values and hashes are bytes: no name exempts them.
    (/^(text(\[\])?|uuid)$/.test(type) && (MAY_KEEP.has(name) || MAY_KEEP.has(`${table}.${name}`))))

interface Column {
  readonly table: string
  readonly name: string
  readonly type: string
  readonly target: number | null
}

const COLUMNS = {
  name: 'test_columns',
  text: `select c.relname as table, a.attname as name, format_type(a.atttypid, null) as type, a.attstattarget::int as target
         from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
         where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p', 'm', 'f') order by 1, 2`,
}

const lacking = (columns: readonly Column[]) =>
  columns
    .filter((column) => column.target !== 0 && !mayHaveStatistics(column))
    .map(({ table, name }) => `${table}.${name}`)

it('every column that may have sealed, hashed or erasable values keeps no statistics', async () => {
  const columns = await db.query<Column>(COLUMNS)
  assert.ok(columns.length > 300)
  // Otherwise: alter table … alter column … set statistics 0, in the migration that adds it.
  assert.deepEqual(lacking(columns), [])
  const named = new Set(columns.flatMap(({ table, name }) => [name, `${table}.${name}`]))
  assert.deepEqual(
    [...MAY_KEEP].filter((name) => !named.has(name)),
    [],
    'names of no column',
  )
})

it('a new column with statistics fails the test above, whatever its name', async () => {
  const added: Column[] = [
    { table: 'verifications', name: 'sealed_address', type: 'bytea', target: null },
    { table: 'verifications', name: 'status', type: 'bytea[]', target: -1 },
    { table: 'verifications', name: 'note_to_holder', type: 'text', target: 100 },
    { table: 'verifications', name: 'extra', type: 'jsonb', target: null },
    { table: 'verifications', name: 'who', type: 'uuid', target: null },
    { table: 'oidc_authorizations', name: 'session_id', type: 'text', target: null },
    { table: 'oidc_authorizations', name: 'accepted_at', type: 'timestamp with time zone', target: null },
  ]
  assert.equal(lacking(added).length, added.length)
})

it('indexes over expressions and extended statistics, which have statistics of their own, contain no such value', async () => {
  const expressions = await db.query<{ index: string }>({
    name: 'test_expression_indexes',
    text: `select c.relname as index from pg_index i join pg_class c on c.oid = i.indexrelid
           where c.relnamespace = current_schema()::regnamespace and i.indexprs is not null order by 1`,
  })
  // Ids of tenants and services only.
  assert.deepEqual(expressions, [{ index: 'access_keys_current' }, { index: 'webhook_deliveries_pending' }])
  assert.deepEqual(await db.query({ name: 'test_extended', text: 'select stxname from pg_statistic_ext' }), [])
})

it('after analysing and erasing, nothing of a result or its metadata is in pg_stats', async () => {
  const service = await testService()
  const wallet = await testWallet(service)
  const key = await service.key(await service.tenant())
  const secrets: string[] = []
  const ids: string[] = []
  for (let i = 0; i < 12; i += 1) {
    const secret = `Order-${randomBytes(6).toString('hex')}`
    const body = { template: 'identity', purpose: `For ${secret}`, metadata: { order: secret } }
    const answer = await service.call('POST', '/v1/verifications', {
      key,
      body,
      headers: { 'Idempotency-Key': secret },
    })
    assert.equal(answer.status, 201, answer.text)
    const statistics = answer.json
    await wallet.present(statistics.wallet_uri, 'good')
    secrets.push(secret)
    ids.push(statistics.id)
  }
  const store = service.deps.db
  const sealed = await store.query<{ value: string }>({
    name: 'test_sealed_values',
    text: `select encode(sealed, 'hex') as value from verification_results
           union all select encode(particulars, 'hex') from verifications where particulars is not null
           union all select encode(metadata_index, 'hex') from verifications where metadata_index is not null
           union all select encode(salt, 'hex') from audit_details`,
  })
  assert.ok(sealed.length >= 36)
  await store.query({ name: 'test_analyse', text: 'analyze' })
  for (const id of ids) assert.equal((await service.call('DELETE', `/v1/verifications/${id}`, { key })).status, 200)
  const stats = await store.query<{ text: string }>({
    name: 'test_read_stats',
    text: `select concat_ws(' ', tablename, attname, most_common_vals::text, histogram_bounds::text, most_common_elems::text) as text
           from pg_stats where schemaname = current_schema()`,
  })
  const all = stats.map(({ text }) => text).join('\n')
  // The tables were analysed: values that may stay are there.
  assert.match(all, /verifications tenant_id \{ten_/)
  for (const value of [...secrets, ...sealed.map(({ value }) => value)])
    assert.ok(!all.includes(value), 'a value stayed')
})

it('after erasing sign-ins, pg_stats does not tell the accepted from the refused', async () => {
  const service = await testService()
  const wallet = await testWallet(service)
  const tenant = await service.tenant()
  const key = await service.key(tenant)
  const path = ['age_equal_or_over', '65']
  const pid = { id: 'pid', format: 'dc+sd-jwt', meta: { vct_values: ['urn:eudi:pid:1'] }, claims: [{ path }] }
  const document = { title: 'Senior', query: { credentials: [pid] } }
  const realm = { tenantId: tenant, environment: 'test' } as const
  await saveTemplate(service.deps, { realm, actor: OPERATOR, key: 'senior', document })
  const clients = await Promise.all(
    ['identity', 'senior'].map((template) =>
      testClient(service, tenant, {
        redirectUris: [CALLBACK],
        templates: [template],
        defaultTemplate: template,
        requireTrue: true,
        rememberMinutes: 30,
      }),
    ),
  )
  for (let round = 0; round < 4; round += 1)
    for (const client of clients) {
      const { location, cookies } = await quickSignIn(service, { url: authorizeUrl(client), wallet })
      const code = location.searchParams.get('code')
      assert.equal(code === null, client === clients[1])
      if (code !== null) await callToken(service, client, { ...ownSecret(client), code })
      const known = cookies.find((one) => one.includes('vidimus-known-'))?.split(';')[0]
      const again = authorizeUrl(client, { prompt: 'none' })
      const { location: silent } = await visit(service, again.pathname + again.search, known)
      assert.equal(silent.includes('code='), code !== null)
      service.clock.advance(1_000)
    }
  const store = service.deps.db
  const times = await store.query<{ time: string }>({
    name: 'test_times',
    text: `select unnest(array[code_expires_at, code_used_at, revoked_at, token_expires_at])::text as time from oidc_authorizations`,
  })
  const set = times.flatMap(({ time }) => time ?? [])
  assert.equal(set.length, 4 * (3 + 1) + 4)
  await store.query({ name: 'test_analyse_sign_ins', text: 'analyze' })
  const { data } = (await service.call('GET', '/v1/verifications?limit=20', { key })).json
  for (const { id } of data)
    assert.equal((await service.call('DELETE', `/v1/verifications/${id}`, { key })).status, 200)
  const stats = await store.query<{ name: string }>({
    name: 'test_read_times',
    text: `select tablename || '.' || attname as name from pg_stats where schemaname = current_schema()
           and (most_common_vals is not null or histogram_bounds is not null)`,
  })
  const names = stats.map(({ name }) => name)
  assert.ok(names.includes('audit_entries.seq'), 'the tables were analysed')
  assert.deepEqual(
    names.filter((name) => OF_SIGN_INS.some((table) => name.startsWith(table))),
    [],
  )
})

const BACKLOG = `
  create table verification_results (id int primary key, sealed bytea check (octet_length(sealed) > 0), status text);
  alter table verification_results alter column sealed set storage external;
  insert into verification_results select n, convert_to('sealed-' || n, 'UTF8'), 'completed' from generate_series(1, 500) n;
  create unique index on verification_results (sealed) where status = 'completed';
  analyze verification_results;`

const VALUES = `select attname from pg_stats where schemaname = current_schema() and attname = 'sealed' and histogram_bounds is not null`
const STATE = `select a.attstattarget::int as target, a.attstorage::text as storage from pg_attribute a
  where a.attrelid = 'verification_results'::regclass and a.attname = 'sealed'`

async function migrationText(): Promise<string> {
  const files = await readdir(MIGRATIONS_DIRECTORY)
  const [file = ''] = files.filter((name) => name.endsWith('_no_statistics_of_erased_values.sql'))
  return readFile(join(MIGRATIONS_DIRECTORY, file), 'utf8')
}

for (const isSuperuser of [true, false]) {
  it(`the migration removes older statistics, as ${isSuperuser ? 'a superuser' : 'the owner alone'}`, async () => {
    const role = isSuperuser ? cluster.admin : connection
    assert.ok('socketDir' in role && 'socketDir' in connection)
    const client = new pg.Client({ host: role.socketDir, user: role.user, database: connection.database })
    await client.connect()
    try {
      await client.query('begin')
      await client.query(`create schema backlog; set search_path = backlog; ${BACKLOG}`)
      assert.deepEqual((await client.query('show is_superuser')).rows, [{ is_superuser: isSuperuser ? 'on' : 'off' }])
      assert.equal((await client.query(VALUES)).rowCount, 1)
      // Setting the target and analysing again does not remove them.
      await client.query('savepoint tried')
      await client.query(
        'alter table verification_results alter column sealed set statistics 0; analyze verification_results',
      )
      assert.equal((await client.query(VALUES)).rowCount, 1)
      await client.query('rollback to savepoint tried')
      await client.query(await migrationText())
      assert.equal((await client.query(VALUES)).rowCount, 0)
      assert.deepEqual((await client.query(STATE)).rows, [{ target: 0, storage: 'e' }])
      await client.query('analyze verification_results')
      assert.equal((await client.query(VALUES)).rowCount, 0)
    } finally {
      await client.query('rollback')
      await client.end()
    }
  })
}

it('doctor names columns whose statistics remained', async () => {
  const service = await testService()
  const store = service.deps.db
  const named = async () =>
    (await diagnose(service.deps)).filter(({ finding }) => finding.includes('statistics still contain'))
  assert.deepEqual(await named(), [])
  await store.transaction(async (tx) => {
    await tx.query({
      name: 'test_collect',
      text: 'alter table receipt_keys alter column private_key set statistics 100',
    })
    await tx.query({
      name: 'test_fill',
      text: `insert into receipt_keys (kid, public_jwk, private_key, created_at, active_at)
             select 'k' || n, '{}', convert_to('key-' || n, 'UTF8'), now(), now() + interval '1 year' from generate_series(1, 20) n`,
    })
    await tx.query({ name: 'test_analyse_keys', text: 'analyze receipt_keys' })
    await tx.query({ name: 'test_forbid', text: 'alter table receipt_keys alter column private_key set statistics 0' })
  })
  assert.deepEqual(await listLeftoverStatistics(store), ['receipt_keys.private_key'])
  assert.match((await named())[0]?.finding ?? '', /receipt_keys\.private_key/)
})
