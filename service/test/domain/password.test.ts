// Tests how passwords are hashed and compared.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import test from 'node:test'
import { hashPassword, isPassword, passwordProblem } from '../../src/features/staff/domain/password.ts'

const random = (size: number) => new Uint8Array(randomBytes(size))

test('a password is stored with argon2id, its parameters and its own salt; only the same password matches', async () => {
  const kept = await hashPassword('correct horse battery', { random, sender: ['a'] })
  assert.match(kept, /^argon2id\$m=19456,t=2,p=1\$[\w-]{22}\$[\w-]{43}$/)
  assert.notEqual(kept, await hashPassword('correct horse battery', { random, sender: ['a'] }))
  assert.equal(await isPassword('correct horse battery', kept, ['a']), true)
  assert.equal(await isPassword('correct horse batterz', kept, ['a']), false)
  assert.equal(await isPassword('', kept, ['a']), false)
})

test('two spellings of one text are one password', async () => {
  const kept = await hashPassword('Ein Gruß aus Köln', { random, sender: ['a'] })
  assert.equal(await isPassword('Ein Gruß aus Ko\u0308ln', kept, ['a']), true)
})

test('an unknown person has no password, not even the one that is hashed in its place', async () => {
  for (const password of ['', 'x', 'correct horse battery'])
    assert.equal(await isPassword(password, null, ['a']), false)
})

test('an unreadable stored value is a fault, not a wrong password', async () => {
  await assert.rejects(isPassword('x', 'argon2id$m=1$', ['a']), /not readable/)
  await assert.rejects(isPassword('x', '', ['a']), /not readable/)
})

test('length counts, not symbols; the address itself is not a password', () => {
  assert.equal(passwordProblem('kurz', 'ada@example.com'), 'too_short')
  assert.equal(passwordProblem('x'.repeat(257), 'ada@example.com'), 'too_long')
  assert.equal(passwordProblem('abababababab', 'ada@example.com'), 'too_simple')
  assert.equal(passwordProblem('Ada@Example.com', 'ada@example.com'), 'too_simple')
  assert.equal(passwordProblem('mustermannmustermann1', 'mustermann@example.com'), 'too_simple')
  assert.equal(passwordProblem('four plain words here', 'ada@example.com'), null)
})

test('a common password is refused, however it is spelt; NIST SP 800-63B', () => {
  const common = [
    'password1234',
    'Password1234!',
    'P@ssw0rd2026',
    'passwortpasswort',
    'Willkommen2026!',
    'qwertyuiop123',
    '1qaz2wsx3edc',
    '123456789012',
    'iloveyou1234',
    'letmein-letmein',
    'Sommer2026!!',
    'adminadmin123',
    'abcdefghijkl',
    'correct horse battery staple',
    'Vidimus123456',
    'zxcvbnm,.123',
    'ｐａｓｓｗｏｒｄ1234',
    'pässwörd1234',
  ]
  for (const password of common) assert.ok(passwordProblem(password, 'ada@example.com') !== null, password)
})

test('generated passwords and unrelated words are accepted', () => {
  const good = [
    'a horse that counts to nine',
    'four plain words here',
    'Ein Gruß aus Köln',
    'kV8#qLz2!mTw',
    'x7Gt-92hQ-pLmB',
    'winter kettle orbit novel',
    'gdfmHkq3vtrLzn',
    'привет мир вечер',
    '我喜歡在河邊散步並聽鳥叫',
  ]
  for (const password of good) assert.equal(passwordProblem(password, 'ada@example.com'), null, password)
})

test('the longest passwords are checked in less than a second of CPU time', () => {
  const before = process.cpuUsage()
  for (const part of ['password', 'abc', '1q2w', 'a', 'xyzzy'])
    passwordProblem(part.repeat(256).slice(0, 256), 'ada@example.com')
  // CPU time, because other processes may use the machine.
  assert.ok(process.cpuUsage(before).user < 1_000_000)
})
