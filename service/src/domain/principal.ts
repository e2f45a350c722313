// Who is asking: an API key or a venue device. Its tenant and environment bound everything it can see.

import type { Scope } from './api-key.ts'
import { Refusal } from './errors.ts'
import type { Environment } from './world.ts'

interface PrincipalBase {
  readonly tenantId: string
  readonly environment: Environment
  readonly scopes: readonly Scope[]
}

export interface KeyPrincipal extends PrincipalBase {
  readonly kind: 'api_key'
  readonly keyId: string
}

export interface DevicePrincipal extends PrincipalBase {
  readonly kind: 'device'
  readonly deviceId: string
  readonly deviceName: string
  readonly allowedTemplates: readonly string[]
}

export type Principal = KeyPrincipal | DevicePrincipal

/** Spec 5.6: the message names the missing scope. */
export function requireScope(principal: Principal, scope: Scope): void {
  if (!principal.scopes.includes(scope)) {
    throw new Refusal('insufficient_scope', { message: `This credential lacks the scope ${scope}.` })
  }
}

/** Named in rate budgets and logs: never the secret itself. */
export function principalId(principal: Principal): string {
  return principal.kind === 'api_key' ? principal.keyId : principal.deviceId
}
