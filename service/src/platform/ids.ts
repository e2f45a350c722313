// Creates and recognises ids, which are opaque, unguessable and prefixed by their type.

import type { Random } from './world.ts'

export const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** An id without a tenant, for ids that are never looked up. */
export const randomVerificationId = (random: Random) => `ver_${randomBase62(random, 32)}`
/** Whether a text has the form of an id. Other texts are never looked up. */
export const isVerificationId = (text: string) => /^ver_[0-9A-Za-z]{32}$/.test(text)
export const newLinkId = (random: Random) => `lnk_${randomBase62(random, 24)}`
export const isLinkId = (text: string) => /^lnk_[0-9A-Za-z]{24}$/.test(text)
export const newTenantId = (random: Random) => `ten_${randomBase62(random, 16)}`
export const isTenantId = (text: string) => /^ten_[0-9A-Za-z]{16}$/.test(text)
export const newTemplateId = (random: Random) => `tpl_${randomBase62(random, 16)}`
export const newApiKeyId = (random: Random) => `key_${randomBase62(random, 16)}`
export const newCertificateId = (random: Random) => `acc_${randomBase62(random, 16)}`
export const newAnchorId = (random: Random) => `anc_${randomBase62(random, 16)}`
export const newTrustListId = (random: Random) => `lst_${randomBase62(random, 16)}`
export const newDeliveryId = (random: Random) => `dlv_${randomBase62(random, 24)}`
export const newEndpointId = (random: Random) => `wep_${randomBase62(random, 16)}`
export const newOriginId = (random: Random) => `org_${randomBase62(random, 16)}`
export const newResultKeyId = (random: Random) => `rky_${randomBase62(random, 16)}`
export const newRegistrationId = (random: Random) => `reg_${randomBase62(random, 16)}`
export const newOperatorRequestId = (random: Random) => `ask_${randomBase62(random, 16)}`
export const newClientId = (random: Random) => `oic_${randomBase62(random, 24)}`
export const isClientId = (text: string) => /^oic_[0-9A-Za-z]{24}$/.test(text)
export const newAuthorizationId = (random: Random) => `oau_${randomBase62(random, 32)}`
export const isAuthorizationId = (text: string) => /^oau_[0-9A-Za-z]{32}$/.test(text)
export const newSigningKeyId = (random: Random) => `sig_${randomBase62(random, 16)}`
export const newPersonId = (random: Random) => `usr_${randomBase62(random, 16)}`
export const newSessionId = (random: Random) => `ses_${randomBase62(random, 16)}`
export const newMailId = (random: Random) => `mai_${randomBase62(random, 24)}`
export const newRequestId = (random: Random) => `req_${randomBase62(random, 20)}`

/** A UUID of version 4 (RFC 9562 §5.4). */
export function newDeviceId(random: Random): string {
  const bytes = Buffer.from(random(16))
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

/** Discards bytes of 248 and above, because they would favour the first symbols of the alphabet. */
export function randomBase62(random: Random, length: number): string {
  let text = ''
  while (text.length < length) {
    for (const byte of random(length - text.length + 8)) {
      if (byte < 248 && text.length < length) text += BASE62[byte % 62]
    }
  }
  return text
}

/** A number in base 62, padded with zeros on the left. */
export function toBase62(value: number, length: number): string {
  let text = ''
  for (let rest = value; text.length < length; rest = Math.floor(rest / 62)) text = `${BASE62[rest % 62]}${text}`
  return text
}
