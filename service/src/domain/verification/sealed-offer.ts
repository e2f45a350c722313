// What is kept of an offer to a browser so that its answer can be read: which protocols were offered, and the keys, one for JWE and
// another for HPKE, because one key must not serve two schemes. One sealed value, bound to the bytes that the page got: who can write
// to the database can neither change what was offered nor put another offer in its place.

import { hash, type KeyObject } from 'node:crypto'
import type { DcApiProtocol } from '@vidimus/engine'
import type { Sealer } from '../seal/seal.ts'
import type { Realm } from '../tenant/realm.ts'
import type { Random } from '../world.ts'
import { newKeyPair, type Point, pointOf, privateKeyOf } from './ephemeral-key.ts'

/** Coordinates and scalar in base64url. */
export interface OfferKey extends Point {
  readonly d: string
}

export interface OfferSecrets {
  readonly protocols: readonly DcApiProtocol[]
  /** null: the response is asked for in clear. */
  readonly jweKey: OfferKey | null
  /** null: Annex C is not offered. `encryptionInfo` as it was sent: the transcript is over the text. */
  readonly annexC: { readonly key: OfferKey; readonly encryptionInfo: string } | null
}

/** As it is stored. */
export interface SealedOffer {
  /** The answer to the page, to the byte. */
  readonly requests: string
  readonly sealed: Buffer
}

type Owner = Realm & { readonly id: string }

export function newOfferKey(random: Random): OfferKey {
  const { scalar, point } = newKeyPair(random)
  return { ...pointOf(point), d: Buffer.from(scalar).toString('base64url') }
}

export function openOfferKey({ x, y, d }: OfferKey): KeyObject {
  return privateKeyOf({ x, y }, d)
}

export function sealOffer(
  sealer: Pick<Sealer, 'seal'>,
  of: Owner,
  offer: OfferSecrets & { requests: string },
): SealedOffer {
  const { requests, ...secrets } = offer
  return { requests, sealed: sealer.seal(Buffer.from(JSON.stringify(secrets)), offerSealContext(of, requests)) }
}

/** Throws where it is of another verification, or the requests are not those it was sealed with. */
export function openOffer(sealer: Pick<Sealer, 'open'>, of: Owner, { requests, sealed }: SealedOffer): OfferSecrets {
  return JSON.parse(sealer.open(sealed, offerSealContext(of, requests)).toString())
}

/** Where the sealed value belongs (see Sealer). */
export function offerSealContext({ tenantId, environment, id }: Owner, requests: string): string {
  return `dc_api_offers.sealed|${tenantId}|${environment}|${id}|${hash('sha256', requests, 'base64url')}`
}
