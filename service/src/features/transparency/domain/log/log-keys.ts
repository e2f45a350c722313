// Derives the log's keys: the signing key, and the key that hides the owner of a leaf.

import { createHmac } from 'node:crypto'
import type { DerivedKeys, SecretKeys } from '../../../../platform/seal/seal.ts'
import { type NoteSigner, noteSignerOf } from '../../../../platform/signed-note.ts'

export const LOG_SIGNING_LABEL = 'log-signing-v1'
export const LOG_BLINDING_LABEL = 'log-blinding-v1'

/** The log's name (C2SP): its address without the scheme. */
export function originOf(baseUrl: string): string {
  const { host, pathname } = new URL(baseUrl)
  return `${host}${pathname.replace(/\/$/, '')}/log`
}

export const logSigner = (keys: Pick<DerivedKeys, 'signingKey'>, origin: string): NoteSigner =>
  noteSignerOf(origin, 0x01, keys.signingKey(LOG_SIGNING_LABEL))

/** Derives a key per tenant. Its owner can find the leaves of this tenant only. */
export const blindingKeyOf = (keys: Pick<SecretKeys, 'derive'>, tenantId: string): Buffer =>
  createHmac('sha256', keys.derive(LOG_BLINDING_LABEL, 32)).update(`tenant\0${tenantId}`, 'utf8').digest()

/** Derives the key that hides which audit trails have entered the log. */
export const entranceKeyOf = (keys: Pick<SecretKeys, 'derive'>): Buffer =>
  createHmac('sha256', keys.derive(LOG_BLINDING_LABEL, 32)).update('entrances', 'utf8').digest()
