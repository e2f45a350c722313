import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import test from 'node:test'
import { hashPassword, isPassword, passwordProblem } from '../../src/domain/staff/password.ts'

const random = (size: number) => new Uint8Array(randomBytes(size))

test('kept with argon2id, its parameters and a salt of its own; only the same password fits', async () => {
  const kept = await hashPassword('correct horse battery', { random, who: ['a'] })
  assert.match(kept, /^argon2id\$m=19456,t=2,p=1\$[\w-]{22}\$[\w-]{43}$/)
  assert.notEqual(kept, await hashPassword('correct horse battery', { random, who: ['a'] }))
  assert.equal(await isPassword('correct horse battery', kept, ['a']), true)
  assert.equal(await isPassword('correct horse batterz', kept, ['a']), false)
  assert.equal(await isPassword('', kept, ['a']), false)
})

test('two spellings of one text are one password', async () => {
  const kept = await hashPassword('Ein Gruß aus Köln', { random, who: ['a'] })
  assert.equal(await isPassword('Ein Gruß aus Ko\u0308ln', kept, ['a']), true)
})

test('nobody has no password, not even the one that is worked on in their place', async () => {
  for (const password of ['', 'x', 'correct horse battery'])
    assert.equal(await isPassword(password, null, ['a']), false)
})

test('what is kept and not readable is a fault, not a wrong password', async () => {
  await assert.rejects(isPassword('x', 'argon2id$m=1$', ['a']), /not readable/)
  await assert.rejects(isPassword('x', '', ['a']), /not readable/)
})

test('length counts, not symbols; the address itself is no password', () => {
  assert.equal(passwordProblem('kurz', 'ada@example.com'), 'too_short')
  assert.equal(passwordProblem('x'.repeat(257), 'ada@example.com'), 'too_long')
  assert.equal(passwordProblem('abababababab', 'ada@example.com'), 'too_simple')
  assert.equal(passwordProblem('Ada@Example.com', 'ada@example.com'), 'too_simple')
  assert.equal(passwordProblem('mustermannmustermann1', 'mustermann@example.com'), 'too_simple')
  assert.equal(passwordProblem('four plain words here', 'ada@example.com'), null)
})
