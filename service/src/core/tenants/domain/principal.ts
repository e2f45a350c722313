// Defines the caller: an API key, a device, a person at the dashboard or an OpenID client.

import { Refusal } from '../../../platform/errors.ts'
import type { Environment } from '../../../platform/world.ts'
import type { AuditActor } from '../../ports/audit.ts'
import type { Scope } from './api-key.ts'

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
  /** Whether the refresh token issued with this access token was exchanged. The token's owner may know that. */
  readonly refreshSpent: boolean
}

/** Staff, with the rights of their role. */
export interface UserPrincipal extends PrincipalBase {
  readonly kind: 'user'
  readonly personId: string
}

/** An OpenID client, on whose behalf a user's browser calls. */
export interface ClientPrincipal extends PrincipalBase {
  readonly kind: 'oidc_client'
  readonly clientId: string
  readonly clientName: string
  readonly allowedTemplates: readonly string[]
}

export type Principal = KeyPrincipal | DevicePrincipal | UserPrincipal | ClientPrincipal

export interface Reader {
  readonly principal: Principal
  /** Charges for this many stored bytes, before they are loaded. Refuses if the rate is used up. */
  pay(bytes: number): Promise<void>
}

/** Spec 5.6: the message names the missing scope. */
export function requireScope(principal: Principal, scope: Scope): void {
  if (!principal.scopes.includes(scope)) {
    throw new Refusal('insufficient_scope', { message: `This credential lacks the scope ${scope}.` })
  }
}

/** Devices and clients may use only templates that their merchant allowed, and no query of their own. */
export function requireAskable(principal: Principal, question: { readonly template: string | null }): void {
  if (principal.kind !== 'device' && principal.kind !== 'oidc_client') return
  if (question.template === null) {
    throw new Refusal('insufficient_scope', {
      message: 'This credential lacks the scope verifications:create for queries: a device names one of its templates.',
    })
  }
  if (!principal.allowedTemplates.includes(question.template)) throw new Refusal('template_not_allowed')
}

/** A device sees only the verifications that it created. null: all of its tenant and environment. */
export function onlyCreatedBy(principal: Principal): string | null {
  return principal.kind === 'device' ? principal.deviceId : null
}

export const actorOf = (principal: Principal): AuditActor => ({ type: principal.kind, id: principalId(principal) })

/** Spec 2.3: the audit trail shows a device's name as the actor. The merchant chose it, so it is in the details. */
export function actorDetails(principal: Principal): { readonly actor_name?: string } {
  if (principal.kind === 'oidc_client') return { actor_name: principal.clientName }
  return principal.kind === 'device' ? { actor_name: principal.deviceName } : {}
}

/** The id in rate budgets and logs: never the secret itself. */
export function principalId(principal: Principal): string {
  switch (principal.kind) {
    case 'api_key':
      return principal.keyId
    case 'device':
      return principal.deviceId
    case 'user':
      return principal.personId
    case 'oidc_client':
      return principal.clientId
  }
}
