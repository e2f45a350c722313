// The limits and choices that the dashboard gets with the session, so that no page has a copy.

import { FORMAT_NAMES, formatOf } from '@vidimus/engine/formats'
import type { Terms } from '../../../../../wire/staff.ts'
import { HELP_TEXT_MAX, LOGO_BYTES_MAX, SHOWN_NAME_MAX } from '../../../../../wire/values/branding.ts'
import { KEY_LIFETIMES_DAYS, ROLL_OVERLAP_HOURS, SCOPES } from '../../../../../wire/values/keys.ts'
import { LINK_DAYS, LINK_STARTS_WITHIN_DAYS, LINK_USES } from '../../../../../wire/values/links.ts'
import { NAME_LENGTH_MAX } from '../../../../../wire/values/names.ts'
import { ROLES } from '../../../../../wire/values/staff.ts'
import { METADATA_MAX, PURPOSE_LENGTH_MAX, TTL_SECONDS } from '../../../../../wire/values/verifications.ts'
import { ENDPOINT_URL_MAX } from '../../../../../wire/values/webhooks.ts'
import { VerificationState as StatusWord } from '../../../../../wire/verifications.ts'
import { CHANNEL_NAMES, channelOf } from '../../../core/channels/table.ts'
import { ACTOR_TYPES, AUDIT_KINDS } from '../../../core/ports/audit.ts'
import { RECENT_DAYS_MAX } from '../../../core/quota/domain/quota.ts'
import { DESCRIPTION_MAX, TITLE_MAX } from '../../../core/templates/domain/document.ts'
import { TEMPLATE_KEY } from '../../../core/templates/domain/template.ts'
import { DEFAULT_SCOPES } from '../../../core/tenants/domain/api-key.ts'
import { LINK_MS, PASSWORD_LENGTH } from '../../staff/index.ts'
import { WARN_DAYS } from '../../trust/index.ts'
import {
  ANSWER_KEPT_MS,
  EVENT_TYPES,
  RESENT_AT_ONCE_MAX,
  ROTATION_OVERLAP_MS,
  TEST_EVENTS_KEPT_MAX,
} from '../../webhooks/index.ts'

const HOUR_MS = 3_600_000

/** How many characters of a verification's id a person types to confirm its erasure. */
export const ERASE_CONFIRM_LENGTH = 6

export const TERMS: Terms = {
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
  help_text_length_max: HELP_TEXT_MAX,
  erase_confirm_length: ERASE_CONFIRM_LENGTH,
  purpose_length_max: PURPOSE_LENGTH_MAX,
  reference_length_max: METADATA_MAX.valueLength,
  ttl_seconds_max: TTL_SECONDS.max,
  link_days_max: LINK_DAYS.max,
  link_starts_within_days: LINK_STARTS_WITHIN_DAYS,
  link_uses_max: LINK_USES.max,
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
