// Puts a trial of the test wallet before the engine's public functions, and keeps count of who was asked for a status.

import { createPrivateKey } from 'node:crypto'
import type { Trial } from '../../wallet/mutations/world.ts'
import {
  createChainCache,
  type Expected,
  type Json,
  parseQuery,
  readResponse,
  type StatusAnswer,
  type Trust,
  thumbprintOf,
  type Verdict,
  verifyPresentation,
} from '../src/index.ts'

export type Outcome =
  | { readonly kind: 'malformed' | 'wallet_error' }
  | { readonly kind: 'verdict'; readonly verdict: Verdict; readonly fetches: number }

/** From the form body where there is one, from the vp_token otherwise. */
export async function judgeTrial(trial: Trial): Promise<Outcome> {
  const { vpToken, body } = trial
  if (body === null) return judgeToken(trial, vpToken as Json)
  const { encryptionKey, kid, state } = trial.expectations
  const encryption = encryptionKey === null ? null : { privateKey: privateKeyOf(trial), kid }
  const response = readResponse(Buffer.from(body), { encryption, state })
  return response.kind === 'presentation' ? judgeToken(trial, response.vpToken) : { kind: response.kind }
}

async function judgeToken(trial: Trial, vpToken: Json): Promise<Outcome> {
  const asked: string[] = []
  const verdict = await verifyPresentation(vpToken, expectedOf(trial), trustOf(trial, asked))
  return { kind: 'verdict', verdict, fetches: asked.length }
}

export function expectedOf(trial: Trial): Expected {
  const { channel, nonce, requestedAt, now, skewSeconds, query, encryptionKey } = trial.expectations
  const thumbprint = encryptionKey === null ? null : thumbprintOf({ ...encryptionKey })
  const encryption = thumbprint === null ? null : { privateKey: privateKeyOf(trial), thumbprint }
  return { query: parseQuery(query), channel, nonce, encryption, requestedAt, now, skewSeconds }
}

export function trustOf(trial: Trial, asked: string[] = []): Trust {
  const fetchStatus = async ({ uri }: { readonly uri: string }): Promise<StatusAnswer> => {
    asked.push(uri)
    return trial.status.get(uri) ?? { outcome: 'unavailable', reason: 'nothing is served there' }
  }
  const { anchors, statusPolicy, haip } = trial
  return { anchors, statusPolicy, haip, fetchStatus, cache: createChainCache(100) }
}

function privateKeyOf(trial: Trial) {
  const { encryptionKey } = trial.expectations
  if (encryptionKey === null) throw new Error('bug: there is no encryption key')
  return createPrivateKey({ key: { ...encryptionKey }, format: 'jwk' })
}
