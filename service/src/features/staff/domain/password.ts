// Password rules and hashing. The hash contains the parameters of Argon2id, so that they can be raised later.

import { argon2, timingSafeEqual } from 'node:crypto'
import { Refusal } from '../../../platform/errors.ts'
import type { Sender } from '../../../platform/shares.ts'
import { createTurns } from '../../../platform/turns.ts'
import type { Random } from '../../../platform/world.ts'
import { isCommonPassword } from './common-password.ts'

export const PASSWORD_LENGTH = { min: 12, max: 256 } as const

/** OWASP's first choice for argon2id: 19 MiB, two passes, one lane. */
const COST = { memory: 19_456, passes: 2, parallelism: 1 } as const
/**
 * A hash takes a thread and 19 MiB for about 30 ms. Only two of the four threads hash, because file access and name
 * lookups need threads too; the queue is half a second long.
 */
export const HASHES = { atOnce: 2, waiting: { each: 8, all: 32, reserve: 8, light: 1 } } as const
const turns = createTurns(HASHES)

const SALT_BYTES = 16
const TAG_BYTES = 32
const KEPT = /^argon2id\$m=(\d{1,7}),t=(\d{1,3}),p=(\d{1,2})\$([A-Za-z0-9_-]{22})\$([A-Za-z0-9_-]{43})$/

/**
 * Returns why a password is refused; null: accepted. Rules about symbols are left out, because they make people write
 * passwords down.
 */
export function passwordProblem(
  password: string,
  email: string,
): 'too_short' | 'too_long' | 'too_simple' | 'too_common' | null {
  const length = [...password].length
  if (length < PASSWORD_LENGTH.min) return 'too_short'
  if (length > PASSWORD_LENGTH.max) return 'too_long'
  const plain = password.toLowerCase()
  const [name = ''] = email.split('@')
  if (plain === email || new Set(plain).size < 5) return 'too_simple'
  if (name.length > 3 && plain.replaceAll(name, '').length < 6) return 'too_simple'
  return isCommonPassword(password) ? 'too_common' : null
}

export async function hashPassword(
  password: string,
  { random, sender }: { readonly random: Random; readonly sender: Sender },
): Promise<string> {
  const salt = Buffer.from(random(SALT_BYTES))
  const tag = await derive(password, salt, { cost: COST, sender })
  const { memory, passes, parallelism } = COST
  return `argon2id$m=${memory},t=${passes},p=${parallelism}$${salt.toString('base64url')}$${tag.toString('base64url')}`
}

/** Takes the same time if `kept` is null, so that the time does not reveal whether there is a password. */
export async function isPassword(password: string, kept: string | null, sender: Sender): Promise<boolean> {
  const [, memory, passes, parallelism, salt, tag] = KEPT.exec(kept ?? DUMMY_HASH) ?? []
  if (salt === undefined || tag === undefined) throw new Error('bug: a stored password hash is not readable')
  const cost = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) }
  const derived = await derive(password, Buffer.from(salt, 'base64url'), { cost, sender })
  return timingSafeEqual(derived, Buffer.from(tag, 'base64url')) && kept !== null
}

const DUMMY_HASH = `argon2id$m=${COST.memory},t=${COST.passes},p=${COST.parallelism}$${'A'.repeat(22)}$${'A'.repeat(43)}`

async function derive(
  password: string,
  nonce: Buffer,
  { cost, sender }: { cost: { memory: number; passes: number; parallelism: number }; sender: Sender },
): Promise<Buffer> {
  // Normalizes characters that look the same but have different codes.
  const message = Buffer.from(password.normalize('NFKC'), 'utf8')
  const parameters = { message, nonce, tagLength: TAG_BYTES, ...cost }
  const work = () =>
    new Promise<Buffer>((resolve, reject) => {
      argon2('argon2id', parameters, (error, tag) => (error === null ? resolve(tag) : reject(error)))
    })
  const turn = turns.take(sender, work)
  if (turn === null) throw new Refusal('unavailable', { retryAfterSeconds: 1, missing: 'room' })
  return turn
}
