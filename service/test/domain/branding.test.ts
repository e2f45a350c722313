// Tests which names, links, colours and pictures a merchant's brand may have.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import test from 'node:test'
import { crc32, deflateSync } from 'node:zlib'
import fc from 'fast-check'
import { LOGO_BYTES_MAX } from '../../../wire/values/branding.ts'
import { type BrandingDraft, NO_BRANDING, readDraft } from '../../src/features/pages/domain/branding/branding.ts'
import {
  BUTTON_CONTRAST_MIN,
  brandColours,
  CARDS,
  CONTRAST_MIN,
  contrast,
  correctionsOf,
  DARK_GROUND,
  LIGHT_GROUND,
  pageColours,
} from '../../src/features/pages/domain/branding/colour.ts'
import { lookNameOf, readLook } from '../../src/features/pages/domain/branding/look.ts'
import { cleanPng } from '../../src/features/pages/domain/branding/png.ts'
import { cleanSvg } from '../../src/features/pages/domain/branding/svg.ts'
import { LOGO } from '../harness/pages/brands.ts'

const NOTHING: BrandingDraft = { ...NO_BRANDING, logo: null, logoDark: null }
const problemOf = (draft: Partial<BrandingDraft>) => {
  const read = readDraft({ ...NOTHING, ...draft })
  return read.outcome === 'refused' ? read.problem : null
}

test('names are visible, links are https, colours have six digits', () => {
  assert.equal(problemOf({}), null)
  for (const name of ['Grünhof', 'Åsa & Co. <shop>', '株式会社', '7']) assert.equal(problemOf({ name }), null, name)
  for (const name of ['', ' ', '…', 'a\u202Eb', 'a\u0000b', 'a\nb', 'x'.repeat(65), 'a\u200Bb'])
    assert.equal(problemOf({ name }), 'name', JSON.stringify(name))
  for (const colour of ['#1f4fd8', '#000000']) assert.equal(problemOf({ colour }), null)
  for (const colour of ['1f4fd8', '#fff', '#GGGGGG', '#1F4FD8', 'red', '#1f4fd8;'])
    assert.equal(problemOf({ colour }), 'colour')
  for (const url of ['http://shop.example', 'javascript:alert(1)', 'https://a:b@shop.example', '/help', 'https://a b'])
    assert.deepEqual(
      [problemOf({ supportUrl: url }), problemOf({ privacyUrl: url })],
      ['support_url', 'privacy_url'],
      url,
    )
  assert.equal(problemOf({ supportUrl: 'https://shop.example/help?x=1#y' }), null)
})

test('corners and fonts come from lists, a text is not empty, and both logos are checked', () => {
  for (const radius of ['none', 'large'] as const) assert.equal(problemOf({ radius }), null)
  const unlisted = (value: string) => value as never
  for (const value of ['', '12px', 'huge', 'none;}']) {
    assert.equal(problemOf({ radius: unlisted(value) }), 'radius', value)
    assert.equal(problemOf({ font: unlisted(value) }), 'font', value)
  }
  for (const background of ['#fff', 'red', '#f4efe6;']) assert.equal(problemOf({ background }), 'background')
  assert.equal(problemOf({ helpText: 'Call us: 030 123456.' }), null)
  for (const helpText of ['', '…', 'a\nb', 'x'.repeat(201)])
    assert.equal(problemOf({ helpText }), 'help_text', helpText)
  assert.equal(problemOf({ logoDark: Buffer.from(LOGO.replace('</svg>', '<script/></svg>')) }), 'logo_forbidden')
})

test('a look can be written as an address and read back; other addresses are refused', () => {
  const look = { ...NO_BRANDING, colour: '#0b6b4f', radius: 'small', font: 'inter' } as const
  const name = lookNameOf(look)
  assert.equal(name, '0b6b4f-x-small-inter')
  assert.deepEqual(readLook(name), { colour: '#0b6b4f', background: null, radius: 'small', font: 'inter' })
  assert.equal(lookNameOf(NO_BRANDING), null)
  for (const other of [
    '',
    'x-x-large',
    'x-x-large-comic',
    '0b6b4f-x-9px-inter',
    'x-x-large-system;',
    'X-x-large-system',
  ])
    assert.equal(readLook(other), null, other)
})

test('all pages of the project share one palette', async () => {
  const styles = [
    'dashboard/src/app.css',
    'service/src/features/pages/http/assets/page.css',
    'service/src/features/docs/http/assets/docs.css',
    'till/src/till.css',
  ]
  for (const path of styles) {
    const text = await readFile(new URL(`../../../${path}`, import.meta.url), 'utf8')
    const [accents, softs] = ['accent', 'soft'].map((name) =>
      [...text.matchAll(new RegExp(`--(?:c-)?${name}: ([^;]+);`, 'g'))].flatMap(([, value = '']) =>
        value.match(/#\w{6}/g),
      ),
    )
    assert.deepEqual(accents, ['#1f5f5b', '#7fd0c7'], path)
    assert.deepEqual(softs, ['#55625e', '#a9b6b1'], path)
  }
})

test('text in or on any colour is readable', () => {
  const colour = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, '0')}`)
  fc.assert(
    fc.property(colour, (chosen) => {
      const { light, dark } = brandColours(chosen)
      const page = pageColours(chosen)
      for (const [text, on] of [
        [light.onButton, chosen],
        [dark.onButton, chosen],
        [light.onAccent, light.accent],
        [dark.onAccent, dark.accent],
        [light.accent, LIGHT_GROUND],
        [light.accent, CARDS.light],
        [dark.accent, DARK_GROUND],
        [dark.accent, CARDS.dark],
        [page.light.onGround, page.light.ground],
        [page.dark.onGround, page.dark.ground],
      ] as const)
        assert.ok(contrast(text, on) >= CONTRAST_MIN, `${chosen}: ${text} on ${on}`)
      for (const [edge, card] of [
        [light.edge, CARDS.light],
        [dark.edge, CARDS.dark],
      ] as const)
        assert.ok(contrast(edge, card) >= BUTTON_CONTRAST_MIN, `${chosen}: ${edge} on ${card}`)
      const shown = [light.edge, light.accent, dark.edge, dark.accent]
      assert.equal(correctionsOf(chosen).length, shown.filter((one) => one !== chosen).length, chosen)
    }),
    { numRuns: 2_000 },
  )
  assert.equal(brandColours('#0b6b4f').light.accent, '#0b6b4f', 'readable colours are not changed')
})

const svg = (inner: string, root = 'viewBox="0 0 8 8"') =>
  cleanSvg(Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" ${root}>${inner}</svg>`))

test('rewrites a drawing without the metadata of its editor', () => {
  const cleaned = cleanSvg(
    Buffer.from(`<?xml version="1.0" encoding="UTF-8"?>
<!-- made by -->
<svg xmlns="http://www.w3.org/2000/svg" xmlns:inkscape="http://x" viewBox="0 0 8 8" class="a" inkscape:version="1">
<metadata><rdf xmlns="u"/></metadata>
<defs><linearGradient id="g"><stop offset="0" stop-color="#fff"/></linearGradient></defs>
<path d="M0 0h8" style="fill:#0b6b4f;stroke-width:2" fill='url(#g)'/></svg>`),
  )
  assert.equal(cleaned.outcome, 'clean')
  assert.equal(
    cleaned.outcome === 'clean' ? cleaned.bytes.toString() : '',
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><defs><linearGradient id="g"><stop offset="0" stop-color="#fff"/></linearGradient></defs><path d="M0 0h8" style="fill:#0b6b4f;stroke-width:2" fill="url(#g)"/></svg>',
  )
  assert.equal(cleanSvg(Buffer.from(LOGO)).outcome, 'clean')
  const exported = `\uFEFF<?xml version="1.0" encoding="iso-8859-1"?>\r\n<!-- Generator: x -->${LOGO}<!-- end -->`
  assert.deepEqual(cleanSvg(Buffer.from(exported)), cleanSvg(Buffer.from(LOGO)))
})

test('a drawing contains no script, no reference to other files, and no repetition', () => {
  const forbidden = [
    '<script>alert(1)</script>',
    '<script/>',
    '<foreignObject/>',
    '<image href="https://evil.example/x.png"/>',
    '<use href="#a"/>',
    '<a href="javascript:alert(1)"><path d="M0 0"/></a>',
    '<style>*{fill:url(https://evil.example)}</style>',
    '<animate attributeName="href"/>',
    '<set attributeName="onload"/>',
    '<filter id="f"/>',
    '<path d="M0 0" onclick="alert(1)"/>',
    '<path d="M0 0" xmlns:xlink="http://www.w3.org/1999/xlink" xlink:href="#a"/>',
    '<g xmlns="http://www.w3.org/1999/xhtml"/>',
    '<g xmlns:s="http://www.w3.org/2000/svg"><s:script/></g>',
    '<scr<!-- x -->ipt/>',
    '<path d="M0 0" href="#a"/>',
    '<path d="M0 0" style="fill:url(https://evil.example)"/>',
    '<path d="M0 0" style="fill:url(#g)"/>',
    '<path d="M0 0" style="fill:u\\72l(https://evil.example)"/>',
    '<path d="M0 0" style="background:image-set(x)"/>',
    '<path d="M0 0" fill="url(https://evil.example#g)"/>',
    '<path d="M0 0" fill="url(&#x68;ttps://evil.example)"/>',
    '<path d="M0 0" d2="x"/>',
    '<g><g><svg><script/></svg></g></g>',
  ]
  for (const inner of forbidden) {
    const cleaned = svg(inner)
    assert.equal(cleaned.outcome === 'refused' ? cleaned.problem : 'clean', 'forbidden', inner)
  }
  assert.equal(svg('', 'viewBox="0 0 8 8" onload="alert(1)"').outcome, 'refused')
})

test('invalid, incomplete and endless drawings are refused', () => {
  const broken = [
    '<!DOCTYPE svg [<!ENTITY a "b">]><svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1">&a;</svg>',
    '<svg viewBox="0 0 1 1"/>',
    '<svg xmlns="http://www.w3.org/2000/svg"/>',
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1">',
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"></g></svg>',
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"/><svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"/>',
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1" id="a" id="b"/>',
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><![CDATA[x]]></svg>',
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><?x y?></svg>',
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><path xlink:href="#a"/></svg>',
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><!-- a -- b --></svg>',
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><!-<!-- a -->- b --></svg>',
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><title>&#0;</title></svg>',
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><title>&nbsp;</title></svg>',
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1">${'<g>'.repeat(40)}${'</g>'.repeat(40)}</svg>`,
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1">${'<g/>'.repeat(2_100)}</svg>`,
    '<html xmlns="http://www.w3.org/1999/xhtml"><body/></html>',
    'GIF89a',
    '',
  ]
  for (const text of broken)
    assert.equal(problemOf({ logo: Buffer.from(text) }), 'logo_not_a_picture', text.slice(0, 80))
  assert.equal(problemOf({ logo: Buffer.from([0xff, 0xfe, 0x3c]) }), 'logo_not_a_picture')
  assert.equal(problemOf({ logo: Buffer.alloc(LOGO_BYTES_MAX + 1, 0x20) }), 'logo_too_large')
})

test('a drawing is not longer than an upload, also where its text is escaped', () => {
  const drawing = (inner: string) =>
    Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1">${inner}</svg>`)
  assert.equal(problemOf({ logo: drawing(`<title>${'"'.repeat(10_000)}</title>`) }), null)
  assert.equal(problemOf({ logo: drawing(`<title>${'"'.repeat(11_000)}</title>`) }), 'logo_too_large')
})

test('any accepted drawing is accepted again unchanged, and has no active content', () => {
  const pieces = [
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1">',
    '</svg>',
    '<g>',
    '</g>',
    '<path d="M0 0"/>',
  ]
  const odd = [
    '<script>',
    '<!--',
    '-->',
    '&lt;',
    '&#60;',
    ' onload="x"',
    '<title>',
    '</title>',
    '"',
    "'",
    '<',
    '>',
    'x',
  ]
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...pieces, ...odd), { maxLength: 12 }), (parts) => {
      const cleaned = cleanSvg(Buffer.from(`${pieces[0]}${parts.join('')}</svg>`))
      if (cleaned.outcome !== 'clean') return
      assert.deepEqual(cleanSvg(cleaned.bytes), cleaned)
      assert.doesNotMatch(cleaned.bytes.toString(), /<script|onload="/)
    }),
    { numRuns: 3_000 },
  )
})

// --- PNG

function chunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}

interface Picture {
  readonly width?: number
  readonly height?: number
  readonly head?: readonly number[]
  readonly pixels?: Uint8Array
  readonly before?: readonly Buffer[]
  readonly after?: readonly Buffer[]
}

function png({
  width = 16,
  height = 16,
  head = [8, 6, 0, 0, 0],
  pixels,
  before = [],
  after = [],
}: Picture = {}): Buffer {
  const ihdr = Buffer.alloc(13)
  ihdr.writeUInt32BE(width, 0)
  ihdr.writeUInt32BE(height, 4)
  ihdr.set(head, 8)
  const data = pixels ?? deflateSync(Buffer.alloc(height * (1 + width * 4)))
  const signature = Buffer.from('89504e470d0a1a0a', 'hex')
  return Buffer.concat([
    signature,
    chunk('IHDR', ihdr),
    ...before,
    chunk('IDAT', data),
    ...after,
    chunk('IEND', Buffer.alloc(0)),
  ])
}

test('only the picture of a PNG is kept', () => {
  const noise = [chunk('tEXt', Buffer.from('Author\0Erika')), chunk('eXIf', Buffer.from('place'))]
  const cleaned = cleanPng(Buffer.concat([png({ before: noise, after: noise }), Buffer.from('<script>')]))
  assert.deepEqual(cleaned, png())
})

test('an incomplete, unsupported or misdeclared PNG is refused', () => {
  const good = png()
  assert.ok(cleanPng(good) !== null)
  const palette = chunk('PLTE', Buffer.from([0, 0, 0]))
  const indexed = { head: [8, 3, 0, 0, 0], pixels: deflateSync(Buffer.alloc(16 * 17)) }
  assert.ok(cleanPng(png({ ...indexed, before: [palette] })) !== null)
  const bad: Record<string, Buffer> = {
    'a bit turned': Buffer.from(good.map((byte, at) => (at === 45 ? byte ^ 1 : byte))),
    'cut short': good.subarray(0, -14),
    'no end': good.subarray(0, -12),
    'too small': png({ width: 8, height: 8 }),
    'too wide': png({ width: 1025 }),
    'a bomb': png({ pixels: deflateSync(Buffer.alloc(10_000_000)) }),
    'too few pixels': png({ pixels: deflateSync(Buffer.alloc(4)) }),
    'no zlib': png({ pixels: Buffer.from('nothing') }),
    interlaced: png({ head: [8, 6, 0, 0, 1] }),
    'an unknown kind': png({ head: [8, 5, 0, 0, 0] }),
    'an unknown depth': png({ head: [3, 6, 0, 0, 0] }),
    'no palette': png(indexed),
    'two palettes': png({ ...indexed, before: [palette, palette] }),
    'a critical chunk of its own': png({ before: [chunk('EVIL', Buffer.alloc(0))] }),
    'two heads': png({ before: [chunk('IHDR', Buffer.alloc(13))] }),
    'pixels in two places': png({ after: [chunk('tEXt', Buffer.alloc(1)), chunk('IDAT', Buffer.alloc(1))] }),
  }
  for (const [what, bytes] of Object.entries(bad)) assert.equal(cleanPng(bytes), null, what)
  assert.equal(problemOf({ logo: bad.interlaced ?? null }), 'logo_not_a_picture')
})
