// JSON as a tree that can express what JSON.stringify never writes: repeated members, odd numbers, reserved names.

import { pick, type Step } from './step.ts'

export type Node =
  | { kind: 'object'; members: [string, Node][] }
  | { kind: 'array'; elements: Node[] }
  | { kind: 'text'; text: string }

export function parseTree(value: unknown): Node {
  if (Array.isArray(value)) return { kind: 'array', elements: value.map(parseTree) }
  if (typeof value !== 'object' || value === null) return { kind: 'text', text: JSON.stringify(value) }
  return { kind: 'object', members: Object.entries(value).map(([name, member]) => [name, parseTree(member)]) }
}

export function writeTree(node: Node): string {
  if (node.kind === 'text') return node.text
  if (node.kind === 'array') return `[${node.elements.map(writeTree).join(',')}]`
  return `{${node.members.map(([name, member]) => `${JSON.stringify(name)}:${writeTree(member)}`).join(',')}}`
}

export function spoilTree(original: Node, steps: readonly Step[]): Node {
  const root = copyOf(original)
  for (const step of steps) {
    const nodes = allNodes(root)
    pick(MOVES, step.move)(pick(nodes, step.at), step, nodes)
  }
  return root
}

function copyOf(node: Node): Node {
  if (node.kind === 'text') return { ...node }
  if (node.kind === 'array') return { kind: 'array', elements: node.elements.map(copyOf) }
  return { kind: 'object', members: node.members.map(([name, member]) => [name, copyOf(member)]) }
}

function allNodes(root: Node): readonly Node[] {
  const nodes = [root]
  for (let index = 0; index < nodes.length; index++) {
    const node = nodes[index]
    if (node?.kind === 'array') nodes.push(...node.elements)
    if (node?.kind === 'object') nodes.push(...node.members.map(([, member]) => member))
  }
  return nodes
}

type Move = (node: Node, step: Step, nodes: readonly Node[]) => void

const MOVES: readonly Move[] = [
  (node, step) => become(node, { kind: 'text', text: pick(ODDITIES, step.amount) }),
  (node, step) => become(node, { kind: 'text', text: JSON.stringify(Buffer.from(step.bytes).toString('latin1')) }),
  (node, step, nodes) => become(node, copyOf(pick(nodes, step.amount))),
  (node) => become(node, { kind: 'array', elements: [copyOf(node)] }),
  (node, step) => become(node, { kind: 'object', members: [[pick(NAMES, step.amount), copyOf(node)]] }),
  (node, step) => {
    if (node.kind === 'object') node.members.splice(step.amount % (node.members.length || 1), 1)
    if (node.kind === 'array') node.elements.splice(step.amount % (node.elements.length || 1), 1)
  },
  (node, step) => {
    if (node.kind === 'object')
      node.members.push(
        ...node.members
          .slice(step.amount % (node.members.length || 1))
          .map(([name, member]): [string, Node] => [name, copyOf(member)]),
      )
    if (node.kind === 'array')
      node.elements.push(...node.elements.slice(step.amount % (node.elements.length || 1)).map(copyOf))
  },
  (node, step) => {
    const member = node.kind === 'object' ? node.members[step.amount % (node.members.length || 1)] : undefined
    if (member !== undefined) member[0] = pick(NAMES, step.amount)
  },
  (node, step) => {
    if (node.kind === 'object')
      node.members.push([pick(NAMES, step.amount), { kind: 'text', text: pick(ODDITIES, step.at) }])
  },
  (node, step) => {
    if (node.kind === 'array') node.elements.reverse()
    if (node.kind === 'object') node.members.push(...node.members.splice(0, step.amount % (node.members.length || 1)))
  },
]

function become(node: Node, other: Node): void {
  for (const name of Object.keys(node)) Reflect.deleteProperty(node, name)
  Object.assign(node, other)
}

const NAMES = [
  '_sd',
  '...',
  '_sd_alg',
  '__proto__',
  'constructor',
  'toString',
  'vct',
  'cnf',
  'exp',
  'nbf',
  'iat',
  'status',
  'alg',
  'typ',
  'crit',
  'x5c',
  'jwk',
  'aud',
  'nonce',
  'sd_hash',
  'family_name',
  '',
  '\u0000',
  'd',
]

const ODDITIES = [
  'null',
  'true',
  'false',
  '0',
  '-1',
  '1e400',
  '-0',
  '1.5',
  '9007199254740993',
  '1e308',
  '""',
  '"\\ud800"',
  '"\\u0000"',
  '[]',
  '{}',
  '[null]',
  '{"...":"x"}',
  '{"_sd":[]}',
  '{"_sd":["x","x"]}',
  '{"a":1,"a":2}',
  '"none"',
  '"ES384"',
  '"sha-512"',
  '"md5"',
  `${'['.repeat(40)}${']'.repeat(40)}`,
  `"${'x'.repeat(3000)}"`,
  '01',
  "'",
  'NaN',
  '{"__proto__":{"x":1}}',
]
