// What the engine must know about a format. Each format is a folder; `list.ts` lists them, `table.ts` finds them.

import type { CborMap } from '../cbor/cbor.ts'
import type { Demand, Examination } from '../examination.ts'
import type { ClaimsPath, CredentialQueryBase } from '../openid4vp/credential-query.ts'
import type { Field } from '../openid4vp/fields.ts'
import type { TransactionKind } from '../transaction/item.ts'
import type { CheckName, Json, JsonObject } from '../verdict.ts'

/** The text of a vp_token, or a document from a device response that was read before. */
export type Presentation = string | CborMap

/** Methods, not function members, so that `table.ts` can return a record by the format of its query. */
interface PresentedRecord<Query extends CredentialQueryBase> {
  /** Its usual name, the same in every language. */
  readonly label: string
  examine(presentation: Presentation, demand: Demand<Query>): Examination
  /** Reads only form and type, without verifying anything. For presentations after one that failed. */
  list(presentation: Presentation, demand: Demand<Query>): Examination
  /** Checks that show, with the issuer's signature, that the issuer signed this content. Each must pass. */
  readonly contentChecks: readonly CheckName[]
  /** Other checks that must pass, in addition to those of every format. */
  readonly otherChecks: readonly CheckName[]
  /** Why it cannot show whether it was revoked; null if it can. */
  readonly statusNotProvable: string | null
  /** Its claims by the names that results use. `original` is what was presented, before derived values were added. */
  namedClaims(claims: JsonObject, original: JsonObject): readonly (readonly [string, Json])[]
}

/** A format that a query can ask for. */
export interface QueriedRecord<Query extends CredentialQueryBase> extends PresentedRecord<Query> {
  readonly kind: 'queried'
  readonly name: Query['format']
  /** The format's word for a type. */
  readonly typeName: string
  /** `meta` of a query; throws InvalidQuery. */
  readMeta(field: Field): Query['meta']
  /** The types that a query accepts. */
  typesOf(meta: Query['meta']): readonly string[]
  /** A `meta` that asks for these types. */
  metaOf(types: readonly string[]): object
  /** `path` of a claims query; throws InvalidQuery. */
  readPath(field: Field): ClaimsPath
  /** The members of a claims query other than `id`, `path` and `values`. */
  readonly claimMembers: readonly 'intent_to_retain'[]
  /** The names in a path that mean something to people, outermost first. */
  claimNames(path: readonly unknown[]): readonly string[]
  /** Its part of `vp_formats_supported` (OpenID4VP §11.1). */
  readonly vpFormats: JsonObject
  /** The query to send, without our own extensions. */
  wireQuery(query: Query): object
  /** Whether a holder can confirm transaction data of this kind with it. */
  confirms(kind: TransactionKind): boolean
  /** Whether one presentation can confirm only one item of this kind. */
  confirmsOnce(kind: TransactionKind): boolean
}

/** A format that proves what another one would show. A query never asks for it directly. */
export interface ProofRecord<Query extends CredentialQueryBase, Name extends string = string>
  extends PresentedRecord<Query> {
  readonly kind: 'proof'
  readonly name: Name
  /** The format that it proves. Anchors vouch for that one. */
  readonly proves: Query['format']
  /** The id under which a request asks for it; null if this query does not ask for it. */
  proofId(query: Query): string | null
  /** The query to send. */
  wireQuery(query: Query): object
  /** The query with only the proofs that the wallet lists for this format; `declared` is null if the wallet lists none. */
  limitTo(query: Query, declared: JsonObject | null): Query
  readonly vpFormats: JsonObject
  /** The checks that pass only if the proof is valid. */
  readonly provedChecks: readonly CheckName[]
}
