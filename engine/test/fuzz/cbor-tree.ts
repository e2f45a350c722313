// Parses CBOR into a tree that remembers each head, so that any node can be changed and encoded again.

import { head, wideHead } from '../../../wallet/mutations/heads.ts'
import { joined, pick, type Step } from './step.ts'

export interface Node {
  major: number
  /** The value of a number, a tag or a simple value. Lengths and counts are computed when the node is written. */
  argument: bigint
  /** Width of the head in bytes after the first; 0 for the shortest. */
  width: 0 | 1 | 2 | 4 | 8
  content: Uint8Array
  children: Node[]
  /** The parsed content of a byte string that contains CBOR; null for other nodes. */
  embedded: Node | null
  /** If present, these bytes are written instead of the node. */
  raw: Uint8Array | null
  /** Written in place of the actual length or count. */
  wrongCount: bigint | null
}

export function parseTree(bytes: Uint8Array): Node {
  const read = readNode(bytes, 0)
  if (read === null || read.end !== bytes.length) throw new Error('bug: the original is not one CBOR item')
  return read.node
}

/** Returns null if the bytes end too early, or have a head that our own encoder never writes. */
function readNode(bytes: Uint8Array, start: number): { node: Node; end: number } | null {
  const first = bytes[start]
  if (first === undefined || (first & 31) > 27) return null
  const size = { 24: 1, 25: 2, 26: 4, 27: 8 }[first & 31] ?? 0
  let argument = size === 0 ? BigInt(first & 31) : 0n
  for (let index = 1; index <= size; index++) argument = (argument << 8n) | BigInt(bytes[start + index] ?? 0)
  const node: Node = {
    major: first >> 5,
    argument,
    width: 0,
    content: EMPTY,
    children: [],
    embedded: null,
    raw: null,
    wrongCount: null,
  }
  const end = start + 1 + size
  if (node.major !== 2 && node.major !== 3) return readChildren(node, bytes, end)
  const length = Number(argument)
  if (end + length > bytes.length) return null
  node.content = bytes.slice(end, end + length)
  node.embedded = node.major === 2 ? tryTree(node.content) : null
  return { node, end: end + length }
}

const EMPTY = new Uint8Array()

function readChildren(node: Node, bytes: Uint8Array, start: number): { node: Node; end: number } | null {
  const count = { 4: Number(node.argument), 5: 2 * Number(node.argument), 6: 1 }[node.major] ?? 0
  const children: Node[] = []
  let end = start
  for (let index = 0; index < count; index++) {
    const child = readNode(bytes, end)
    if (child === null) return null
    children.push(child.node)
    end = child.end
  }
  return { node: { ...node, children }, end }
}

/** Returns the embedded CBOR: a map, an array or a tag that fills the bytes exactly. */
function tryTree(bytes: Uint8Array): Node | null {
  const major = (bytes[0] ?? 0) >> 5
  if (bytes.length < 2 || major < 4 || major > 6) return null
  const read = readNode(bytes, 0)
  return read !== null && read.end === bytes.length ? read.node : null
}

export function writeTree(node: Node): Uint8Array {
  const chunks: Uint8Array[] = []
  write(node, chunks)
  return joined(...chunks)
}

function write(node: Node, chunks: Uint8Array[]): void {
  if (node.raw !== null) {
    chunks.push(node.raw)
    return
  }
  const content = node.embedded === null ? node.content : writeTree(node.embedded)
  const argument = node.wrongCount ?? actualArgument(node, content)
  chunks.push(node.width === 0 ? head(node.major, argument) : wideHead(node.major, argument, node.width), content)
  for (const child of node.children) write(child, chunks)
}

function actualArgument(node: Node, content: Uint8Array): bigint {
  if (node.major === 2 || node.major === 3) return BigInt(content.length)
  if (node.major === 4) return BigInt(node.children.length)
  if (node.major === 5) return BigInt(Math.floor(node.children.length / 2))
  return node.argument
}

/** Applies the steps to a fresh copy. */
export function spoilTree(original: Node, steps: readonly Step[]): Node {
  const root = copyOf(original)
  for (const step of steps) {
    const nodes = allNodes(root)
    pick(MOVES, step.move)(pick(nodes, step.at), step, nodes)
  }
  return root
}

export function copyOf(node: Node): Node {
  return {
    ...node,
    children: node.children.map(copyOf),
    embedded: node.embedded === null ? null : copyOf(node.embedded),
  }
}

function allNodes(root: Node): readonly Node[] {
  const nodes = [root]
  for (let index = 0; index < nodes.length; index++) {
    const node = nodes[index]
    if (node !== undefined) nodes.push(...node.children, ...(node.embedded === null ? [] : [node.embedded]))
  }
  return nodes
}

type Move = (node: Node, step: Step, nodes: readonly Node[]) => void

const MOVES: readonly Move[] = [
  // another value of the same kind
  (node, step) => {
    if (node.content.length > 0) {
      node.content = node.content.map((byte, index) =>
        index === step.amount % node.content.length ? byte ^ (1 << (step.amount % 8)) : byte,
      )
      node.embedded = null
    } else node.argument ^= BigInt(1 + (step.amount % 31))
  },
  (node, step) => {
    node.content = step.bytes
    node.embedded = null
  },
  // the same value, encoded differently
  (node, step) => {
    node.width = pick([1, 2, 4, 8] as const, step.amount)
  },
  // another kind
  (node, step) => {
    node.major = step.amount % 8
  },
  (node, step) => {
    node.raw = pick(ODDITIES, step.amount)
  },
  (node, step) => {
    node.raw = step.bytes
  },
  // another structure
  (node, step) => {
    if (node.children.length > 0) node.children.splice(step.amount % node.children.length, 1 + (step.amount % 2))
  },
  (node, step) => {
    if (node.children.length > 0)
      node.children.push(...node.children.slice(step.amount % node.children.length).map((child) => copyOf(child)))
  },
  (node, step) => {
    const [first, second] = [step.amount % (node.children.length || 1), step.at % (node.children.length || 1)]
    const [left, right] = [node.children[first], node.children[second]]
    if (left !== undefined && right !== undefined) [node.children[first], node.children[second]] = [right, left]
  },
  (node, step, nodes) => {
    Object.assign(node, copyOf(pick(nodes, step.amount)))
  },
  (node) => {
    const copy = copyOf(node)
    Object.assign(node, {
      major: 4,
      argument: 1n,
      width: 0,
      content: new Uint8Array(),
      children: [copy],
      embedded: null,
      raw: null,
      wrongCount: null,
    })
  },
  // a wrong head
  (node, step) => {
    node.wrongCount = pick(
      [0n, 1n, 2n ** 16n, 2n ** 32n - 1n, 2n ** 63n, 2n ** 64n - 1n, BigInt(step.amount % 300)],
      step.amount,
    )
  },
]

const hex = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'hex'))

/** Null, undefined, NaN, infinities, big numbers, indefinite lengths, reserved heads, odd tags, deep nesting. */
const ODDITIES: readonly Uint8Array[] = [
  'f6',
  'f7',
  'f97e00',
  'f97c00',
  'f9fc00',
  'fb7ff0000000000000',
  'fb3ff8000000000000',
  'c249010000000000000000',
  '1bffffffffffffffff',
  '3bffffffffffffffff',
  '5fff',
  '5f4100ff',
  '7fff',
  '9fff',
  'bfff',
  '9f',
  'ff',
  '1c',
  'f8ff',
  'f81f',
  'd818',
  'd81840',
  'd81841a0',
  'd9d9f7a0',
  'c074323032362d30312d30315430303a30303a30305a',
  'c11a6ab13b80',
  'a0',
  '80',
  '40',
  '60',
  '00',
  '20',
  '62c328',
  'a10101',
  '81'.repeat(300),
].map(hex)
