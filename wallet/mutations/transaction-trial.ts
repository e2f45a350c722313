// Builds trials with transaction data: the base64url texts that a verifier sends, and valid answers.

import type { CborValue } from '../src/encoding/cbor.ts'
import { mapOf } from '../src/encoding/cbor.ts'
import type { JsonObject } from '../src/encoding/json.ts'
import type { TransactionRequest } from '../src/transaction.ts'
import { deviceNamespacesOf, keyBindingMembers } from '../src/transaction.ts'
import { type MdocHooks, mdocTrial } from './mdoc/mdoc-trial.ts'
import { presentSdJwt, type SdJwtHooks, sdJwtTrial } from './sd-jwt/sd-jwt-trial.ts'
import { SD_JWT_QUERY, type Trial, trialOf, type World } from './world.ts'

export const CONSENT = 'urn:example:consent:1'
export const PAYMENT = 'urn:eudi:sca:payment:1'

export interface ItemPlan {
  readonly type?: string
  readonly ids?: readonly string[]
  readonly members?: JsonObject
  /** Whether the item names its hash algorithm. Default: true. */
  readonly named?: boolean
}

/** One item of transaction data, both in the base64url that a verifier sends and as a wallet parses it. */
export function itemOf(plan: ItemPlan = {}): TransactionRequest {
  const { type = CONSENT, ids = ['pid'], members = { text: 'Terms of 2026' }, named = true } = plan
  const object = {
    type,
    credential_ids: [...ids],
    ...(named ? { transaction_data_hashes_alg: ['sha-256'] } : {}),
    ...members,
  }
  const text = Buffer.from(JSON.stringify(object)).toString('base64url')
  return { text, type, credentialIds: ids, algorithms: named ? ['sha-256'] : null, object }
}

export const CONSENT_ITEM = itemOf()
export const SECOND_ITEM = itemOf({ members: { text: 'Privacy of 2026' } })
export const PAYMENT_ITEM = itemOf({
  type: PAYMENT,
  members: {
    payload: {
      transaction_id: '0b51e1e2-4f0c-4a0e-9d4e-6d7bb2f3b0aa',
      payee: { name: 'Corner Shop', id: 'DE02120300000000202051' },
      currency: 'EUR',
      amount: 42,
    },
  },
})
export const APPROVAL_ITEM = itemOf({
  type: 'https://cloudsignatureconsortium.org/2025/qes-approval',
  members: {
    signatureQualifier: 'eu_eidas_qes',
    numSignatures: 1,
    hashAlgorithmOID: '2.16.840.1.101.3.4.2.2',
    documentDigests: [{ label: 'Contract', hash: 'sTOgwOm+474gFj0q0x1iSNspKqbcse4IeiqlDg/HWuI=', hashType: 'sodr' }],
  },
})

/** The mode of the trials: the response is encrypted. */
export const modeOf = ({ channel }: Pick<World, 'channel'>) =>
  channel.kind === 'redirect' ? 'direct_post.jwt' : 'dc_api.jwt'

/** Adds the items to the verifier's request of a trial. */
const requesting = (items: readonly TransactionRequest[]) => (trial: Trial) => ({
  ...trial,
  expectations: { ...trial.expectations, transaction: items.map(({ text }) => text) },
})

export type Change = (
  usual: JsonObject,
  signing: { items: readonly TransactionRequest[]; responseMode: string },
) => JsonObject

/** Adds what the holder signs to confirm the items, with the change. */
export const confirming = (world: World, items: readonly TransactionRequest[], change?: Change): SdJwtHooks => {
  const signing = { items, responseMode: modeOf(world) }
  const usual = keyBindingMembers(signing)
  return { keyBindingClaims: (claims) => ({ ...claims, ...(change?.(usual, signing) ?? usual) }) }
}

/** The holder confirms all items with one credential. `change` makes the confirmation invalid. */
export function confirmedTrial(world: World, items: readonly TransactionRequest[], change?: Change): Trial {
  return sdJwtTrial(world, { ...confirming(world, items, change), trial: requesting(items) })
}

/** The holder presents two credentials, for the queries `pid` and `card`, and confirms with each the items in `confirmed`. */
export function pairTrial(
  world: World,
  items: readonly TransactionRequest[],
  confirmed: { readonly pid: readonly TransactionRequest[]; readonly card: readonly TransactionRequest[] },
  sets: JsonObject = {},
): Trial {
  const vpToken = {
    pid: [presentSdJwt(world, confirming(world, confirmed.pid))],
    card: [presentSdJwt(world, confirming(world, confirmed.card))],
  }
  return requesting(items)(
    trialOf(world, vpToken, {
      credentials: [SD_JWT_QUERY, { ...SD_JWT_QUERY, id: 'card' }],
      ...sets,
    }),
  )
}

/** Several credentials for one query with `multiple`, each confirming its own items. */
export function severalTrial(world: World, ...confirmed: readonly (readonly TransactionRequest[])[]): Trial {
  const pid = confirmed.map((items) => presentSdJwt(world, confirming(world, items)))
  const query = { credentials: [{ ...SD_JWT_QUERY, multiple: true }] }
  return requesting(confirmed.flat())(trialOf(world, { pid }, query))
}

/** The holder confirms the items with an mdoc: its device signs them, as its issuer authorised. */
export function confirmedMdocTrial(
  world: World,
  items: readonly TransactionRequest[],
  plan: { readonly authorised?: CborValue; readonly signed?: CborValue } = {},
): Trial {
  const keyAuthorizations = plan.authorised ?? mapOf({ nameSpaces: items.map(({ type }) => type) })
  const deviceNamespaces = plan.signed ?? deviceNamespacesOf({ items, responseMode: modeOf(world) })
  const hooks: MdocHooks = {
    fields: (fields) => ({ ...fields, keyAuthorizations }),
    ...(deviceNamespaces === undefined ? {} : { deviceNamespaces }),
    trial: requesting(items),
  }
  return mdocTrial(world, hooks)
}
