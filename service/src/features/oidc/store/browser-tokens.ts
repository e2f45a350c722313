// Seals and opens the token in the cookie with which a browser reuses its answer: the verification's id, sealed to its client.

import type { Realm } from '../../../core/tenants/domain/realm.ts'
import type { Sealing } from '../../../platform/postgres/db.ts'

type Client = Realm & { readonly id: string }

const sealContext = (client: Client) => `oidc-remembered|${client.tenantId}|${client.environment}|${client.id}`

export function sealBrowserToken({ sealer }: Sealing, client: Client, verificationId: string): string {
  return sealer.seal(Buffer.from(verificationId, 'utf8'), sealContext(client)).toString('base64url')
}

/** null for any other text, because any caller may send one. */
export function openBrowserToken({ sealer }: Sealing, client: Client, token: string): string | null {
  try {
    return sealer.open(Buffer.from(token, 'base64url'), sealContext(client)).toString('utf8')
  } catch {
    return null
  }
}
