// Every limit on the work that one response can cause. Limits over all texts and presentations are spent from one budget per
// response. When a limit is reached, the check that needs it fails.

import { type KeyKind, SIGNATURE_WORK } from './algorithms.ts'

export const LIMITS = {
  /** Bytes of the received form. A portrait of several hundred kilobytes fits. */
  bodyBytes: 2_000_000,
  fields: 64,
  /**
   * Escapes (`%41`, `+`) in the whole form. Wallets send base64url with about a hundred. A sender that escapes every `-` and `_` of a
   * megabyte also fits.
   */
  formEscapes: 32_768,
  /** In total. Their characters together are at most the bytes of the form. */
  presentations: 20,
  presentedLength: 2_000_000,
  sdJwtLength: 1_000_000,
  disclosureLength: 350_000,
  /** Characters of a received JWE. */
  jweHeaderLength: 4096,
  jsonDepth: 32,
  /** Values that are looked at while claims are chosen and kept: a path through an array looks at each of its elements. */
  claimSteps: 60_000,
  /** Depth of claims, with disclosures in their places. */
  claimsDepth: 32,
  cborDepth: 16,
  /** Bytes of a proof about an mdoc. Real ones have 320,000 to 570,000. */
  zkProofBytes: 700_000,
  /** Proofs in one device response. */
  zkDocuments: 2,
  /** Elements of one proof, and bytes of a value in CBOR. Circuits support no more. */
  zkClaims: 4,
  zkValueBytes: 64,
  /**
   * Integer keys of one CBOR map. V8 hashes integers without a secret, so a sender could choose colliding keys that cost n² steps.
   * Texts and bytes are hashed with a secret; only the budget limits them.
   */
  integerKeys: 512,
  /** Elements that a device signs in one document. Wallets sign none, or two for each transaction. */
  deviceElements: 100,
  /** Other types that the issuer lists for a credential (`aka_vcts`). */
  otherTypes: 100,
  statusUriLength: 2048,
  statusIdBytes: 256,

  // Spent over the whole response.
  /** Members and elements of all JSON texts: envelope, headers, payloads, disclosures. Real presentations have a hundred each. */
  jsonValues: 6_000,
  /** Escapes in all JSON texts, such as `\n`. A writer that escapes each `/` of a portrait has ten thousand. */
  jsonEscapes: 16_384,
  /** Items of all CBOR texts. A real mdoc has some hundreds. */
  cborItems: 12_000,
  disclosures: 500,
  /** Certificates that are not cached yet; cached ones cost nothing. */
  certificates: 16,
  /**
   * In verifications on P-256, about 0.1 ms each; algorithms.ts has the cost per kind of key. Hashing for signatures and digests
   * also spends it, so that a response cannot be expensive in two ways.
   */
  signatureWork: 60,
  /** Bytes that are hashed in the time of one verification on P-256. SHA-3 takes up to three times as long. */
  hashedBytes: 36_000,
  /** Each costs about a second of CPU on the verifier. */
  proofs: 2,

  // Status and revocation lists, chosen by the signer of a credential. Counted over the whole response.
  /** Lists of all kinds, each counted once. A credential has one; its signer's chain and the list's signer have a few more. */
  lists: 16,
  /**
   * Bytes of the lists that are read for this response, downloaded and unpacked. The cost of a list is known only after reading it, so
   * one more may start while anything is left: the largest national list fits, or sixteen lists of a megabyte.
   */
  listBytes: 16_000_000,
  /** Entries of identifier lists and of revocation lists: one of the largest size fits, or two of half that size. */
  listItems: 250_000,
  /** The same limits for the certificates of list signers. */
  listCertificates: 12,
  listSignatureWork: 40,
  /**
   * Bytes of lists without the certificate of their signer, for each key that they are verified with: the event loop copies them, about
   * 1 ms for a megabyte. One of the largest size fits, or two of 4 MB. What was verified before costs nothing.
   */
  listSignedBytes: 8_000_000,

  // Of one list.
  /** Downloaded bytes. */
  oneListBytes: 5_000_000,
  /** Entries of an identifier list or a revocation list. */
  oneListItems: 500_000,
  /** Unpacked bytes of a status list: 134 million one-bit statuses. A limit on the ratio would refuse real lists, which compress 700 to 1. */
  unpackedListBytes: 16 * 1024 * 1024,
  listSignatureBytes: 1024,
  /** The header of a list in JWT form, in base64url: four certificates of the largest size. */
  listHeaderLength: 256 * 1024,

  // Of one certificate.
  certificateBytes: 32 * 1024,
  /** Certificates of an `x5c` that is decoded at all; chains that are judged have fewer. */
  x5cLength: 10,
  chainLength: 6,
  /** Anchors with the name of a chain's issuer that are tried for one chain. A key identifier in the chain leaves one or two. */
  anchorCandidates: 64,
  /** Entries of each structure in it: extensions, key purposes, alternative names. Also all addresses of revocation lists together. */
  derMembers: 100,
  nameAttributes: 64,
  /** Real names have about a hundred octets. A longer name is compared octet by octet, which needs no preparation. */
  preparedNameBytes: 512,
  serialBytes: 64,
  /** Above this, a single verification costs milliseconds. */
  rsaBits: 8192,
  /** Real exponents are 3 or 65537. One as long as the modulus makes a verification as expensive as signing. */
  rsaExponent: 0xffff_ffffn,
} as const

/** The remaining budget of a response, passed on explicitly. */
export interface Budget {
  valuesLeft: number
  claimStepsLeft: number
  escapesLeft: number
  itemsLeft: number
  disclosuresLeft: number
  certificatesLeft: number
  signatureWorkLeft: number
  proofsLeft: number
  /** Bytes hashed so far. Each `LIMITS.hashedBytes` of them cost one of `signatureWorkLeft`. */
  hashedBytes: number
  readonly lists: ListBudget
}

/** The remaining budget for lists that a response, or another signed document, names. */
export interface ListBudget {
  listsLeft: number
  bytesLeft: number
  itemsLeft: number
  /** For the chains of list signers, separate from those of presentations. */
  readonly chains: ListSignerBudget
}

/** The remaining budget for the certificates of list signers, and for what they signed. */
export interface ListSignerBudget extends ChainBudget {
  signedBytesLeft: number
}

/** The remaining budget for certificates and their signatures. */
export type ChainBudget = Pick<Budget, 'certificatesLeft' | 'signatureWorkLeft' | 'hashedBytes'>

export function newListBudget(): ListBudget {
  return {
    listsLeft: LIMITS.lists,
    bytesLeft: LIMITS.listBytes,
    itemsLeft: LIMITS.listItems,
    chains: {
      certificatesLeft: LIMITS.listCertificates,
      signatureWorkLeft: LIMITS.listSignatureWork,
      hashedBytes: 0,
      signedBytesLeft: LIMITS.listSignedBytes,
    },
  }
}

export function newBudget(): Budget {
  return {
    lists: newListBudget(),
    valuesLeft: LIMITS.jsonValues,
    claimStepsLeft: LIMITS.claimSteps,
    escapesLeft: LIMITS.jsonEscapes,
    itemsLeft: LIMITS.cborItems,
    disclosuresLeft: LIMITS.disclosures,
    certificatesLeft: LIMITS.certificates,
    signatureWorkLeft: LIMITS.signatureWork,
    proofsLeft: LIMITS.proofs,
    hashedBytes: 0,
  }
}

/** False if the budget does not allow a verification with such a key; the caller must then not verify. */
export function spendSignature(budget: HashBudget, kind: KeyKind, signedBytes = 0): boolean {
  return spendHashing(budget, signedBytes) && spend(budget, 'signatureWorkLeft', SIGNATURE_WORK[kind])
}

type HashBudget = Pick<Budget, 'signatureWorkLeft' | 'hashedBytes'>

/** False if the budget does not allow to hash so many bytes; the caller must then not hash. `times` is the cost relative to SHA-2. */
export function spendHashing(budget: HashBudget, bytes: number, times = 1): boolean {
  const before = Math.floor(budget.hashedBytes / LIMITS.hashedBytes)
  budget.hashedBytes += bytes * times
  return spend(budget, 'signatureWorkLeft', Math.floor(budget.hashedBytes / LIMITS.hashedBytes) - before)
}

/** False if less than `amount` is left; then nothing is left. */
export function spend<Name extends string>(budget: Record<Name, number>, name: Name, amount: number): boolean {
  const enough = budget[name] >= amount
  budget[name] = enough ? budget[name] - amount : 0
  return enough
}

export const OVERSPENT = 'the response asks for more to be hashed and verified than one response may'
