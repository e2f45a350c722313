// Accepts form bodies of wallets as bytes, and reads the two fields of a request for the request object.

import { MalformedForm, parseForm } from '@vidimus/engine/form'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Refusal } from '../../../../platform/errors.ts'
import { inTurnIfLong } from '../../../../platform/event-loop/in-turn.ts'
import { addressBucket } from '../../../../platform/http/address.ts'

export const FORM_TYPE = 'application/x-www-form-urlencoded'

/** On these routes a body can only be a form, and stays bytes. */
export function takeFormsOnly(routes: FastifyInstance): void {
  routes.removeAllContentTypeParsers()
  routes.addContentTypeParser(FORM_TYPE, { parseAs: 'buffer' }, async ({ ip }: FastifyRequest, body: Buffer) => {
    await inTurnIfLong(addressBucket(ip), body.length)
    return body
  })
}

/** Limited, because the nonce is echoed into a signed object. */
const WALLET_NONCE_LENGTH_MAX = 512

/** Unknown fields are ignored (OpenID4VP §5.10). */
export interface RequestPost {
  /** To be echoed; null if absent. */
  readonly walletNonce: string | null
  /** JSON, as received; null if absent. */
  readonly walletMetadata: string | null
}

export const NOTHING_POSTED: RequestPost = { walletNonce: null, walletMetadata: null }

export function readRequestPost(body: unknown): RequestPost {
  if (!(body instanceof Uint8Array) || body.length === 0) return NOTHING_POSTED
  const form = readForm(body)
  return {
    walletMetadata: form.get('wallet_metadata') ?? null,
    walletNonce: readNonce(form.get('wallet_nonce')),
  }
}

function readNonce(nonce: string | undefined): string | null {
  if (nonce === undefined) return null
  if (nonce === '' || nonce.length > WALLET_NONCE_LENGTH_MAX) {
    throw new Refusal('invalid_request', { message: 'wallet_nonce: 1 to 512 characters are expected.' })
  }
  return nonce
}

/** Parses fields with the engine's parser. */
export function readForm(body: Uint8Array): ReadonlyMap<string, string> {
  try {
    return parseForm(body)
  } catch (error) {
    if (!(error instanceof MalformedForm)) throw error
    throw new Refusal('invalid_request', { message: `body: ${error.message}.` })
  }
}
