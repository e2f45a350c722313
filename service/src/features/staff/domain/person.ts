// People and their roles at a tenant.

import { ROLES } from '../../../../../wire/values/staff.ts'
import type { Instant } from '../../../platform/world.ts'

export type Role = (typeof ROLES)[number]

export interface Person {
  readonly id: string
  readonly email: string
}

export interface Membership {
  readonly tenantId: string
  readonly tenantName: string
  readonly role: Role
}

export interface Member extends Person {
  readonly role: Role
  readonly joinedAt: Instant
  readonly hasPasskey: boolean
  readonly lastSeenAt: Instant | null
}

export function renderMember(member: Member) {
  return {
    id: member.id,
    email: member.email,
    role: member.role,
    joined_at: member.joinedAt,
    has_passkey: member.hasPasskey,
    last_seen_at: member.lastSeenAt,
  }
}

export const isRole = (text: string): text is Role => (ROLES as readonly string[]).includes(text)

export function reaches(role: Role, required: Role): boolean {
  return ROLES.indexOf(role) <= ROLES.indexOf(required)
}

/** Normalizes the spelling of an address, even of an invalid one. */
export const emailSpelling = (text: string) => text.trim().normalize('NFC').toLowerCase()

/** Returns the normalized address; null if the text cannot be an address. Does not prove that the address exists. */
export function normalEmail(text: string): string | null {
  const email = emailSpelling(text)
  return email.length <= 254 && /^[^\s@<>"\p{Cc}]{1,64}@[^\s@<>"\p{Cc}]{1,189}$/u.test(email) ? email : null
}
