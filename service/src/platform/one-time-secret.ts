// Creates the secrets of browsers, codes, access tokens, pushed requests and links. Only their hashes are stored.

import { createHash } from 'node:crypto'
import type { Random } from './world.ts'

const SECRET_BYTES = 32
const SECRET_SHAPE = /^[\w-]{43}$/

interface OneTimeSecret {
  readonly text: string
  readonly hash: Buffer
}

/** The hash includes the use, so that a secret for one use cannot serve for another. */
type SecretUse = 'browser' | 'code' | 'access_token' | 'pushed_request' | 'link'

export function newSecret(random: Random, use: SecretUse): OneTimeSecret {
  const text = Buffer.from(random(SECRET_BYTES)).toString('base64url')
  return { text, hash: digest(use, text) }
}

/** null for a text that cannot be a secret. */
export function hashOf(use: SecretUse, text: string): Buffer | null {
  return SECRET_SHAPE.test(text) ? digest(use, text) : null
}

const digest = (use: SecretUse, text: string) => createHash('sha256').update(`vidimus-oidc-${use}-v1\0${text}`).digest()
