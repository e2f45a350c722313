// Checks an uploaded PNG and rewrites it from its own image chunks, without metadata.

import { crc32, inflateSync } from 'node:zlib'

export const PNG_SIDE_MAX = 1024
const SIDE_MIN = 16

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const KEPT: ReadonlySet<string> = new Set(['IHDR', 'PLTE', 'tRNS', 'IDAT', 'IEND'])
/** By colour type: its bit depths (PNG 3, table 11.1) and samples per pixel. */
const KINDS: Readonly<Record<number, { readonly depths: readonly number[]; readonly samples: number }>> = {
  0: { depths: [1, 2, 4, 8, 16], samples: 1 },
  2: { depths: [8, 16], samples: 3 },
  3: { depths: [1, 2, 4, 8], samples: 1 },
  4: { depths: [8, 16], samples: 2 },
  6: { depths: [8, 16], samples: 4 },
}

export const isPng = (bytes: Uint8Array) => SIGNATURE.equals(bytes.subarray(0, SIGNATURE.length))

interface Chunk {
  readonly type: string
  readonly data: Buffer
  /** Includes length, type and checksum. */
  readonly whole: Buffer
}

/** Returns the file with the image chunks only; null if the file is not a complete PNG. */
export function cleanPng(file: Uint8Array): Buffer | null {
  const bytes = Buffer.from(file)
  const chunks = isPng(bytes) ? chunksOf(bytes) : null
  const [head] = chunks ?? []
  if (chunks === null || head?.type !== 'IHDR') return null
  const pixelBytes = pixelBytesOf(head.data)
  if (pixelBytes === null || !isInOrder(chunks, head.data[9] === 3)) return null
  const data = Buffer.concat(chunks.filter(({ type }) => type === 'IDAT').map((chunk) => chunk.data))
  if (!inflatesTo(data, pixelBytes)) return null
  return Buffer.concat([SIGNATURE, ...chunks.filter(({ type }) => KEPT.has(type)).map(({ whole }) => whole)])
}

/** Returns the chunks up to and including IEND. null: a chunk is truncated, its checksum is wrong, or IEND is missing. */
function chunksOf(bytes: Buffer): Chunk[] | null {
  const chunks: Chunk[] = []
  for (let at = SIGNATURE.length; at + 12 <= bytes.length; ) {
    const end = at + 12 + bytes.readUInt32BE(at)
    if (end > bytes.length) return null
    const type = bytes.toString('latin1', at + 4, at + 8)
    if (crc32(bytes.subarray(at + 4, end - 4)) !== bytes.readUInt32BE(end - 4)) return null
    chunks.push({ type, data: bytes.subarray(at + 8, end - 4), whole: bytes.subarray(at, end) })
    if (type === 'IEND') return chunks
    at = end
  }
  return null
}

/**
 * Whether the header comes first and once, a needed palette comes before the pixels, and the pixel chunks are
 * consecutive. Unknown critical chunks are refused.
 */
function isInOrder(chunks: readonly Chunk[], needsPalette: boolean): boolean {
  const types = chunks.map(({ type }) => type)
  const first = types.indexOf('IDAT')
  const last = types.lastIndexOf('IDAT')
  const palettes = types.filter((type) => type === 'PLTE').length
  const isCritical = (type: string) => /^[A-Z]/.test(type)
  return (
    first > 0 &&
    types.slice(first, last + 1).every((type) => type === 'IDAT') &&
    types.lastIndexOf('IHDR') === 0 &&
    palettes <= 1 &&
    (palettes === 0 ? !needsPalette : types.indexOf('PLTE') < first) &&
    types.every((type) => KEPT.has(type) || !isCritical(type))
  )
}

/** The size of the unpacked pixels; null if the header names something unsupported, such as an interlaced image. */
function pixelBytesOf(head: Buffer): number | null {
  if (head.length !== 13) return null
  const [width, height] = [head.readUInt32BE(0), head.readUInt32BE(4)]
  const [depth = 0, colour = -1, compression, filter, interlace] = head.subarray(8)
  const kind = KINDS[colour]
  if (kind === undefined || !kind.depths.includes(depth) || compression !== 0 || filter !== 0 || interlace !== 0)
    return null
  if ([width, height].some((side) => side < SIDE_MIN || side > PNG_SIDE_MAX)) return null
  return height * (1 + Math.ceil((width * depth * kind.samples) / 8))
}

function inflatesTo(data: Buffer, length: number): boolean {
  try {
    return inflateSync(data, { maxOutputLength: length }).length === length
  } catch {
    // Not zlib data, truncated, or longer than declared.
    return false
  }
}
