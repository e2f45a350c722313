// Passes a trial of the test wallet to the engine's public functions, and records each status lookup.

import { createPrivateKey, type KeyObject } from 'node:crypto'
import { sealAnnexC } from '../../wallet/mutations/annex-c.ts'
import type { Trial } from '../../wallet/mutations/world.ts'
import type { PrivateJwk } from '../../wallet/src/keys.ts'
import {
  createChainCache,
  type DcApiOffer,
  type Expected,
  type Json,
  parseQuery,
  readDcApiResponse,
  readResponse,
  readTransaction,
  type StatusAnswer,
  type Trust,
  thumbprintOf,
  type Verdict,
  verifyPresentation,
} from '../src/index.ts'
import { pointOf } from './points.ts'

export type Outcome =
  | { readonly kind: 'malformed' | 'wallet_error' }
  | { readonly kind: 'verdict'; readonly verdict: Verdict; readonly fetches: number }

type Answer = Parameters<typeof verifyPresentation>[0]

/** Judges the body of the trial if it has one, otherwise its vp_token. Annex C answers are encrypted first. */
export async function judgeTrial(trial: Trial): Promise<Outcome> {
  const { channel } = trial.expectations
  const body = trial.body ?? (channel.kind === 'annex_c' ? await sealAnnexC(trial) : null)
  if (body === null) return judgeAnswer(trial, trial.vpToken as Json)
  if (channel.kind !== 'redirect') return judgePosted(trial, Buffer.from(body))
  const response = readResponse(Buffer.from(body), {
    encryption: decryptionOf(trial),
    state: trial.expectations.state,
  })
  return response.kind === 'presentation' ? judgeAnswer(trial, response.vpToken) : { kind: response.kind }
}

/** What a page posts. */
export async function judgePosted(trial: Trial, body: Uint8Array): Promise<Outcome> {
  const response = readDcApiResponse(body, offerOf(trial))
  if (response.kind !== 'presentation') return { kind: response.kind }
  return judgeAnswer(trial, response.presented, response.channel)
}

async function judgeAnswer(trial: Trial, answer: Answer, channel = trial.expectations.channel): Promise<Outcome> {
  const requests: string[] = []
  const verdict = await verifyPresentation(answer, { ...expectedOf(trial), channel }, trustOf(trial, requests))
  return { kind: 'verdict', verdict, fetches: requests.length }
}

/** Returns the offer for the trial's channel: one protocol, in the mode of its expectations. */
export function offerOf(trial: Trial): DcApiOffer {
  const { channel, hpkeKey } = trial.expectations
  if (channel.kind === 'redirect') throw new Error('bug: nothing is offered there')
  const { origins } = channel
  return channel.kind === 'dc_api'
    ? { protocols: ['openid4vp-v1-signed'], origins, encryption: decryptionOf(trial), annexC: null }
    : {
        protocols: ['org-iso-mdoc'],
        origins,
        encryption: null,
        annexC: { privateKey: keyOf(hpkeKey), point: pointOf(hpkeKey), encryptionInfo: channel.encryptionInfo },
      }
}

function decryptionOf({ expectations: { encryptionKey, kid } }: Trial) {
  return encryptionKey === null ? null : { privateKey: keyOf(encryptionKey), kid }
}

export function expectedOf(trial: Trial): Expected {
  const { channel, nonce, requestedAt, now, skewSeconds, query, encryptionKey } = trial.expectations
  const thumbprint = encryptionKey === null ? null : thumbprintOf({ ...encryptionKey })
  const encryption =
    encryptionKey === null || thumbprint === null ? null : { privateKey: keyOf(encryptionKey), thumbprint }
  const transaction = readTransaction(trial.expectations.transaction ?? [])
  return { query: parseQuery(query), channel, nonce, transaction, encryption, requestedAt, now, skewSeconds }
}

export function trustOf(trial: Trial, requests: string[] = []): Trust {
  const fetchStatus = async ({ uri }: { readonly uri: string }): Promise<StatusAnswer> => {
    requests.push(uri)
    return trial.status.get(uri) ?? { outcome: 'unavailable', reason: 'nothing is served there' }
  }
  const { anchors, statusPolicy, haip } = trial
  return { anchors, statusPolicy, haip, fetchStatus, cache: createChainCache(100) }
}

function keyOf(key: PrivateJwk): KeyObject {
  return createPrivateKey({ key: { ...key }, format: 'jwk' })
}
