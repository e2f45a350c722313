// Encrypts a JSON text to the key of a merchant, for one verification.

import { encryptJwe, recipientOf, thumbprintOf } from '@vidimus/engine'
import { padJson } from '../../../platform/seal/pad-json.ts'
import type { Random } from '../../../platform/world.ts'
import type { MerchantTerms } from '../domain/result-key.ts'

export function writeMerchantJwe({ point, type, verificationId }: MerchantTerms, text: string, random: Random): string {
  const key = recipientOf(point.x, point.y)
  const thumbprint = thumbprintOf({ kty: 'EC', crv: 'P-256', ...point })
  if (key === null || thumbprint === null) throw new Error('bug: a result key is not a point of its curve')
  const header = { typ: type, kid: Buffer.from(thumbprint).toString('base64url') }
  const terms = { key, encryption: 'A256GCM', header, partyVInfo: Buffer.from(verificationId, 'utf8') } as const
  return encryptJwe(padJson(text), terms, random)
}
