// Creates the one-time code that a wallet's redirect brings back to the merchant. Only its SHA-256 is stored.

import { createHash } from 'node:crypto'
import type { Random } from '../../../platform/world.ts'

interface ResponseCode {
  readonly text: string
  readonly hash: Uint8Array
}

/** 256 bits: 43 characters of base64url. */
const CODE_BYTES = 32

export function newResponseCode(random: Random): ResponseCode {
  const text = Buffer.from(random(CODE_BYTES)).toString('base64url')
  return { text, hash: hashResponseCode(text) }
}

export function hashResponseCode(text: string): Buffer {
  return createHash('sha256').update(text, 'utf8').digest()
}

/** In the fragment, because that never reaches a server's log (OpenID4VP §8.2 allows any place). Keeps a fragment. */
export function redirectUriOf(redirectUrl: string, code: Pick<ResponseCode, 'text'>): string {
  const mark = redirectUrl.indexOf('#')
  const joint = mark < 0 ? '#' : mark === redirectUrl.length - 1 ? '' : '&'
  return `${redirectUrl}${joint}response_code=${code.text}`
}
