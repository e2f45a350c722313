// Describes how many verifications were created, and the quota (spec 2.5).

import { type Static, Type } from 'typebox'
import { Closed, Count, Day, Instant, Line, List, oneOf, orNull } from './parts.ts'
import { ALERT_TOPICS, ALERT_URL_LENGTH_MAX, THRESHOLDS_MAX } from './values/usage.ts'

export const Usage = Type.Object(
  {
    day: Type.String({ format: 'date', description: 'Current UTC day' }),
    verifications_created: Type.Integer({ minimum: 0, description: 'Creations counted so far today' }),
    daily_quota: Type.Integer({ minimum: 0, description: "Today's budget" }),
    remaining: Count,
    recent: Type.Array(Type.Object({ day: Day, verifications_created: Count }, { additionalProperties: false }), {
      maxItems: 30,
      description: 'Days with any usage, newest first',
    }),
  },
  { $id: 'Usage', additionalProperties: false },
)
export type Usage = Static<typeof Usage>

const Spent = {
  day: Day,
  verifications_created: Count,
  daily_quota: Count,
  remaining: Count,
  recent: List(Closed({ day: Day, verifications_created: Count })),
}

export const UsageForStaff = Closed({
  ...Spent,
  resets_at: Instant,
  forecast: Closed({
    today: orNull(Count),
    spent_at: orNull(Instant),
    month: Closed({ so_far: Count, at_end: orNull(Count) }),
  }),
})
export type UsageForStaff = Static<typeof UsageForStaff>

const Percent = Type.Integer({ minimum: 1, maximum: 100 })

export const UsageAlerts = Closed({
  url: orNull(Type.String({ description: 'null: alerts are off, or the caller is a viewer' })),
  host: orNull(Type.String({ description: 'null: alerts are off' })),
  thresholds: List(Percent),
  told: List(Closed({ threshold: Percent, day: Day, noticed_at: Instant, outcome: orNull(Type.String()) })),
})
export type UsageAlerts = Static<typeof UsageAlerts>

/** The settings of the calling person, for one tenant. */
export const AlertMails = Closed({ topics: List(oneOf(...ALERT_TOPICS)) })

export const ChangeAlertMails = Closed({
  topics: Type.Array(oneOf(...ALERT_TOPICS), { maxItems: ALERT_TOPICS.length }),
})

export const NewAlerts = Type.Object(
  {
    url: orNull(Line(ALERT_URL_LENGTH_MAX)),
    thresholds: Type.Array(Percent, { maxItems: THRESHOLDS_MAX }),
  },
  { additionalProperties: false },
)
export type NewAlerts = Static<typeof NewAlerts>

export const Overview = Closed({
  steps: Closed({
    key: Type.Boolean(),
    verification: Type.Boolean(),
    completed: Type.Boolean(),
    webhook: Type.Boolean(),
    device: Type.Boolean(),
  }),
  waiting: Count,
  usage: Closed(Spent),
  failing_destinations: Count,
  webhook_attempts: Closed({ all: Count, accepted: Count }),
})
export type Overview = Static<typeof Overview>

const Outcomes = { completed: Count, failed: Count, expired: Count }

export const Figures = Closed({
  from: Instant,
  to: Instant,
  step_seconds: Count,
  bars: List(Closed(Outcomes)),
  total: Closed(Outcomes),
  before: Closed(Outcomes),
  answer_ms: orNull(Closed({ median: Count, p90: Count })),
  reasons: List(Closed({ code: Type.String(), count: Count })),
  templates: List(Closed({ template: orNull(Type.String()), ...Outcomes })),
  channels: List(Closed({ channel: Type.String(), ...Outcomes })),
  devices: List(
    Closed({ id: Type.String(), name: orNull(Type.String({ description: 'null: deleted' })), ...Outcomes }),
  ),
  keys: List(
    Closed({
      by: oneOf('api_key', 'staff', 'openid'),
      id: orNull(Type.String({ description: 'Of a key' })),
      name: orNull(Type.String({ description: 'null: the key was deleted, or there was no key' })),
      ...Outcomes,
    }),
  ),
})
export type Figures = Static<typeof Figures>
