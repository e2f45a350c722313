// Builds presentations with @sd-jwt/core and @owf/mdoc, from credentials of the sandbox issuer.

import { createHash, createPrivateKey, sign } from 'node:crypto'
import {
  CoseKey,
  DeviceNamespaces,
  DeviceRequest,
  DeviceSignedItems,
  DocRequest,
  Holder,
  IssuerSigned,
  ItemsRequest,
  type MdocContext,
  SessionTranscript,
} from '@owf/mdoc'
import { SDJwtInstance } from '@sd-jwt/core'
import { digest, ES256, generateSalt } from '@sd-jwt/crypto-nodejs'
import type { HeldCredential, HeldMdoc, HeldSdJwt } from '@vidimus/wallet'
import type { DcqlCredential } from 'dcql'
import { encodeCbor, mapOf, Raw } from '../../../wallet/src/encoding/cbor.ts'

/** What a presentation is bound to. In the browser's API the audience is an origin, and there is no response address. */
export interface LibraryBinding {
  readonly channel:
    | { readonly kind: 'redirect'; readonly clientId: string; readonly responseUri: string }
    | { readonly kind: 'dc_api'; readonly origin: string }
  readonly nonce: string
  /** RFC 7638, of the key that the answer is encrypted to. */
  readonly thumbprint: Uint8Array | undefined
  readonly now: number
  /** Transaction data that this credential signs, as the request encodes it. */
  readonly agreed: readonly { readonly type: string; readonly text: string; readonly hasAlgorithm: boolean }[]
}

/** The claims that dcql chose, nested as in the credential. */
export type ChosenClaims = Readonly<Record<string, unknown>>

/** Returns the format in which dcql compares a credential with a query. */
export function asDcqlCredential(credential: HeldCredential): DcqlCredential {
  const [first, ...others] = credential.authorityKeyIds
  const known = {
    cryptographic_holder_binding: true,
    ...(first === undefined ? {} : { authority: { type: 'aki' as const, values: [first, ...others] as const } }),
  }
  if (credential.format === 'dc+sd-jwt')
    return {
      credential_format: credential.format,
      vct: credential.type,
      claims: credential.claims,
      ...known,
    } as DcqlCredential
  const namespaces: Record<string, Record<string, unknown>> = {}
  for (const { namespace, element, value } of credential.items)
    namespaces[namespace] = { ...namespaces[namespace], [element]: value }
  return { credential_format: credential.format, doctype: credential.type, namespaces, ...known } as DcqlCredential
}

export const present = (credential: HeldCredential, chosen: ChosenClaims, binding: LibraryBinding): Promise<string> =>
  credential.format === 'dc+sd-jwt'
    ? presentSdJwt(credential, chosen, binding)
    : presentMdoc(credential, chosen, binding)

const sha256 = (text: string) => createHash('sha256').update(text, 'ascii').digest()

async function presentSdJwt(credential: HeldSdJwt, chosen: ChosenClaims, binding: LibraryBinding): Promise<string> {
  const { channel, nonce, now, agreed } = binding
  const instance = new SDJwtInstance({
    hasher: digest,
    hashAlg: 'sha-256',
    saltGenerator: generateSalt,
    kbSigner: await ES256.getSigner({ ...credential.key }),
    kbSignAlg: 'ES256',
  })
  const hashes = {
    transaction_data_hashes: agreed.map(({ text }) => sha256(text).toString('base64url')),
    ...(agreed.some(({ hasAlgorithm }) => hasAlgorithm) ? { transaction_data_hashes_alg: 'sha-256' } : {}),
  }
  const payload = {
    iat: now,
    aud: channel.kind === 'redirect' ? channel.clientId : `origin:${channel.origin}`,
    nonce,
    ...(agreed.length === 0 ? {} : hashes),
  }
  const issued = [credential.issuerJwt, ...credential.disclosures.map(({ text }) => text), ''].join('~')
  return instance.present(issued, frameOf(chosen), { kb: { payload } })
}

/**
 * Returns the claims that @sd-jwt/core discloses: every leaf. dcql leaves holes in arrays for elements that were not
 * requested.
 */
function frameOf(chosen: ChosenClaims): Record<string, never> {
  const entries = Object.entries(chosen)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => [name, typeof value === 'object' ? frameOf(value as ChosenClaims) : true])
  return Object.fromEntries(entries)
}

async function presentMdoc(credential: HeldMdoc, chosen: ChosenClaims, binding: LibraryBinding): Promise<string> {
  const namespaces = Object.fromEntries(
    Object.entries(chosen).map(([namespace, elements]) => [
      namespace,
      Object.fromEntries(Object.keys(elements as object).map((element) => [element, false])),
    ]),
  )
  const itemsRequest = ItemsRequest.create({ docType: credential.type, namespaces })
  const signed = binding.agreed.map(({ type, text, hasAlgorithm }) => {
    const hash = ['transaction_data_hash', new Uint8Array(sha256(text))] as const
    const items = new Map<string, unknown>([
      hash,
      ...(hasAlgorithm ? [['transaction_data_hash_alg', 'sha-256'] as const] : []),
    ])
    return [type, DeviceSignedItems.create({ deviceSignedItems: items })] as const
  })
  const response = await Holder.createDeviceResponseForDeviceRequest(
    {
      deviceRequest: DeviceRequest.create({ docRequests: [DocRequest.create({ itemsRequest })] }),
      issuerSigned: [IssuerSigned.decode(issuerSignedOf(credential))],
      sessionTranscript: await transcriptOf(binding),
      deviceNamespaces: DeviceNamespaces.create({ deviceNamespaces: new Map(signed) }),
      signature: { signingKey: CoseKey.fromJwk({ ...credential.key, alg: 'ES256' }) },
    },
    contextOf(credential),
  )
  return response.encodedForOid4Vp
}

function transcriptOf({ channel, nonce, thumbprint }: LibraryBinding): Promise<SessionTranscript> {
  const bound = { nonce, ...(thumbprint === undefined ? {} : { jwkThumbprint: thumbprint }) }
  return channel.kind === 'redirect'
    ? SessionTranscript.forOid4Vp({ ...bound, clientId: channel.clientId, responseUri: channel.responseUri }, HASHES)
    : SessionTranscript.forOid4VpDcApi({ ...bound, origin: channel.origin }, HASHES)
}

/** Returns the issuer's part of a credential, as an issuer delivers it. */
function issuerSignedOf(credential: HeldMdoc): Uint8Array {
  const bytes = (text: string) => new Raw(new Uint8Array(Buffer.from(text, 'base64url')))
  const namespaces: Record<string, Raw[]> = {}
  for (const item of credential.items)
    namespaces[item.namespace] = [...(namespaces[item.namespace] ?? []), bytes(item.bytes)]
  return encodeCbor(mapOf({ nameSpaces: mapOf(namespaces), issuerAuth: bytes(credential.issuerAuth) }))
}

const unused = () => {
  throw new Error('a holder does not need this')
}

const HASHES: Pick<MdocContext, 'crypto'> = {
  crypto: {
    random: (length) => crypto.getRandomValues(new Uint8Array(length)),
    digest: ({ digestAlgorithm, bytes }) =>
      new Uint8Array(createHash(digestAlgorithm.replace('-', '')).update(bytes).digest()),
    calculateEphemeralMacKey: unused,
  },
}

function contextOf(credential: HeldMdoc): Pick<MdocContext, 'cose' | 'crypto'> {
  const key = createPrivateKey({ key: { ...credential.key }, format: 'jwk' })
  const signDevice = ({ toBeSigned }: { toBeSigned: Uint8Array }) =>
    new Uint8Array(sign('sha256', toBeSigned, { key, dsaEncoding: 'ieee-p1363' }))
  return { ...HASHES, cose: { sign1: { sign: signDevice, verify: unused }, mac0: { sign: unused, verify: unused } } }
}
