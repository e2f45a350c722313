// Turns a portrait of the result into a data: URL, if it is a PNG or JPEG of a plausible size.

export type Portrait =
  | { readonly kind: 'picture'; readonly address: string; readonly width: number; readonly height: number }
  | { readonly kind: 'hidden'; readonly why: 'jpeg_2000' | 'too_large' | 'unknown'; readonly bytes: number }

const BYTES_MAX = 1024 * 1024
const PIXELS_MAX = 4096

const JPEG = [0xff, 0xd8, 0xff]
const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
const JPEG_2000 = [
  [0x00, 0x00, 0x00, 0x0c, 0x6a, 0x50, 0x20, 0x20],
  [0xff, 0x4f, 0xff, 0x51],
]

/** Accepts base64 or base64url. A media type in front of it is ignored. */
export function portraitOf(text: string): Portrait {
  const base64 = text
    .replace(/^data:[^,]*,/, '')
    .replaceAll('-', '+')
    .replaceAll('_', '/')
    .replace(/=+$/, '')
  const size = Math.floor((base64.length * 3) / 4)
  const hidden = (why: 'jpeg_2000' | 'too_large' | 'unknown') => ({ kind: 'hidden', why, bytes: size }) as const
  if (size > BYTES_MAX) return hidden('too_large')
  const bytes = bytesOf(base64)
  if (bytes === null) return hidden('unknown')
  if (JPEG_2000.some((start) => begins(bytes, start))) return hidden('jpeg_2000')
  const type = begins(bytes, JPEG) ? 'image/jpeg' : begins(bytes, PNG) ? 'image/png' : null
  const dimensions = type === null ? null : type === 'image/png' ? pngSize(bytes) : jpegSize(bytes)
  if (dimensions === null) return hidden('unknown')
  const { width, height } = dimensions
  if (width === 0 || height === 0) return hidden('unknown')
  if (width > PIXELS_MAX || height > PIXELS_MAX) return hidden('too_large')
  return { kind: 'picture', address: `data:${type};base64,${base64}`, width, height }
}

function bytesOf(base64: string): Uint8Array | null {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  } catch {
    return null
  }
}

const begins = (bytes: Uint8Array, start: readonly number[]) => start.every((byte, at) => bytes[at] === byte)
const numberAt = (bytes: Uint8Array, at: number) => (bytes[at] ?? 0) * 256 + (bytes[at + 1] ?? 0)

/** IHDR is the first chunk. */
function pngSize(bytes: Uint8Array): { width: number; height: number } | null {
  if (!begins(bytes.subarray(12), [0x49, 0x48, 0x44, 0x52])) return null
  const wide = (at: number) => numberAt(bytes, at) * 65_536 + numberAt(bytes, at + 2)
  return { width: wide(16), height: wide(20) }
}

/** The size is in the frame header. Segments before it are skipped by their length. */
function jpegSize(bytes: Uint8Array): { width: number; height: number } | null {
  let at = 2
  while (at + 9 < bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1] ?? 0
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
    if (isFrame) return { height: numberAt(bytes, at + 5), width: numberAt(bytes, at + 7) }
    const length = numberAt(bytes, at + 2)
    if (length < 2) return null
    at += 2 + length
  }
  return null
}
