// Renders till/public/icon.svg to icon-*.png, for platforms that cannot install an SVG icon.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32, deflateSync } from 'node:zlib'

const FOLDER = join(import.meta.dirname, '..', 'till', 'public')
const SIZES = [180, 192, 512]

/** Lengths of the SVG, whose side is 512. */
const SIDE = 512
const GROUND = [0x1f, 0x4f, 0xd8] as const
const TICK = [
  [136, 262],
  [220, 350],
  [380, 162],
] as const
const STROKE = 52

function pngOf(size: number): Buffer {
  const rows: Buffer[] = []
  for (let y = 0; y < size; y += 1) {
    const row = Buffer.alloc(1 + size * 3)
    for (let x = 0; x < size; x += 1) {
      const white = coverage(((x + 0.5) * SIDE) / size, ((y + 0.5) * SIDE) / size, SIDE / size)
      for (const [at, ground] of GROUND.entries()) row[1 + x * 3 + at] = Math.round(ground + (255 - ground) * white)
    }
    rows.push(row)
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(size, 0)
  header.writeUInt32BE(size, 4)
  // Three channels of eight bits.
  header.set([8, 2, 0, 0, 0], 8)
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  const data = deflateSync(Buffer.concat(rows), { level: 9 })
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', data), chunk('IEND', Buffer.alloc(0))])
}

/** The share of a pixel that the tick covers, computed from the distance between pixel and line. */
function coverage(x: number, y: number, pixel: number): number {
  const [a, b, c] = TICK
  const distance = Math.min(distanceFrom([x, y], a, b), distanceFrom([x, y], b, c))
  return Math.min(1, Math.max(0, (STROKE / 2 - distance) / pixel + 0.5))
}

type Point = readonly [number, number]

function distanceFrom([x, y]: Point, [x1, y1]: Point, [x2, y2]: Point): number {
  const [dx, dy] = [x2 - x1, y2 - y1]
  const along = Math.min(1, Math.max(0, ((x - x1) * dx + (y - y1) * dy) / (dx * dx + dy * dy)))
  return Math.hypot(x - x1 - along * dx, y - y1 - along * dy)
}

function chunk(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data])
  const framed = Buffer.alloc(body.length + 8)
  framed.writeUInt32BE(data.length, 0)
  body.copy(framed, 4)
  framed.writeUInt32BE(crc32(body), body.length + 4)
  return framed
}

for (const size of SIZES) writeFileSync(join(FOLDER, `icon-${size}.png`), pngOf(size))
