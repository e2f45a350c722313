// Builds a valid SD-JWT presentation, with a hook at every step that a mutation may change.

import type { JsonObject } from '../../src/encoding/json.ts'
import { STATUS_INDEX, statusListUri, TYPE } from '../../src/issuer.ts'
import type { PrivateJwk } from '../../src/keys.ts'
import { publicJwk } from '../../src/keys.ts'
import { PERSON, pidClaims } from '../../src/person.ts'
import type { Identity } from '../../src/pki.ts'
import type { Disclosure, Template } from '../../src/sdjwt.ts'
import { conceal, joinSdJwt, keyBindingClaims, keyBindingHeader, signJws } from '../../src/sdjwt.ts'
import type { Trial, World } from '../world.ts'
import { audienceOf, DAY, NONCE, NOW, SD_JWT_QUERY, trialOf } from '../world.ts'

type Change<Value> = (value: Value) => Value
type Claims = { readonly [member: string]: Template }

export interface SdJwtHooks {
  /** The credential before anything is concealed. */
  readonly template?: Change<Claims>
  /** The payload after concealing, before signing. */
  readonly payload?: Change<JsonObject>
  readonly header?: Change<JsonObject>
  readonly signer?: Identity
  readonly issuerKey?: PrivateJwk
  /** Signs the credential, for headers that the usual function refuses. */
  readonly sign?: (header: JsonObject, payload: JsonObject, key: PrivateJwk) => string
  /** The signed issuer JWT; the holder binds the result. */
  readonly issuerJwt?: Change<string>
  /** The disclosures before the holder binds them. */
  readonly disclosures?: (texts: readonly string[], all: readonly Disclosure[]) => readonly string[]
  readonly keyBindingHeader?: Change<JsonObject>
  readonly keyBindingClaims?: (usual: JsonObject, sdJwt: string) => JsonObject
  readonly keyBindingKey?: PrivateJwk
  /** The finished key binding JWT; an empty string leaves it out. */
  readonly keyBinding?: Change<string>
  /** The finished presentation. */
  readonly presented?: (presented: string, all: readonly Disclosure[]) => string
  readonly trial?: Change<Trial>
}

const same = <Value>(value: Value): Value => value

export function sdJwtTrial(world: World, hooks: SdJwtHooks = {}): Trial {
  const presented = presentSdJwt(world, hooks)
  return (hooks.trial ?? same)(trialOf(world, { pid: [presented] }, { credentials: [SD_JWT_QUERY] }))
}

export function presentSdJwt(world: World, hooks: SdJwtHooks = {}): string {
  const signer = hooks.signer ?? world.issuer.sdJwt.signer
  const issuerKey = hooks.issuerKey ?? signer.key
  const { payload, disclosures } = conceal((hooks.template ?? same)(goodClaims(world)))
  const header = (hooks.header ?? same)({ alg: 'ES256', typ: 'dc+sd-jwt', x5c: [signer.certificate] })
  const signed = (hooks.sign ?? signJws)(header, (hooks.payload ?? same)(payload), issuerKey)
  const chosen = (hooks.disclosures ?? same)(usualDisclosures(disclosures), disclosures)
  const sdJwt = joinSdJwt((hooks.issuerJwt ?? same)(signed), chosen)
  const key = hooks.keyBindingKey ?? world.holderKey
  const bindingHeader = (hooks.keyBindingHeader ?? same)(keyBindingHeader(key))
  const usual = keyBindingClaims(sdJwt, { nonce: NONCE, audience: audienceOf(world), issuedAt: NOW - 5 })
  const binding = signJws(bindingHeader, (hooks.keyBindingClaims ?? same)(usual, sdJwt), key)
  return (hooks.presented ?? same)(sdJwt + (hooks.keyBinding ?? same)(binding), disclosures)
}

export function goodClaims(world: World): Claims {
  return {
    vct: TYPE.pidSdJwt,
    iat: NOW - DAY,
    nbf: NOW - DAY,
    exp: NOW + 30 * DAY,
    cnf: { jwk: { ...publicJwk(world.holderKey) } },
    status: { status_list: { idx: STATUS_INDEX.valid, uri: statusListUri(world.issuer.base, 'jwt') } },
    ...pidClaims(PERSON, { issued: '2026-01-01', expires: '2031-01-01', age: 36 }),
  }
}

const USUAL: readonly string[] = [
  'family_name',
  'given_name',
  'birthdate',
  'address',
  'address/country',
  'nationalities',
  'nationalities/0',
  'nationalities/1',
  'age_equal_or_over/18',
]

function usualDisclosures(disclosures: readonly Disclosure[]): readonly string[] {
  return disclosures
    .filter((disclosure) => USUAL.includes(disclosure.path.join('/')))
    .map((disclosure) => disclosure.text)
}
