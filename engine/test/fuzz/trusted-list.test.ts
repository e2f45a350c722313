// Mutates a signed trusted list in XML: a mutant is refused, or read with exactly the signed content.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { mintAuthority, NOW } from '../trust/mint-pki.ts'
import { canonicalList, certificateIdentity } from '../trust/mint-trusted-list.ts'
import { readTrustedList } from '../trust/read-list.ts'
import { first, mint, terms } from '../trust/trusted-list-world.ts'
import { pick, type Step, spoilBytes, spoilText, steps } from './step.ts'
import { fuzz } from './subjects.ts'

const good = mint().toString()
const original = await readTrustedList(Buffer.from(good), terms())
const planted = mintAuthority({ subject: { CN: 'Planted' } })
const plantedList = canonicalList({ now: NOW, services: [{ identity: certificateIdentity(planted.der) }] })
const plantedService = /<TSPService>.*<\/TSPService>/s.exec(plantedList)?.[0] ?? ''

test('the original list is accepted', () => {
  assert.ok(original.outcome === 'read')
  assert.deepEqual(original.list.entries[0]?.certificate, Buffer.from(first.der))
})

/** What attackers of XML signatures insert. */
const FRAGMENTS = [
  plantedService,
  certificateIdentity(planted.der),
  plantedList,
  '<!-- -->',
  '<![CDATA[x]]>',
  '<?x y?>',
  '<!DOCTYPE x [<!ENTITY e "x">]>',
  '&e;',
  '&#13;',
  ' ',
  '\n',
  ' Id="list"',
  ' xmlns="urn:example:other"',
  ' xmlns:ds="urn:example:other"',
  ' xml:id="list"',
  '<ds:Signature xmlns:ds="http://www.w3.org/2000/09/xmldsig#"/>',
]

/** Returns where elements begin and end. Nearly every element occurs once. */
function placesIn(text: string): readonly { start: number; end: number }[] {
  return [...text.matchAll(/<([\w:]+)[^<>]*>/g)].flatMap(({ index, 0: tag, 1: name }) => {
    const close = `</${name}>`
    const end = tag.endsWith('/>') ? index + tag.length : text.indexOf(close, index) + close.length
    return end > index ? [{ start: index, end }] : []
  })
}

function spoilElements(text: string, step: Step): string {
  const places = placesIn(text)
  if (places.length === 0) return text
  const { start, end } = pick(places, step.at)
  const other = pick(places, step.amount)
  const element = text.slice(start, end)
  const fragment = pick(FRAGMENTS, step.amount)
  const inTag = text.indexOf('>', start)
  const moves: readonly (() => string)[] = [
    () => text.slice(0, start) + text.slice(end),
    () => text.slice(0, end) + element + text.slice(end),
    () => text.slice(0, other.start) + element + text.slice(other.start),
    () => text.slice(0, start) + text.slice(other.start, other.end) + text.slice(end),
    () => text.slice(0, start) + fragment + text.slice(start),
    () => text.slice(0, inTag) + fragment + text.slice(inTag),
    () => text.slice(0, inTag + 1) + fragment + text.slice(inTag + 1),
    () => `${text.slice(0, start)}<Wrapped>${element}</Wrapped>${text.slice(end)}`,
    () => plantedList.replace('</TrustServiceStatusList>', `${element}$&`),
  ]
  return pick(moves, step.move)()
}

async function requireAsSigned(mutant: Uint8Array): Promise<void> {
  const read = await readTrustedList(mutant, terms())
  if (read.outcome === 'read') assert.deepEqual(read, original)
}

fuzz(
  'trusted list with spoiled bytes: only signed content is read',
  0.07,
  fc.asyncProperty(steps, async (spoils) => requireAsSigned(spoils.reduce(spoilBytes, Buffer.from(good)))),
)

fuzz(
  'trusted list with spoiled text: only signed content is read',
  0.07,
  fc.asyncProperty(steps, async (spoils) => requireAsSigned(Buffer.from(spoils.reduce(spoilText, good)))),
)

fuzz(
  'trusted list with moved elements: only signed content is read',
  0.07,
  fc.asyncProperty(steps, async (spoils) => requireAsSigned(Buffer.from(spoils.reduce(spoilElements, good)))),
)
