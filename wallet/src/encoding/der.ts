// Encodes ASN.1 DER for certificates and CRLs with asn1js, also invalid ones.

import * as asn1 from 'asn1js'

export type Der = Uint8Array

/** A value that asn1js can write. */
interface Writable {
  toBER(): ArrayBuffer
}

const derOf = (value: Writable): Der => new Uint8Array(value.toBER())
const arrayOf = (bytes: Uint8Array): ArrayBuffer => new Uint8Array(bytes).buffer

/** A constructed value around encoded members: asn1js writes its tag and length, and does not parse them again. */
function constructed(idBlock: { readonly tagClass: number; readonly tagNumber: number }, members: readonly Der[]): Der {
  const value = new asn1.Primitive({ idBlock, valueHex: arrayOf(Buffer.concat(members)) })
  value.idBlock.isConstructed = true
  return derOf(value)
}

const UNIVERSAL = 1
const CONTEXT = 3

export const sequence = (...members: readonly Der[]): Der =>
  constructed({ tagClass: UNIVERSAL, tagNumber: 16 }, members)
export const set = (...members: readonly Der[]): Der => constructed({ tagClass: UNIVERSAL, tagNumber: 17 }, members)
/** Context-specific tag [number], constructed unless it replaces a primitive. */
export const explicit = (number: number, ...members: readonly Der[]): Der =>
  constructed({ tagClass: CONTEXT, tagNumber: number }, members)
export const implicit = (number: number, content: Uint8Array): Der =>
  derOf(new asn1.Primitive({ idBlock: { tagClass: CONTEXT, tagNumber: number }, valueHex: arrayOf(content) }))

export const octetString = (bytes: Uint8Array): Der => derOf(new asn1.OctetString({ valueHex: arrayOf(bytes) }))
export const bitString = (bytes: Uint8Array, unusedBits = 0): Der =>
  derOf(new asn1.BitString({ valueHex: arrayOf(bytes), unusedBits }))
export const boolean = (value: boolean): Der => derOf(new asn1.Boolean({ value }))
export const utf8String = (value: string): Der => derOf(new asn1.Utf8String({ value }))
export const printableString = (value: string): Der => derOf(new asn1.PrintableString({ value }))
export const ia5String = (value: string): Der => derOf(new asn1.IA5String({ value }))
export const oid = (value: string): Der => derOf(new asn1.ObjectIdentifier({ value }))

/** A non-negative integer, given as a number or as big-endian bytes. */
export function integer(value: number | Uint8Array): Der {
  const digits = typeof value === 'number' ? value.toString(16) : Buffer.from(value).toString('hex')
  return derOf(asn1.Integer.fromBigInt(`0x${digits === '' ? '0' : digits}`))
}

/** RFC 5280 4.1.2.5: UTCTime through 2049, GeneralizedTime from 2050 on. */
export function time(unixSeconds: number): Der {
  const valueDate = new Date(Math.floor(unixSeconds) * 1000)
  const isShort = valueDate.getUTCFullYear() < 2050
  return derOf(isShort ? new asn1.UTCTime({ valueDate }) : new asn1.GeneralizedTime({ valueDate }))
}
