// Writes r‖s as DER; our code only reads it.

export function derOfRaw(raw: Uint8Array): Buffer {
  const integer = (bytes: Uint8Array) => {
    const short = bytes.subarray(bytes.findIndex((byte) => byte !== 0))
    const body = (short[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.alloc(1), short]) : Buffer.from(short)
    return Buffer.concat([Buffer.from([0x02, body.length]), body])
  }
  const body = Buffer.concat([integer(raw.subarray(0, 32)), integer(raw.subarray(32))])
  return Buffer.concat([Buffer.from([0x30, body.length]), body])
}
