// The filters of the list of verifications, for the page and for the export.

import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { Line, oneOf } from '../../../../../wire/parts.ts'
import { LINE_PATTERN } from '../../../../../wire/values/names.ts'
import { METADATA_MAX } from '../../../../../wire/values/verifications.ts'
import { VerificationState } from '../../../../../wire/verifications.ts'
import { COUNTED_CHANNELS } from '../../../core/channels/record.ts'
import type { Realm } from '../../../core/tenants/domain/realm.ts'
import { Refusal } from '../../../platform/errors.ts'
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
}

/** Percent-encoded. Not in the address, which gets into histories and logs: a value of the metadata may name a person. */
const TEXT_HEADER = 'vidimus-search'

/** A value of the metadata, or a part of the purpose, which has a smaller limit; null: everything. */
function textIn(headers: IncomingHttpHeaders): string | null {
  const header = headers[TEXT_HEADER]
  if (header === undefined) return null
  const text = decoded(String(header))
  if (text === null || !IS_LINE.test(text) || [...text].length > METADATA_MAX.valueLength)
    throw new Refusal('invalid_request', { message: `${TEXT_HEADER} must be one line of text, percent-encoded.` })
  return text
}

const IS_LINE = new RegExp(LINE_PATTERN, 'u')

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}

const Search = Type.Object(SEARCH)

/** A page decrypts the metadata of its rows. A filter may scan a whole window; by reason or channel, it looks up results. */
export function surchargeOfSearch({ query, headers }: Pick<FastifyRequest, 'query' | 'headers'>): number {
  const has = (name: keyof typeof SEARCH) => Object.hasOwn(query as object, name)
  if (has('reason') || has('channel')) return 30
  return has('status') || has('template') || has('actor') || TEXT_HEADER in headers ? 15 : 4
}

export function searchOf(
  realm: Realm,
  { query, headers }: { readonly query: Static<typeof Search>; readonly headers: IncomingHttpHeaders },
): StaffQuery {
  const { from, to, status, template, reason, channel, actor } = query
  return {
    realm,
    from: from === undefined ? null : parsePageBound(from),
    to: to === undefined ? null : parsePageBound(to),
    status: status ?? null,
    template: template ?? null,
    reason: reason ?? null,
    channel: channel ?? null,
    actor: actor ?? null,
    text: textIn(headers),
  }
}
