// What the engine must know about a format. Each format has a folder; `list.ts` lists them, and `table.ts` finds them.

import type { CborMap } from '../cbor/cbor.ts'
import type { Demand, Examination } from '../examination.ts'
import type { ClaimsPath, CredentialQueryBase } from '../openid4vp/credential-query.ts'
import type { Field } from '../openid4vp/fields.ts'
import type { TransactionKind } from '../transaction/item.ts'
import type { CheckName, Json, JsonObject } from '../verdict.ts'

/** The text in a vp_token, or a document from a device response that is already read. */
export type Presentation = string | CborMap

/** Uses methods instead of function members, so that `table.ts` can return a record by the format of its query. */
interface PresentedRecord<Query extends CredentialQueryBase> {
  /** The usual name of the format, the same in every language. */
  readonly label: string
  examine(presentation: Presentation, demand: Demand<Query>): Examination
  /** Reads only form and type, and verifies nothing. For presentations after one that failed. */
  list(presentation: Presentation, demand: Demand<Query>): Examination
  /** Checks that prove, with the issuer's signature, that the issuer signed this content. Each must pass. */
  readonly contentChecks: readonly CheckName[]
  /** Further checks that must pass, in addition to those of every format. */
  readonly otherChecks: readonly CheckName[]
  /** Why the format cannot show whether a credential was revoked; null if it can. */
  readonly statusNotProvable: string | null
  /** Returns the claims by the names that results use. `original`: the claims before derived values were added. */
  namedClaims(claims: JsonObject, original: JsonObject): readonly (readonly [string, Json])[]
}

/** A format that a query can ask for. */
export interface QueriedRecord<Query extends CredentialQueryBase> extends PresentedRecord<Query> {
  readonly kind: 'queried'
  readonly name: Query['format']
  /** The format's word for a type. */
  readonly typeName: string
  /** Reads `meta` of a query. Throws InvalidQuery. */
  readMeta(field: Field): Query['meta']
  /** Returns the types that a query accepts. */
  typesOf(meta: Query['meta']): readonly string[]
  /** Builds a `meta` that asks for these types. */
  metaOf(types: readonly string[]): object
  /** Reads `path` of a claims query. Throws InvalidQuery. */
  readPath(field: Field): ClaimsPath
  /** The allowed members of a claims query besides `id`, `path` and `values`. */
  readonly claimMembers: readonly 'intent_to_retain'[]
  /** Returns the names in a path that people understand, outermost first. */
  claimNames(path: readonly unknown[]): readonly string[]
  /** The format's part of `vp_formats_supported` (OpenID4VP §11.1). */
  readonly vpFormats: JsonObject
  /** Returns the query to send, without our own extensions. */
  wireQuery(query: Query): object
  /** Whether a holder can confirm this kind of transaction data with a credential of this format. */
  confirms(kind: TransactionKind): boolean
  /** Whether one presentation can confirm only a single item of this kind. */
  confirmsOnce(kind: TransactionKind): boolean
}

/** A format that proves statements about credentials of another format. Queries do not name it. */
export interface ProofRecord<Query extends CredentialQueryBase, Name extends string = string>
  extends PresentedRecord<Query> {
  readonly kind: 'proof'
  readonly name: Name
  /** The format whose credentials it proves. Anchors vouch for that format. */
  readonly proves: Query['format']
  /** Returns the id under which a request asks for the proof; null if this query does not ask for it. */
  proofId(query: Query): string | null
  /** Returns the query to send. */
  wireQuery(query: Query): object
  /** Returns the query with only those proofs that the wallet lists for this format. `declared`: null if the wallet lists none. */
  limitTo(query: Query, declared: JsonObject | null): Query
  readonly vpFormats: JsonObject
  /** Checks that pass only if the proof is valid. */
  readonly provedChecks: readonly CheckName[]
}
