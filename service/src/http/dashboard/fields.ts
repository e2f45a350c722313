// Parts of the dashboard's requests that many routes take.

import { Type } from 'typebox'

export const Empty = Type.Object({}, { additionalProperties: false })
/** What people call things: no control characters. */
export const Name = Type.String({ minLength: 1, maxLength: 64, pattern: '^[^\\p{Cc}\\p{Cs}]+$' })
const Id = Type.String({ minLength: 1, maxLength: 200 })

export const PlaceParams = Type.Object({ tenant: Id, environment: Id })
export const PlaceAndId = Type.Object({ tenant: Id, environment: Id, id: Id })
export const PlaceAndKey = Type.Object({ tenant: Id, environment: Id, key: Id })
export const PAGE_SIZE = 50
