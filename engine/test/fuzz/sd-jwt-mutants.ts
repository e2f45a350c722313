// Mutates an SD-JWT presentation as JSON, with old signatures or signed again to reach later checks.

import type { PrivateJwk } from '../../../wallet/src/keys.ts'
import { digestOf, signJwsText } from '../../../wallet/src/sdjwt.ts'
import { type Node, parseTree, spoilTree, writeTree } from './json-tree.ts'
import { pick, type Step, spoilText } from './step.ts'

export interface Parts {
  readonly issuer: Jws
  readonly disclosures: readonly string[]
  readonly binding: Jws
}

interface Jws {
  readonly header: Node
  readonly payload: Node
  readonly signature: string
}

export function takeApart(presented: string): Parts {
  const [issuerJwt = '', ...rest] = presented.split('~')
  const binding = rest.pop() ?? ''
  return { issuer: jwsOf(issuerJwt), disclosures: rest, binding: jwsOf(binding) }
}

function jwsOf(text: string): Jws {
  const [header = '', payload = '', signature = ''] = text.split('.')
  return { header: treeOf(header), payload: treeOf(payload), signature }
}

function treeOf(encoded: string): Node {
  return parseTree(JSON.parse(Buffer.from(encoded, 'base64url').toString()))
}

const encoded = (node: Node): string => Buffer.from(writeTree(node)).toString('base64url')

/** Changes one part and leaves every signature unchanged. */
export function unsignedMutant(parts: Parts, steps: readonly Step[], where: number): string {
  const { issuer, binding, disclosures } = spoilPart(parts, steps, where)
  const written = [issuer, binding].map((jws) => `${encoded(jws.header)}.${encoded(jws.payload)}.${jws.signature}`)
  return [written[0], ...disclosures, written[1]].join('~')
}

export interface Keys {
  readonly issuer: PrivateJwk
  readonly holder: PrivateJwk
}

/** Changes one part; then the issuer and the holder sign again. */
export function signedMutant(parts: Parts, steps: readonly Step[], options: Keys & { readonly where: number }): string {
  const { issuer, binding, disclosures } = spoilPart(parts, steps, options.where)
  const issuerJwt = signJwsText(writeTree(issuer.header), writeTree(issuer.payload), options.issuer)
  const covered = `${[issuerJwt, ...disclosures].join('~')}~`
  const claims = withHash(binding.payload, digestOf(covered))
  return covered + signJwsText(writeTree(binding.header), writeTree(claims), options.holder)
}

function withHash(payload: Node, hash: string): Node {
  if (payload.kind !== 'object') return payload
  const members = payload.members.map(([name, member]): [string, Node] => [
    name,
    name === 'sd_hash' ? { kind: 'text', text: JSON.stringify(hash) } : member,
  ])
  return { kind: 'object', members }
}

function spoilPart(parts: Parts, steps: readonly Step[], where: number): Parts {
  const { issuer, binding, disclosures } = parts
  const choices: readonly (() => Parts)[] = [
    () => ({ ...parts, issuer: { ...issuer, header: spoilTree(issuer.header, steps) } }),
    () => ({ ...parts, issuer: { ...issuer, payload: spoilTree(issuer.payload, steps) } }),
    () => ({ ...parts, issuer: { ...issuer, payload: spoilTree(issuer.payload, steps) } }),
    () => ({ ...parts, binding: { ...binding, header: spoilTree(binding.header, steps) } }),
    () => ({ ...parts, binding: { ...binding, payload: spoilTree(binding.payload, steps) } }),
    () => ({ ...parts, disclosures: steps.reduce(spoilDisclosures, disclosures) }),
    () => ({ ...parts, disclosures: steps.reduce(spoilDisclosures, disclosures) }),
    () => ({ ...parts, issuer: { ...issuer, signature: steps.reduce(spoilText, issuer.signature) } }),
    () => ({ ...parts, binding: { ...binding, signature: steps.reduce(spoilText, binding.signature) } }),
  ]
  return pick(choices, where)()
}

function spoilDisclosures(disclosures: readonly string[], step: Step): readonly string[] {
  const at = step.at % (disclosures.length || 1)
  const text = disclosures[at] ?? ''
  const moves: readonly (() => readonly string[])[] = [
    () => disclosures.toSpliced(at, 1),
    () => disclosures.toSpliced(at, 0, text),
    () => disclosures.toReversed(),
    () => disclosures.with(at, spoilText(text, { ...step, move: step.amount })),
    () => disclosures.with(at, encoded(spoilTree(treeOf(text), [step]))),
    () => disclosures.toSpliced(at, 0, Buffer.from(step.bytes).toString('base64url')),
    () => [],
  ]
  return disclosures.length === 0 ? disclosures : safely(pick(moves, step.move), disclosures)
}

/** Leaves a disclosure unchanged that an earlier step made unreadable. */
function safely(move: () => readonly string[], otherwise: readonly string[]): readonly string[] {
  try {
    return move()
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return otherwise
    throw error
  }
}
