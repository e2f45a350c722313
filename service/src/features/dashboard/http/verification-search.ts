// The filters of the list of verifications, for the page and for the export.

import { type Static, Type } from 'typebox'
import { Line, oneOf } from '../../../../../wire/parts.ts'
import { METADATA_MAX } from '../../../../../wire/values/verifications.ts'
import { VerificationState } from '../../../../../wire/verifications.ts'
import { COUNTED_CHANNELS } from '../../../core/channels/record.ts'
import type { Realm } from '../../../core/tenants/domain/realm.ts'
import { parsePageBound } from '../../../platform/http/bounds/page-bound.ts'
import type { StaffQuery } from '../usecases/read-verifications-for-staff.ts'

const SearchTime = Type.Optional(Type.String({ maxLength: 40 }))

export const SEARCH = {
  from: SearchTime,
  to: SearchTime,
  status: Type.Optional(VerificationState),
  // Empty: verifications created with a query.
  template: Type.Optional(Type.Union([Line(64), Type.Literal('')])),
  reason: Type.Optional(Line(64)),
  channel: Type.Optional(oneOf(...COUNTED_CHANNELS)),
  actor: Type.Optional(Line(64)),
  // A value of the metadata, or a part of the purpose, which has a smaller limit.
  text: Type.Optional(Line(METADATA_MAX.valueLength)),
}

const Search = Type.Object(SEARCH)

/** A page decrypts the metadata of its rows. A filter may scan a whole window; by reason or channel, it looks up results. */
export function surchargeOfSearch({ query }: { readonly query: unknown }): number {
  const has = (name: keyof typeof SEARCH) => Object.hasOwn(query as object, name)
  if (has('reason') || has('channel')) return 30
  return has('status') || has('template') || has('actor') || has('text') ? 15 : 4
}

export function searchOf(realm: Realm, search: Static<typeof Search>): StaffQuery {
  const { from, to, status, template, reason, channel, actor, text } = search
  return {
    realm,
    from: from === undefined ? null : parsePageBound(from),
    to: to === undefined ? null : parsePageBound(to),
    status: status ?? null,
    template: template ?? null,
    reason: reason ?? null,
    channel: channel ?? null,
    actor: actor ?? null,
    text: text ?? null,
  }
}
