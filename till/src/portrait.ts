// A portrait claim as the address of an <img>. It stays in memory and is released with the screen.

const JPEG = [0xff, 0xd8, 0xff]
const PNG = [0x89, 0x50, 0x4e, 0x47]

/** Returns null for formats that browsers do not show (an mdoc may contain JPEG 2000). */
export function imageAddress(portrait: string | null): string | null {
  if (portrait === null) return null
  const bytes = bytesOf(portrait)
  if (bytes === null) return null
  const type = begins(bytes, JPEG) ? 'image/jpeg' : begins(bytes, PNG) ? 'image/png' : null
  return type === null ? null : URL.createObjectURL(new Blob([bytes], { type }))
}

/** base64 or base64url, with or without the prefix of a data: URL. */
function bytesOf(text: string): Uint8Array<ArrayBuffer> | null {
  const plain = text
    .replace(/^data:[^,]*,/, '')
    .replaceAll('-', '+')
    .replaceAll('_', '/')
  try {
    return Uint8Array.from(atob(plain), (character) => character.charCodeAt(0))
  } catch {
    return null
  }
}

const begins = (bytes: Uint8Array, start: readonly number[]) => start.every((byte, at) => bytes[at] === byte)
