// Describes the bodies about the audit trail.

import { type Static, Type } from 'typebox'
import { Closed, Count, Instant, List, Open, orNull } from './parts.ts'

const Named = Closed({
  type: Type.String(),
  id: Type.String(),
  name: orNull(Type.String({ description: 'The current name of the object; for staff, their address' })),
})

export const AuditEntry = Closed({
  seq: Type.Integer({ minimum: 1 }),
  at: Instant,
  action: Type.String(),
  actor: Named,
  object: Named,
  details: orNull(Open),
})
export type AuditEntry = Static<typeof AuditEntry>

export const AuditPage = Closed({
  data: List(AuditEntry),
  next: orNull(Type.Integer({ minimum: 1 })),
  guard: Closed({
    sealed: Type.Boolean({ description: 'The last entry is unchanged since the service wrote it' }),
    checkpoint_missing: Type.Boolean({ description: 'A checkpoint is missing' }),
  }),
})
export type AuditPage = Static<typeof AuditPage>

const LoggedChain = Closed({
  seq: Type.Integer({ minimum: 1, description: 'The last entry of the chain that the public log has' }),
  index: Count,
  size: Count,
  origin: Type.String(),
  cosigned: List(Closed({ witness: Type.String(), at: Count })),
})

const Faulty = { seq: Count, problem: Type.String(), checkpoints: Count, log: Type.Optional(LoggedChain) }

export const AuditVerdict = Type.Union([
  Closed({
    outcome: Type.Literal('whole'),
    entries: Count,
    details_erased: Count,
    checkpoints: Count,
    head: Type.String({ pattern: '^[0-9a-f]{64}$' }),
    log: Type.Optional(LoggedChain),
  }),
  Closed({ outcome: Type.Literal('tampered'), ...Faulty }),
  Closed({ outcome: Type.Literal('incomplete'), ...Faulty }),
  Closed({ outcome: Type.Literal('untrusted'), problem: Type.String() }),
])
export type AuditVerdict = Static<typeof AuditVerdict>

export const AuditCheck = Closed({ verdict: AuditVerdict, at: Instant })
export type AuditCheck = Static<typeof AuditCheck>
