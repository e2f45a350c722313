// Reads our own TrueType fonts (simple glyphs, cmap format 4) and subsets them for a PDF.

export interface Font {
  readonly name: string
  readonly ascent: number
  readonly descent: number
  readonly capHeight: number
  readonly box: readonly number[]
  /** Returns the glyph of the question mark for a character that the font does not have. */
  glyphOf(codePoint: number): number
  /** In thousandths of the font size. */
  widthOf(glyph: number): number
  /** Glyphs keep their numbers; unused glyphs are empty. */
  subset(used: ReadonlySet<number>): Buffer
}

const KEPT = ['glyf', 'head', 'hhea', 'hmtx', 'loca', 'maxp'] as const

export function readFont(name: string, file: Buffer): Font {
  const tables = readTables(file)
  const table = (tag: string): Buffer => {
    const found = tables.get(tag)
    if (found === undefined) throw new Error(`bug: the font has no table ${tag}`)
    return found
  }
  const [head, hhea, hmtx, os2] = [table('head'), table('hhea'), table('hmtx'), table('OS/2')]
  const scale = 1000 / head.readUInt16BE(18)
  const scaled = (value: number) => Math.round(value * scale)
  const metrics = hhea.readUInt16BE(34)
  const starts = readStarts(table('loca'), head.readInt16BE(50) === 1)
  const glyphs = readGlyphs(table('cmap'))
  const unknown = glyphs.get('?'.codePointAt(0) ?? 0) ?? 0
  return {
    name,
    ascent: scaled(hhea.readInt16BE(4)),
    descent: scaled(hhea.readInt16BE(6)),
    capHeight: scaled(os2.readInt16BE(88)),
    box: [36, 38, 40, 42].map((at) => scaled(head.readInt16BE(at))),
    glyphOf: (codePoint) => glyphs.get(codePoint) ?? unknown,
    widthOf: (glyph) => scaled(hmtx.readUInt16BE(Math.min(glyph, metrics - 1) * 4)),
    subset: (used) => writeFont(table, starts, used),
  }
}

function readTables(file: Buffer): ReadonlyMap<string, Buffer> {
  const count = file.readUInt16BE(4)
  return new Map(
    Array.from({ length: count }, (_, i): [string, Buffer] => {
      const at = 12 + i * 16
      const offset = file.readUInt32BE(at + 8)
      return [file.toString('latin1', at, at + 4), file.subarray(offset, offset + file.readUInt32BE(at + 12))]
    }),
  )
}

function readStarts(loca: Buffer, isLong: boolean): readonly number[] {
  return Array.from({ length: loca.length / (isLong ? 4 : 2) }, (_, i) =>
    isLong ? loca.readUInt32BE(i * 4) : loca.readUInt16BE(i * 2) * 2,
  )
}

function readGlyphs(cmap: Buffer): ReadonlyMap<number, number> {
  const offsets = Array.from({ length: cmap.readUInt16BE(2) }, (_, i) => cmap.readUInt32BE(4 + i * 8 + 4))
  const offset = offsets.find((one) => cmap.readUInt16BE(one) === 4)
  if (offset === undefined) throw new Error('bug: the font has no cmap of format 4')
  const sub = cmap.subarray(offset)
  const segments = sub.readUInt16BE(6) / 2
  const glyphs = new Map<number, number>()
  for (let segment = 0; segment < segments; segment += 1) {
    const part = (nth: number) => 14 + nth * segments * 2 + (nth === 0 ? 0 : 2) + segment * 2
    const [end, start, delta, rangeAt] = [
      sub.readUInt16BE(part(0)),
      sub.readUInt16BE(part(1)),
      sub.readUInt16BE(part(2)),
      part(3),
    ]
    const range = sub.readUInt16BE(rangeAt)
    for (let code = start; code <= end && code !== 0xffff; code += 1) {
      const found = range === 0 ? code : sub.readUInt16BE(rangeAt + range + (code - start) * 2)
      if (found !== 0) glyphs.set(code, (found + delta) & 0xffff)
    }
  }
  return glyphs
}

function writeFont(table: (tag: string) => Buffer, starts: readonly number[], used: ReadonlySet<number>): Buffer {
  const glyf = table('glyf')
  const parts: Buffer[] = []
  const loca = Buffer.alloc(starts.length * 4)
  let length = 0
  for (let glyph = 0; glyph + 1 < starts.length; glyph += 1) {
    loca.writeUInt32BE(length, glyph * 4)
    if (glyph !== 0 && !used.has(glyph)) continue
    const outline = padded(glyf.subarray(starts[glyph], starts[glyph + 1]))
    parts.push(outline)
    length += outline.length
  }
  loca.writeUInt32BE(length, (starts.length - 1) * 4)
  const head = Buffer.from(table('head'))
  head.writeUInt32BE(0, 8)
  head.writeInt16BE(1, 50)
  const changed: Readonly<Record<string, Buffer>> = { glyf: Buffer.concat(parts), loca, head }
  const bodies = KEPT.map((tag) => changed[tag] ?? table(tag))
  const directory = Buffer.alloc(12 + KEPT.length * 16)
  directory.writeUInt32BE(0x00010000, 0)
  directory.writeUInt16BE(KEPT.length, 4)
  // Search hints (searchRange, entrySelector, rangeShift) for six tables.
  directory.writeUInt16BE(64, 6)
  directory.writeUInt16BE(2, 8)
  directory.writeUInt16BE(32, 10)
  let offset = directory.length
  for (const [i, tag] of KEPT.entries()) {
    const body = bodies[i] ?? Buffer.alloc(0)
    const at = 12 + i * 16
    directory.write(tag, at, 'latin1')
    directory.writeUInt32BE(checksum(body), at + 4)
    directory.writeUInt32BE(offset, at + 8)
    directory.writeUInt32BE(body.length, at + 12)
    offset += padded(body).length
  }
  return Buffer.concat([directory, ...bodies.map(padded)])
}

const padded = (bytes: Buffer) => Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)])

function checksum(bytes: Buffer): number {
  const whole = padded(bytes)
  let sum = 0
  for (let at = 0; at < whole.length; at += 4) sum = (sum + whole.readUInt32BE(at)) >>> 0
  return sum
}
