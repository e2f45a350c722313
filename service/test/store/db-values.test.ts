// Tests how values of PostgreSQL are read.

import assert from 'node:assert/strict'
import { it } from 'node:test'
import { testDatabase } from '../harness/servers/database.ts'

const { db } = await testDatabase()

async function read(expression: string): Promise<unknown> {
  const [row] = await db.query<{ value: unknown }>({
    name: `read ${expression}`,
    text: `select ${expression} as value`,
  })
  return row?.value
}

it('instants are text with microseconds, in UTC', async () => {
  assert.equal(await read(`timestamptz '2026-11-15 03:11:24.123456+00'`), '2026-11-15T03:11:24.123456Z')
  assert.equal(await read(`timestamptz '2026-11-15 03:11:24+00'`), '2026-11-15T03:11:24.000000Z')
  assert.equal(await read(`timestamptz '2026-11-15 03:11:24.5+05:30'`), '2026-11-14T21:41:24.500000Z')
  assert.deepEqual(await read(`array[timestamptz '1999-12-31 23:59:59.999999+00', null]`), [
    '1999-12-31T23:59:59.999999Z',
    null,
  ])
  assert.equal(await read('null::timestamptz'), null)
})

it('values that cannot be one of our instants are refused, and the connection stays usable', async () => {
  for (const odd of ['infinity', '-infinity', '0044-03-15 12:00 BC', '12026-01-01']) {
    await assert.rejects(read(`timestamptz '${odd}'`), RangeError)
  }
  assert.equal(await read('1'), 1)
})

it('an int8 is a number, or refused if a number cannot represent it', async () => {
  assert.equal(await read('9007199254740991::int8'), Number.MAX_SAFE_INTEGER)
  assert.equal(await read('(-9007199254740991)::int8'), Number.MIN_SAFE_INTEGER)
  assert.deepEqual(await read('array[1, null, 2]::int8[]'), [1, null, 2])
  await assert.rejects(read('9007199254740992::int8'), RangeError)
  await assert.rejects(read('array[9223372036854775807]::int8[]'), RangeError)
})

it('days are text, whatever the time zone of the machine', async () => {
  assert.equal(await read(`date '2026-03-29'`), '2026-03-29')
  assert.deepEqual(await read(`array[date '2026-03-29']`), ['2026-03-29'])
})

it('bytes, JSON, text arrays and booleans have their own types', async () => {
  assert.deepEqual(await read(`'\\x00ff'::bytea`), Buffer.from([0, 255]))
  assert.deepEqual(await read(`'{"a": [1, null]}'::jsonb`), { a: [1, null] })
  assert.deepEqual(await read(`array['a', null, 'b"c']`), ['a', null, 'b"c'])
  assert.equal(await read('true'), true)
})

it('values read back as they were sent', async () => {
  const bytes = Uint8Array.of(0, 92, 34, 255)
  const many = [bytes, null, new Uint8Array(), bytes.subarray(1)]
  const words = [
    '',
    'NULL',
    'a,b',
    '{c}',
    'd"e',
    'f\\g',
    ' h ',
    'ä\n',
    '"\\\n\t\u0001',
    '"\u007f\u2028',
    '"日🎉\\',
    null,
  ]
  const [row] = await db.query<Record<string, unknown>>(
    {
      name: 'test_sent',
      text: `select $1::text[] as words, $2::bytea[] as many, $3::bytea as bytes, $4::bool as yes, $5::int8 as n,
                    $6::jsonb as object, $7::int[] as nested, $8::text as nothing, $9::jsonb[] as objects`,
    },
    [words, many, bytes.subarray(1), true, 2 ** 52, { a: ['"'] }, [[1], [2]], null, [{ b: '\\"' }]],
  )
  assert.deepEqual(row, {
    words,
    many: many.map((one) => one && Buffer.from(one)),
    bytes: Buffer.from(bytes.subarray(1)),
    yes: true,
    n: 2 ** 52,
    object: { a: ['"'] },
    nested: [[1], [2]],
    nothing: null,
    objects: [{ b: '\\"' }],
  })
  await assert.rejects(
    db.query({ name: 'test_date', text: 'select $1::timestamptz' }, [new Date()]),
    /^TypeError: bug: a parameter of a statement is a Date$/,
  )
  await assert.rejects(
    db.query({ name: 'test_mixed', text: 'select $1::bytea[]' }, [[bytes, 'text']]),
    /^TypeError: bug: an array mixes bytes and other values$/,
  )
})
