// Builds the presentation strings of a vp_token from held credentials and the claims to disclose.

import type { HeldCredential, HeldMdoc, HeldSdJwt } from './credential.ts'
import { encodeCbor, Raw } from './encoding/cbor.ts'
import type { JsonObject } from './encoding/json.ts'
import type { PublicJwk } from './keys.ts'
import { fromBase64url, thumbprint, toBase64url } from './keys.ts'
import {
  deviceAuthentication,
  deviceMac,
  deviceResponse,
  deviceSignature,
  mdocDocument,
  sessionTranscript,
} from './mdoc.ts'
import { bindSdJwt, joinSdJwt } from './sdjwt.ts'
import type { Signing } from './transaction.ts'
import { deviceNamespacesOf, keyBindingMembers } from './transaction.ts'

/** null means every element of an array, as in a DCQL path. */
export type ClaimPath = readonly (string | number | null)[]

/** The values that bind a presentation to one request. */
export interface Binding {
  readonly clientId: string
  readonly nonce: string
  readonly responseUri: string
  /** The verifier's key if the response is encrypted to it. */
  readonly encryptionKey: PublicJwk | null
  readonly now: number
  readonly deviceAuth: 'signature' | 'mac'
  readonly agreement?: Agreement
}

/** The transaction data that the holder confirms with this credential, and how the wallet encodes it. */
export interface Agreement {
  readonly signing: Signing
  readonly change?: (usual: JsonObject, signing: Signing) => JsonObject
}

/** What the holder proves and signs, whatever the channel of the request. */
export interface Proof {
  readonly audience: string
  readonly nonce: string
  readonly transcript: Uint8Array
  /** The verifier's key, for a device MAC. */
  readonly readerKey: PublicJwk | null
  readonly now: number
  readonly deviceAuth: 'signature' | 'mac'
  readonly agreement?: Agreement
}

export function presentCredential(credential: HeldCredential, paths: readonly ClaimPath[], binding: Binding): string {
  const { clientId, nonce, responseUri, encryptionKey, now, deviceAuth, agreement } = binding
  const thumbprintOf = encryptionKey === null ? null : thumbprint(encryptionKey)
  const transcript = sessionTranscript({ clientId, nonce, responseUri, thumbprint: thumbprintOf })
  return presentProof(credential, paths, {
    audience: clientId,
    nonce,
    transcript,
    readerKey: encryptionKey,
    now,
    deviceAuth,
    ...(agreement === undefined ? {} : { agreement }),
  })
}

export function presentProof(credential: HeldCredential, paths: readonly ClaimPath[], proof: Proof): string {
  return credential.format === 'dc+sd-jwt'
    ? presentSdJwt(credential, paths, proof)
    : toBase64url(encodeCbor(deviceResponse([presentDocument(credential, paths, proof)])))
}

function presentSdJwt(credential: HeldSdJwt, paths: readonly ClaimPath[], proof: Proof): string {
  const chosen = credential.disclosures.filter((disclosure) => paths.some((path) => isOnTheWay(disclosure.path, path)))
  const sdJwt = joinSdJwt(
    credential.issuerJwt,
    chosen.map((disclosure) => disclosure.text),
  )
  const keyBinding = { nonce: proof.nonce, audience: proof.audience, issuedAt: proof.now, members: agreedIn(proof) }
  return bindSdJwt(sdJwt, keyBinding, credential.key)
}

function agreedIn({ agreement }: Proof): JsonObject {
  if (agreement === undefined) return {}
  const usual = keyBindingMembers(agreement.signing)
  return agreement.change?.(usual, agreement.signing) ?? usual
}

/** Whether a value is the claim of the path, one of its parents, which must be disclosed to reach it, or a part of it. */
function isOnTheWay(jsonPath: readonly (string | number)[], path: ClaimPath): boolean {
  const length = Math.min(jsonPath.length, path.length)
  return jsonPath
    .slice(0, length)
    .every((part, index) => path[index] === part || (path[index] === null && typeof part === 'number'))
}

/** One document of a device response. */
export function presentDocument(
  credential: HeldMdoc,
  paths: readonly ClaimPath[],
  proof: Proof,
): ReturnType<typeof mdocDocument> {
  const items = credential.items
    .filter((item) => paths.some((path) => path[0] === item.namespace && path[1] === item.element))
    .map((item) => ({ ...item, bytes: fromBase64url(item.bytes) }))
  const deviceNamespaces = agreedNamespaces(proof)
  return mdocDocument({
    docType: credential.type,
    items,
    ...(deviceNamespaces === undefined ? {} : { deviceNamespaces }),
    issuerAuth: new Raw(fromBase64url(credential.issuerAuth)),
    deviceAuth: authenticateDevice(credential, proof),
  })
}

const agreedNamespaces = ({ agreement }: Proof) =>
  agreement === undefined ? undefined : deviceNamespacesOf(agreement.signing)

function authenticateDevice(credential: HeldMdoc, proof: Proof): ReturnType<typeof deviceSignature> {
  const { transcript, readerKey } = proof
  const authentication = deviceAuthentication(transcript, credential.type, agreedNamespaces(proof))
  if (proof.deviceAuth === 'signature') return deviceSignature(authentication, credential.key)
  if (readerKey === null) throw new Error("a device MAC needs the verifier's encryption key")
  return deviceMac(authentication, credential.key, { key: readerKey, transcript })
}

/** Every claim a credential can disclose. */
export function allPaths(credential: HeldCredential): readonly ClaimPath[] {
  return credential.format === 'dc+sd-jwt'
    ? credential.disclosures.map((disclosure) => disclosure.path)
    : credential.items.map((item) => [item.namespace, item.element])
}
