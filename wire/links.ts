// Describes links that start verifications, as merchants create and read them.

import { type Static, Type } from 'typebox'
import { Instant, oneOf } from './parts.ts'
import { LINK_DAYS, LINK_STARTS_WITHIN_DAYS, LINK_STATES, LINK_USES } from './values/links.ts'
import { PURPOSE_LENGTH_MAX } from './values/verifications.ts'
import { CreateVerification, VerificationListQuery } from './verifications.ts'

const closed = { additionalProperties: false }

const { template, query, webhook_url, redirect_url, ttl_seconds, metadata, purpose, intended_use, transaction } =
  CreateVerification.properties
const UtcInstant = (description: string) => Type.String({ format: 'date-time', pattern: 'Z$', description })

export const CreateLink = Type.Object(
  {
    // Members that each verification of the link gets.
    template,
    query,
    webhook_url,
    redirect_url,
    ttl_seconds,
    metadata,
    purpose,
    intended_use,
    transaction,
    starts_at: Type.Optional(
      UtcInstant(`From when it can be opened, at most ${LINK_STARTS_WITHIN_DAYS} days ahead. Absent: now`),
    ),
    ends_at: Type.Optional(
      UtcInstant(
        `When the link ends: at most ${LINK_DAYS.max} days after it starts. Absent: ${LINK_DAYS.standard} days after it starts`,
      ),
    ),
    uses: Type.Optional(
      Type.Union([Type.Integer({ minimum: 1, maximum: LINK_USES.max }), Type.Null()], {
        default: LINK_USES.standard,
        description: 'How many verifications the link can create. null: any number until it ends',
      }),
    ),
    mail: Type.Optional(
      Type.Object(
        {
          to: Type.String({
            minLength: 3,
            maxLength: 254,
            description: "The person's address. The link does not store it",
          }),
          language: Type.Optional(oneOf('en', 'de', 'fr', 'it', 'es', 'nl')),
        },
        { ...closed, description: 'Sends the link to a person by e-mail, where the operator has turned mail on' },
      ),
    ),
  },
  // The use case checks this too, with messages of its own.
  { ...closed, exactlyOneOf: ['template', 'query'] },
)
export type CreateLink = Static<typeof CreateLink>

const LINK = {
  id: Type.String(),
  state: oneOf(...LINK_STATES),
  template: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  purpose: Type.Optional(Type.String({ minLength: 1, maxLength: PURPOSE_LENGTH_MAX })),
  metadata: Type.Optional(Type.Record(Type.String(), Type.String())),
  redirect_url: Type.Optional(Type.String()),
  starts_at: Instant,
  ends_at: Instant,
  uses: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()], { description: 'null: any number' }),
  opened: Type.Integer({ minimum: 0, description: 'How many verifications the link has created' }),
  completed: Type.Integer({ minimum: 0, description: 'How many of these verifications completed' }),
  created_at: Instant,
  revoked_at: Type.Optional(Instant),
}

export const Link = Type.Object(LINK, { $id: 'Link', ...closed })
export type Link = Static<typeof Link>

export const CreatedLink = Type.Object(
  {
    ...LINK,
    url: Type.String({
      description:
        'The address to send or print. You see it only once: Vidimus stores only its hash. Anyone who has it can open the link',
    }),
  },
  { $id: 'CreatedLink', ...closed },
)
export type CreatedLink = Static<typeof CreatedLink>

export const LinkList = Type.Object({ data: Type.Array(Link) }, { $id: 'LinkList', ...closed })
export type LinkList = Static<typeof LinkList>

/** The query of a page of the list. */
export const LinkListQuery = Type.Object(
  { limit: VerificationListQuery.properties.limit, before: VerificationListQuery.properties.before },
  closed,
)
export type LinkListQuery = Static<typeof LinkListQuery>
