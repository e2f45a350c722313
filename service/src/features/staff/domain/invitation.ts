// An invitation to join a tenant's staff.

import type { Instant } from '../../../platform/world.ts'
import type { Role } from './person.ts'

/** How many invitations of a tenant can be open: one page lists them, and each can open an account. The operator has no limit. */
export const INVITATIONS_MAX = 200

/** How many a tenant can create in 24 hours, also again: each adds entries to both trails. The operator has no limit. */
export const INVITATIONS_A_DAY_MAX = 200

export interface Invitation {
  /** Shown once. Anyone who has the link can use it. */
  readonly url: string
  readonly email: string
  readonly expiresAt: Instant
  /** Whether the link is also sent by mail. */
  readonly mail: 'queued' | 'off' | 'limited' | 'unsuitable'
}

export interface OpenInvitation {
  readonly email: string
  readonly role: Role
  /** The address of the person who invited; null: the operator. */
  readonly invitedBy: string | null
  readonly expiresAt: Instant
}

export function renderInvitation({ url, email, expiresAt }: Invitation) {
  return { url, email, expires_at: expiresAt }
}

export function renderOpenInvitation({ email, role, expiresAt, invitedBy }: OpenInvitation) {
  return { email, role, expires_at: expiresAt, invited_by: invitedBy }
}
