// What the pages must know to ask for nothing that would be refused: choices, lifetimes, limits. Told with who is signed in,
// from where they are enforced, so that no page keeps a copy.

import { FORMAT_NAMES, formatOf } from '@vidimus/engine/formats'
import { type Static, Type } from 'typebox'
import { CHANNEL_NAMES, channelOf } from '../../../core/channels/table.ts'
import { AnswerChannel, Status as StatusWord } from '../../../core/http/verification-schema.ts'
import { ACTOR_TYPES, AUDIT_KINDS } from '../../../core/ports/audit.ts'
import { RECENT_DAYS_MAX } from '../../../core/quota/domain/quota.ts'
import { DESCRIPTION_MAX, TITLE_MAX } from '../../../core/templates/domain/document.ts'
import { TEMPLATE_KEY } from '../../../core/templates/domain/template.ts'
import { DEFAULT_SCOPES, KEY_LIFETIMES_DAYS, ROLL_OVERLAP_HOURS, SCOPES } from '../../../core/tenants/domain/api-key.ts'
import { NAME_LENGTH_MAX } from '../../../core/tenants/domain/names.ts'
import { METADATA_MAX, PURPOSE_LENGTH_MAX, TTL_SECONDS } from '../../../core/verifications/domain/request.ts'
import { LOGO_BYTES_MAX, SHOWN_NAME_MAX } from '../../pages/domain/branding/branding.ts'
import { PASSWORD_LENGTH } from '../../staff/domain/password.ts'
import { ROLES } from '../../staff/domain/person.ts'
import { LINK_MS } from '../../staff/domain/session.ts'
import { Answer, Count, Enumeration, List, Part, Role, Status } from '../../staff/http/fields.ts'
import { WARN_DAYS } from '../../trust/usecases/diagnose-trust.ts'
import { ANSWER_KEPT_MS } from '../../webhooks/domain/answer.ts'
import { ENDPOINT_URL_MAX } from '../../webhooks/domain/endpoint.ts'
import { EVENT_TYPES } from '../../webhooks/domain/event.ts'
import { ROTATION_OVERLAP_MS } from '../../webhooks/domain/signature.ts'
import { TEST_EVENTS_KEPT_MAX } from '../../webhooks/domain/test-event.ts'
import { RESENT_AT_ONCE_MAX } from '../../webhooks/usecases/resend-failed.ts'

const HOUR_MS = 3_600_000

/** So much of a verification's id is typed to erase it. */
export const ERASE_CONFIRM_LENGTH = 6

export const Scope = Enumeration('Scope', SCOPES)

export const Terms = Answer('Terms', {
  roles: List(Role),
  statuses: List(Status),
  scopes: List(Scope),
  default_scopes: List(Scope),
  key_lifetimes_days: List(Count),
  roll_overlap_hours: List(Count),
  name_length_max: Count,
  password_length_min: Count,
  invitation_hours: Count,
  secret_overlap_hours: Count,
  endpoint_url_length_max: Count,
  webhook_answer_days: Count,
  webhook_test_events_kept: Count,
  webhook_events: List(Type.String()),
  resent_at_once_max: Count,
  template_key_pattern: Type.String({ description: 'A regular expression for the whole of it' }),
  template_title_length_max: Count,
  template_description_length_max: Count,
  shown_name_length_max: Count,
  logo_bytes_max: Count,
  erase_confirm_length: Count,
  purpose_length_max: Count,
  reference_length_max: Count,
  ttl_seconds_max: Count,
  usage_days: Count,
  audit_kinds: List(Type.String()),
  actor_types: List(Type.String()),
  certificate_warning_days: Count,
  formats: List(
    Part({
      name: Type.String(),
      label: Type.String(),
      shows_status: Type.Boolean({ description: 'Whether it can show that its issuer has not revoked it' }),
    }),
  ),
  channels: List(Part({ name: AnswerChannel, label: Part({ en: Type.String(), de: Type.String() }) })),
})

export const TERMS: Static<typeof Terms> = {
  roles: ROLES,
  statuses: StatusWord.anyOf.map((one) => one.const),
  scopes: SCOPES,
  default_scopes: DEFAULT_SCOPES,
  key_lifetimes_days: KEY_LIFETIMES_DAYS,
  roll_overlap_hours: ROLL_OVERLAP_HOURS,
  name_length_max: NAME_LENGTH_MAX,
  password_length_min: PASSWORD_LENGTH.min,
  invitation_hours: LINK_MS / HOUR_MS,
  secret_overlap_hours: ROTATION_OVERLAP_MS / HOUR_MS,
  endpoint_url_length_max: ENDPOINT_URL_MAX,
  webhook_answer_days: ANSWER_KEPT_MS / (24 * HOUR_MS),
  webhook_test_events_kept: TEST_EVENTS_KEPT_MAX,
  webhook_events: EVENT_TYPES,
  resent_at_once_max: RESENT_AT_ONCE_MAX,
  template_key_pattern: TEMPLATE_KEY,
  template_title_length_max: TITLE_MAX,
  template_description_length_max: DESCRIPTION_MAX,
  shown_name_length_max: SHOWN_NAME_MAX,
  logo_bytes_max: LOGO_BYTES_MAX,
  erase_confirm_length: ERASE_CONFIRM_LENGTH,
  purpose_length_max: PURPOSE_LENGTH_MAX,
  reference_length_max: METADATA_MAX.valueLength,
  ttl_seconds_max: TTL_SECONDS.max,
  usage_days: RECENT_DAYS_MAX,
  audit_kinds: AUDIT_KINDS,
  actor_types: ACTOR_TYPES,
  certificate_warning_days: WARN_DAYS,
  formats: FORMAT_NAMES.map((name) => {
    const { label, statusNotProvable } = formatOf(name)
    return { name, label, shows_status: statusNotProvable === null }
  }),
  channels: CHANNEL_NAMES.map((name) => ({ name, label: channelOf(name).label })),
}
