// Tests which statements are reported because they do not bind their tenant.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { tablesWithoutTenant } from '../../tenant-scope/sql.ts'
import { statementProblems, tenantTables } from '../../tenant-scope.ts'

const TABLES = new Set(['verifications', 'results', 'usage_days'])
const lacking = (text: string) => tablesWithoutTenant(text, TABLES)

describe('a statement names the tenant of each table', () => {
  for (const [title, text] of [
    ['a condition', 'select id from verifications where id = $1 and tenant_id = $2'],
    ['a row of conditions', 'delete from verifications where (tenant_id, id) in (select t, i from given)'],
    ['a tenant that may be null', 'update verifications set a = 1 where tenant_id is not distinct from $2'],
    ['an insert', 'insert into results (verification_id, tenant_id) values ($1, $2)'],
    ['an insert of columns that the code lists', 'insert into results (¿) select ¿ from unnest()'],
    [
      'a join',
      'select from verifications v join results r on r.id = v.id and r.tenant_id = v.tenant_id where v.tenant_id = $1',
    ],
    [
      'rows that the statement gets as input',
      'update verifications v set a = 1 from given g where v.id = g.id and v.tenant_id = g.tenant_id',
    ],
    [
      'a condition outside of a lateral subquery',
      'select from given g, lateral (select * from verifications where id = g.id offset 0) v where v.tenant_id = $1',
    ],
    ['an alias that the code chooses', 'select from verifications v join results r on true where ¿.tenant_id = $1'],
    ['a table of no tenant', 'select from people where id = $1'],
    ['the tenants themselves', 'select name from tenants where id = $1'],
    [
      'a union',
      'select a from verifications where tenant_id = $1 union all select b from results where tenant_id = $1',
    ],
  ] as const)
    it(`in ${title}`, () => assert.deepEqual(lacking(text), []))

  for (const [title, text, ...tables] of [
    ['no tenant_id at all', 'select id from verifications where id = $1', 'verifications'],
    ['tenant_id is only read', 'select tenant_id from verifications where id = $1', 'verifications'],
    ['tenant_id is only returned', 'delete from verifications where id = $1 returning tenant_id', 'verifications'],
    ['tenant_id is only set', 'update verifications set tenant_id = $1 where id = $2', 'verifications'],
    ['tenant_id only orders the rows', 'select id from verifications order by tenant_id limit 1', 'verifications'],
    ['tenant_id is in a comment', 'select id from verifications -- where tenant_id = $1', 'verifications'],
    ['tenant_id is in a text', "select id from verifications where name = 'tenant_id = $1'", 'verifications'],
    ['an insert does not list tenant_id', 'insert into results (verification_id) values ($1)', 'results'],
    [
      'one of two tables',
      'select from verifications v join results r on r.id = v.id where v.tenant_id = $1',
      'results',
    ],
    [
      'two tables that are only compared with each other',
      'select from verifications v join results r on r.tenant_id = v.tenant_id where v.id = $1',
      'verifications',
      'results',
    ],
    [
      'a table that is only compared with tenants',
      'select from verifications v join tenants t on t.id = v.tenant_id where v.id = $1',
      'verifications',
    ],
    ['a second table after a comma', 'select from results r, verifications v where r.tenant_id = $1', 'verifications'],
    [
      'a subquery',
      'select from results where tenant_id = $1 and exists (select from verifications where id = $2)',
      'verifications',
    ],
    ['a part of a union', 'select a from verifications where tenant_id = $1 union select b from results', 'results'],
    [
      'a common table expression',
      'with gone as (delete from results where id = $1) select from verifications where tenant_id = $2',
      'results',
    ],
    ['a table that the code chooses', 'select from ¿ where id = $1', '¿'],
  ] as const)
    it(`not: ${title}`, () => assert.deepEqual(lacking(text), tables))
})

describe('the check of the sources', () => {
  const file = 'service/src/core/made-up/store/made-up.ts'
  const check = (source: string, listed: Record<string, string[]> = {}) =>
    statementProblems([{ file, source }], TABLES, listed)
  const BARE = "const LOAD = { name: 'load_made_up', text: 'select id from verifications where id = $1' }\n"

  it('reports an invented statement without a tenant, with its place', () => {
    assert.deepEqual(check(`\n${BARE}`), [
      `${file}:2 load_made_up touches verifications without tenant_id: name the tenant`,
    ])
    assert.deepEqual(check(BARE, { 'a reason': ['load_made_up'] }), [])
  })

  it('reports an entry of the list that is not needed, or repeated', () => {
    const scoped = BARE.replace('where', 'where tenant_id = $2 and')
    assert.equal(check(scoped, { 'a reason': ['load_made_up'] }).length, 1)
    assert.equal(check('', { 'a reason': ['load_made_up'] }).length, 1)
    assert.equal(check(BARE, { 'a reason': ['load_made_up'], another: ['load_made_up'] }).length, 1)
  })

  it('reads what a text includes: constants, functions, columns', () => {
    const parts = `const OWN = 'tenant_id = $1'
const own = (alias: string) => \`\${alias}.\${OWN}\`
const COLUMNS = [{ name: 'tenant_id', type: 'text' }]
const FROM = 'from verifications v'
`
    const text = (sql: string) =>
      check(`${parts}const LOAD = { name: 'load_made_up', text: \`${sql.replaceAll('§', '$')}\` }\n`)
    assert.deepEqual(text('select id §{FROM} where §{own("v")}'), [])
    assert.deepEqual(text('select id from verifications where §{OWN}'), [])
    assert.deepEqual(text('insert into results (§{namesOf([...COLUMNS])}) select 1'), [])
    assert.equal(text('select id §{FROM} where id = §{parameter}').length, 1)
  })

  it('does not include the text of another statement', () => {
    const all = `${BARE}const ALSO = { name: 'also', text: \`\${LOAD.text} and tenant_id = $2\` }\n`
    assert.deepEqual(check(all), [`${file}:1 load_made_up touches verifications without tenant_id: name the tenant`])
  })

  it('reads the tables with the column from the schema', () => {
    const schema =
      'create table a (\n  id text,\n  tenant_id text not null\n);\n\ncreate table b (\n  id text\n)\nwith (x=1);\n'
    assert.deepEqual([...tenantTables(schema)], ['a'])
  })
})
