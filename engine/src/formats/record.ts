// What the engine must know of a format. One folder is one format; `list.ts` lists them, `table.ts` finds them.

import type { CborMap } from '../cbor/cbor.ts'
import type { Demand, Examination } from '../examination.ts'
import type { ClaimsPath, CredentialQueryBase } from '../openid4vp/credential-query.ts'
import type { Field } from '../openid4vp/fields.ts'
import type { TransactionKind } from '../transaction/item.ts'
import type { CheckName, Json, JsonObject } from '../verdict.ts'

/** The text of a vp_token; or a document that was read out of a device response before. */
export type Presentation = string | CborMap

/** Methods, not function members: `table.ts` finds a record by the query's own format, so it is called with its own query. */
interface PresentedRecord<Query extends CredentialQueryBase> {
  /** What people call it, the same in every language. */
  readonly label: string
  examine(presentation: Presentation, demand: Demand<Query>): Examination
  /** Whether it can be read and what it says it is, for one that comes after another has failed: nothing of it is verified. */
  list(presentation: Presentation, demand: Demand<Query>): Examination
  /** Checks that show, with the issuer's signature, that the issuer signed this content. Each must pass. */
  readonly contentChecks: readonly CheckName[]
  /** Other checks that must pass, in addition to those of every format. */
  readonly otherChecks: readonly CheckName[]
  /** Why it cannot show whether its issuer took it back; null: it can. */
  readonly statusNotProvable: string | null
  /** Its claims by the names that results use. `original` is what was presented, before derived values were added. */
  namedClaims(claims: JsonObject, original: JsonObject): readonly (readonly [string, Json])[]
}

/** A format that a query can ask for. */
export interface AskedRecord<Query extends CredentialQueryBase> extends PresentedRecord<Query> {
  readonly kind: 'asked'
  readonly name: Query['format']
  /** What the format calls its types. */
  readonly typeName: string
  /** `meta` of a query; throws InvalidQuery. */
  readMeta(field: Field): Query['meta']
  /** The types that a query takes. */
  typesOf(meta: Query['meta']): readonly string[]
  /** `meta` that asks for these types; it is read like any other. */
  metaOf(types: readonly string[]): object
  /** `path` of a claims query; throws InvalidQuery. */
  readPath(field: Field): ClaimsPath
  /** The members of a claims query other than `id`, `path` and `values`. */
  readonly claimMembers: readonly 'intent_to_retain'[]
  /** The names in a path that say something to people, from the outside in. */
  claimNames(path: readonly unknown[]): readonly string[]
  /** Its part of `vp_formats_supported` (OpenID4VP §11.1). */
  readonly vpFormats: JsonObject
  /** The query as wallets read it: without what only we know of it. */
  wireQuery(query: Query): object
  /** Whether its holder can agree to transaction data of this kind. */
  confirms(kind: TransactionKind): boolean
  /** Whether one presentation has a place for only one agreement of this kind. */
  confirmsOnce(kind: TransactionKind): boolean
}

/** A format that comes in place of another one and proves what that would show. Never asked for by itself. */
export interface ProofRecord<Query extends CredentialQueryBase, Name extends string = string>
  extends PresentedRecord<Query> {
  readonly kind: 'proof'
  readonly name: Name
  /** The format that it proves: anchors vouch for that one. */
  readonly proves: Query['format']
  /** Under which id wallets are asked for it; null: this query does not ask for it. */
  proofId(query: Query): string | null
  /** The query as wallets read it. */
  wireQuery(query: Query): object
  /** The query with the proofs that a wallet can make, by what it lists for this format; null: it does not list it. */
  limitTo(query: Query, declared: JsonObject | null): Query
  readonly vpFormats: JsonObject
  /** The checks that pass once the proof holds, and not before. */
  readonly provedChecks: readonly CheckName[]
}
