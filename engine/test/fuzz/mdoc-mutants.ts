// Mutates an mdoc presentation as CBOR, with the old signature or signed again to reach later checks.

import { createHash } from 'node:crypto'
import type { CborValue } from '../../../wallet/src/encoding/cbor.ts'
import { encodeCbor, Tagged } from '../../../wallet/src/encoding/cbor.ts'
import { coseSign1, LABEL } from '../../../wallet/src/encoding/cose.ts'
import { toBase64url } from '../../../wallet/src/keys.ts'
import type { Item } from '../../../wallet/src/mdoc.ts'
import { deviceResponse, mdocDocument } from '../../../wallet/src/mdoc.ts'
import type { Identity } from '../../../wallet/src/pki.ts'
import { certificateBytes } from '../../../wallet/src/pki.ts'
import { type Node, parseTree, spoilTree, writeTree } from './cbor-tree.ts'
import type { Step } from './step.ts'

export function unsignedMutant(tree: Node, steps: readonly Step[]): string {
  return toBase64url(writeTree(spoilTree(tree, steps)))
}

export interface MdocParts {
  readonly docType: string
  readonly items: readonly Item[]
  readonly mso: ReadonlyMap<CborValue, CborValue>
  readonly deviceAuth: CborValue
  readonly signer: Identity
}

/** Changes the security object, or one item together with its digest; the issuer signs the result. */
export function signedMutant(parts: MdocParts, steps: readonly Step[], where: number): string {
  const items = where % 3 === 0 ? spoilItem(parts.items, steps, where) : parts.items
  const mso = encodeCbor(where % 3 === 0 ? withDigests(parts.mso, items) : parts.mso)
  const written = where % 3 === 0 ? mso : writeTree(spoilTree(parseTree(mso), steps))
  const issuerAuth = coseSign1({
    protectedHeader: new Map([[LABEL.algorithm, -7]]),
    unprotectedHeader: new Map([[LABEL.x5chain, certificateBytes(parts.signer)]]),
    payload: encodeCbor(new Tagged(24, written)),
    key: parts.signer.key,
  })
  const document = mdocDocument({ docType: parts.docType, items, issuerAuth, deviceAuth: parts.deviceAuth })
  return toBase64url(encodeCbor(deviceResponse([document])))
}

function spoilItem(items: readonly Item[], steps: readonly Step[], where: number): readonly Item[] {
  const at = Math.floor(where / 3) % items.length
  return items.map((item, index) =>
    index === at ? { ...item, bytes: writeTree(spoilTree(parseTree(item.bytes), steps)) } : item,
  )
}

function withDigests(
  mso: ReadonlyMap<CborValue, CborValue>,
  items: readonly Item[],
): ReadonlyMap<CborValue, CborValue> {
  const digests = new Map<CborValue, CborValue>(
    items.map((item) => [item.digestId, new Uint8Array(createHash('sha256').update(item.bytes).digest())]),
  )
  const namespace = items[0]?.namespace ?? ''
  return new Map([...mso, ['valueDigests', new Map([[namespace, digests]])]])
}

/** Returns everything in a device response that a signature or digest covers. Uses another parser than the engine. */
export function signedContent(bytes: Uint8Array): unknown {
  const document = memberOf(parseTree(bytes), 'documents').children[0]
  if (document === undefined) return null
  const issuerSigned = memberOf(document, 'issuerSigned')
  const issuerAuth = memberOf(issuerSigned, 'issuerAuth')
  const message = issuerAuth.major === 6 ? issuerAuth.children[0] : issuerAuth
  const [protectedHeader, , payload] = message?.children ?? []
  return {
    docType: textOf(memberOf(document, 'docType')),
    protected: textOf(protectedHeader),
    payload: textOf(payload),
    items: memberOf(issuerSigned, 'nameSpaces').children.flatMap(itemTexts).toSorted(),
    device: textOf(memberOf(memberOf(document, 'deviceSigned'), 'nameSpaces').children[0]),
  }
}

/** Returns the names of the namespaces, and the inner bytes of the items. */
function itemTexts(node: Node): readonly string[] {
  return node.major === 4 ? node.children.map((tag) => textOf(tag.children[0])) : [textOf(node)]
}

function memberOf(map: Node, name: string): Node {
  const at = map.children.findIndex((child, index) => index % 2 === 0 && child.major === 3 && textOf(child) === name)
  const member = map.children[at + 1]
  if (at < 0 || member === undefined) throw new Error(`there is no ${name}`)
  return member
}

function textOf(node: Node | undefined): string {
  return Buffer.from(node?.content ?? []).toString('latin1')
}
