// The log's own keys: the signing key, and the key that hides the owner of a leaf. Derived once and kept (see kept keys).

import { createHmac } from 'node:crypto'
import type { DerivedKeys, SecretKeys } from '../../../../platform/seal/seal.ts'
import { type NoteSigner, noteSignerOf } from '../../../../platform/signed-note.ts'

export const LOG_SIGNING_LABEL = 'log-signing-v1'
export const LOG_BLINDING_LABEL = 'log-blinding-v1'

/** The address without its scheme, as in C2SP: where the log is served, and its name. */
export function originOf(baseUrl: string): string {
  const { host, pathname } = new URL(baseUrl)
  return `${host}${pathname.replace(/\/$/, '')}/log`
}

export const logSigner = (keys: Pick<DerivedKeys, 'signingKey'>, origin: string): NoteSigner =>
  noteSignerOf(origin, 0x01, keys.signingKey(LOG_SIGNING_LABEL))

/** Per tenant: it finds the tenant's leaves and no others. */
export const blindingKeyOf = (keys: Pick<SecretKeys, 'derive'>, tenantId: string): Buffer =>
  createHmac('sha256', keys.derive(LOG_BLINDING_LABEL, 32)).update(`tenant\0${tenantId}`, 'utf8').digest()

/** For the markers that say which audit trails entered the log. */
export const entranceKeyOf = (keys: Pick<SecretKeys, 'derive'>): Buffer =>
  createHmac('sha256', keys.derive(LOG_BLINDING_LABEL, 32)).update('entrances', 'utf8').digest()
