// Describes the bodies about API keys.

import { type Static, Type } from 'typebox'
import { Closed, Environment, Instant, List, Name, oneOf, orNull } from './parts.ts'
import { KEY_LIFETIMES_DAYS, ROLL_OVERLAP_HOURS, SCOPES } from './values/keys.ts'

export const Scope = oneOf(...SCOPES)
export type Scope = Static<typeof Scope>

const KeyMembers = {
  id: Type.String(),
  tenant_id: Type.String(),
  environment: Environment,
  name: Type.String(),
  prefix: Type.String(),
  scopes: List(Scope),
  created_at: Instant,
  expires_at: orNull(Instant),
  revoked_at: orNull(Instant),
  last_used_at: orNull(Instant),
}

export const ApiKey = Closed(KeyMembers)
export type ApiKey = Static<typeof ApiKey>

export const UsedKey = Closed({
  ...KeyMembers,
  uses: List(Type.Integer({ minimum: 0, description: 'Uses per day, oldest first; the last is today' })),
})
export type UsedKey = Static<typeof UsedKey>

export const CreatedKey = Closed({ ...KeyMembers, key: Type.String({ description: 'Shown only here' }) })
export type CreatedKey = Static<typeof CreatedKey>

const Lifetime = Type.Unsafe<(typeof KEY_LIFETIMES_DAYS)[number] | null>(
  Type.Union([Type.Null(), ...KEY_LIFETIMES_DAYS.map((days) => Type.Literal(days))]),
)

export const UsedKeys = Closed({ data: List(UsedKey) })
export type UsedKeys = Static<typeof UsedKeys>

export const CreateKey = Closed({
  name: Name,
  scopes: Type.Array(Scope, { minItems: 1, uniqueItems: true }),
  expires_in_days: Lifetime,
})
export type CreateKey = Static<typeof CreateKey>

export const RollKey = Closed({ overlap_hours: oneOf(...ROLL_OVERLAP_HOURS), expires_in_days: Lifetime })
export type RollKey = Static<typeof RollKey>
