// Verifications for the wallet's tests: created through the API, answered with bodies that a test may change.

import assert from 'node:assert/strict'
import {
  chooseCredentials,
  formBody,
  generateKey,
  issueAll,
  presentCredential,
  type VerifierRequest,
} from '@vidimus/wallet'
import type { Answer } from '../harness/answer.ts'
import type { TestService } from '../harness/service.ts'
import type { TestWallet } from '../harness/wallet.ts'

export const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

export interface Created {
  readonly id: string
  readonly wallet_uri: string
  readonly request_uri: string
  readonly status: string
  readonly expires_at: string
}

export async function create(
  service: TestService,
  key: string,
  body: object = { template: 'identity' },
): Promise<Created> {
  const answer = await service.call('POST', '/v1/verifications', { key, body })
  assert.equal(answer.status, 201, answer.text)
  return answer.json
}

export async function read(service: TestService, key: string, id: string) {
  const answer = await service.call('GET', `/v1/verifications/${id}`, { key })
  assert.equal(answer.status, 200, answer.text)
  return answer.json
}

export function respond(service: TestService, id: string, body: string | Buffer): Promise<Answer> {
  return service.call('POST', `/wallet/response/${id}`, { headers: FORM, raw: body })
}

/** Returns the form body of a valid answer to a request. */
export async function validBody(
  wallet: TestWallet,
  request: VerifierRequest,
  envelope: Partial<Pick<VerifierRequest, 'state' | 'encryption' | 'nonce'>> & { credentials?: Held } = {},
): Promise<string> {
  const { credentials = newCredentials(wallet), ...change } = envelope
  const changed = { ...request, ...change }
  return formBody(changed, { vpToken: validToken(wallet, changed, credentials) })
}

type Held = ReturnType<typeof issueAll>

export const newCredentials = ({ options: { issuer, now } }: TestWallet): Held =>
  issueAll(issuer, { holderKey: generateKey(), now })

/** Returns the parameters of a holder's proof. */
export function bindingOf({ options: { now } }: TestWallet, request: VerifierRequest) {
  const { clientId, nonce, responseUri, encryption } = request
  return { clientId, nonce, responseUri, encryptionKey: encryption?.key ?? null, now, deviceAuth: 'signature' } as const
}

export function validToken(
  wallet: TestWallet,
  request: VerifierRequest,
  credentials: Held = newCredentials(wallet),
): Record<string, string[]> {
  const binding = bindingOf(wallet, request)
  return Object.fromEntries(
    chooseCredentials(request.query, credentials).map(({ queryId, credential, paths }) => [
      queryId,
      [presentCredential(credential, paths, binding)],
    ]),
  )
}

/** Header and claims of a compact JWS, unverified. */
export function decode(compact: string): { header: Record<string, unknown>; claims: Record<string, never> } {
  const [header = '', claims = ''] = compact.split('.').map((part) => Buffer.from(part, 'base64url').toString())
  return { header: JSON.parse(header), claims: JSON.parse(claims) }
}
