// The one-time code a wallet's redirect carries back to the merchant. Only its SHA-256 is kept.

import { createHash } from 'node:crypto'
import type { Random } from '../../../platform/world.ts'

export interface ResponseCode {
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

/** OpenID4VP §8.2 leaves where it stands to us: the fragment never reaches a server's log. What stands in it already stays. */
export function redirectUriOf(redirectUrl: string, code: Pick<ResponseCode, 'text'>): string {
  const mark = redirectUrl.indexOf('#')
  const joint = mark < 0 ? '#' : mark === redirectUrl.length - 1 ? '' : '&'
  return `${redirectUrl}${joint}response_code=${code.text}`
}
