// An invitation to a tenant's staff: the link that was just made, and those that are open.

import type { Instant } from '../../../platform/world.ts'
import type { Role } from './person.ts'

/** Open ones of a tenant: they are listed whole, and each leads to an account. The operator's own are not refused. */
export const INVITATIONS_MAX = 200

export interface Invitation {
  /** Shown once; whoever has it may use it. */
  readonly url: string
  readonly email: string
  readonly expiresAt: Instant
}

export interface OpenInvitation {
  readonly email: string
  readonly role: Role
  /** The address of who invited; null: the operator. */
  readonly invitedBy: string | null
  readonly expiresAt: Instant
}

export function renderInvitation({ url, email, expiresAt }: Invitation) {
  return { url, email, expires_at: expiresAt }
}

export function renderOpenInvitation({ email, role, expiresAt, invitedBy }: OpenInvitation) {
  return { email, role, expires_at: expiresAt, invited_by: invitedBy }
}
