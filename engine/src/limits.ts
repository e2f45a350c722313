// What may one response cost us? Every bound on the work a sender can cause, in one table; those that add up over all texts and
// presentations of a response are spent from one budget, which travels with it. When a limit is reached, the check that it belongs to fails.

import { type KeyKind, SIGNATURE_WORK } from './algorithms.ts'

export const LIMITS = {
  /** Of the form, as received. A portrait of several hundred kilobytes fits. */
  bodyBytes: 2_000_000,
  fields: 64,
  /**
   * `%41` and `+`, in the whole form. An honest one has some hundred: what wallets send is base64url. Enough for a sender that escapes
   * every `-` and `_` of a megabyte, too.
   */
  formEscapes: 32_768,
  /** In all; with as many characters together as the form may have bytes. */
  presentations: 20,
  presentedLength: 2_000_000,
  sdJwtLength: 1_000_000,
  disclosureLength: 350_000,
  /** Of a JWE, as received. */
  jweHeaderLength: 4096,
  jsonDepth: 32,
  /** Of claims with their disclosures put in. */
  claimsDepth: 32,
  cborDepth: 16,
  /** Of a proof about an mdoc; real ones have 320 to 570 thousand. */
  zkProofBytes: 700_000,
  /** Proofs in one device response. */
  zkDocuments: 2,
  /** Elements that one proof is about, and the CBOR of a value: circuits take no more. */
  zkClaims: 4,
  zkValueBytes: 64,
  /**
   * Of one CBOR map. Integers are hashed without a secret, so a sender can choose ones that collide and make n keys cost n²
   * steps. No real map has so many; texts and bytes are hashed with a secret and may be as many as the budget allows.
   */
  integerKeys: 512,
  /** Other types that the issuer says a credential is known as. */
  otherTypes: 100,
  statusUriLength: 2048,
  statusIdBytes: 256,

  // Spent over the whole response.
  /** Members and elements of every JSON text: envelope, headers, payloads, disclosures. Honest presentations have a hundred each. */
  jsonValues: 6_000,
  /** `\n` and the like in every JSON text. Writers that escape each `/` of a portrait have ten thousand. */
  jsonEscapes: 16_384,
  /** Items of every CBOR text. An honest mdoc has some hundreds. */
  cborItems: 12_000,
  disclosures: 500,
  /** Those that were never seen before: one that is remembered costs nothing. */
  certificates: 16,
  /**
   * In verifications on P-256, of about a tenth of a millisecond; algorithms.ts says what each kind of key costs. What is hashed for
   * signatures and digests is spent from it, too: a response that is dear in one way has less left to be dear in another.
   */
  signatureWork: 60,
  /** Bytes that are hashed in the time of one verification on P-256; SHA-3 takes up to three times as long. */
  hashedBytes: 36_000,
  /** Each costs about a second of CPU on the verifier. */
  proofs: 2,

  // Status and revocation lists, chosen by the signer of a credential. Counted over the whole response.
  /** Lists of all kinds, each counted once. A credential has one, its signer's chain and the list's signer a few more. */
  lists: 16,
  /**
   * Of those that are read for this response: as downloaded, and what they unpack to. What a list costs is known when it was read, so one
   * more is begun while anything is left: one national list of the largest size fits, or sixteen of a megabyte.
   */
  listBytes: 16_000_000,
  /** Entries of identifier lists and of revocation lists, likewise: one of the largest size fits, or two of half of it. */
  listItems: 250_000,
  /** The same for the certificates of the signers of those lists. */
  listCertificates: 12,
  listSignatureWork: 40,

  // Of one list.
  /** As downloaded. */
  oneListBytes: 5_000_000,
  /** Entries of an identifier list or a revocation list. */
  oneListItems: 500_000,
  /** What a status list may unpack to: 134 million one-bit statuses. A cap on the ratio would not do, honest lists compress 700 to 1. */
  unpackedListBytes: 16 * 1024 * 1024,
  listSignatureBytes: 1024,
  /** Of the header of a list in JWT form, in base64url: four certificates of the largest size. */
  listHeaderLength: 256 * 1024,

  // Of one certificate.
  certificateBytes: 32 * 1024,
  /** Certificates that an x5c may have to be decoded at all; a chain that is judged has fewer. */
  x5cLength: 10,
  chainLength: 6,
  /** Of every structure in it: extensions, key purposes, alternative names. Also of all addresses of revocation lists. */
  derMembers: 100,
  nameAttributes: 64,
  /** Real names have some hundred octets; a longer one is compared octet by octet, which costs nothing to prepare. */
  preparedNameBytes: 512,
  serialBytes: 64,
  /** Above this a single verification costs milliseconds. */
  rsaBits: 8192,
  /** Real ones are 3 or 65537. One as long as the modulus makes a verification as dear as a signature. */
  rsaExponent: 0xffff_ffffn,
} as const

/** What is left of a response's share. One for each response, handed on explicitly. */
export interface Budget {
  valuesLeft: number
  escapesLeft: number
  itemsLeft: number
  disclosuresLeft: number
  certificatesLeft: number
  signatureWorkLeft: number
  proofsLeft: number
  /** How much was hashed so far: every `LIMITS.hashedBytes` of it cost one of `signatureWorkLeft`. */
  hashedBytes: number
  readonly lists: ListBudget
}

/** What is left for the lists that a response, or anything else that was signed, names. */
export interface ListBudget {
  listsLeft: number
  bytesLeft: number
  itemsLeft: number
  /** For the chains of their signers: what the presentations spent is not taken from it. */
  readonly chains: ChainBudget
}

/** What is left for certificates and their signatures. */
export type ChainBudget = Pick<Budget, 'certificatesLeft' | 'signatureWorkLeft' | 'hashedBytes'>

export function newListBudget(): ListBudget {
  return {
    listsLeft: LIMITS.lists,
    bytesLeft: LIMITS.listBytes,
    itemsLeft: LIMITS.listItems,
    chains: { certificatesLeft: LIMITS.listCertificates, signatureWorkLeft: LIMITS.listSignatureWork, hashedBytes: 0 },
  }
}

export function newBudget(): Budget {
  return {
    lists: newListBudget(),
    valuesLeft: LIMITS.jsonValues,
    escapesLeft: LIMITS.jsonEscapes,
    itemsLeft: LIMITS.cborItems,
    disclosuresLeft: LIMITS.disclosures,
    certificatesLeft: LIMITS.certificates,
    signatureWorkLeft: LIMITS.signatureWork,
    proofsLeft: LIMITS.proofs,
    hashedBytes: 0,
  }
}

/** False once there is not enough left for a verification with such a key: then none is made. */
export function spendSignature(budget: HashBudget, kind: KeyKind, signedBytes = 0): boolean {
  return spendHashing(budget, signedBytes) && spend(budget, 'signatureWorkLeft', SIGNATURE_WORK[kind])
}

type HashBudget = Pick<Budget, 'signatureWorkLeft' | 'hashedBytes'>

/** False once so much may not be hashed any more: then nothing is. `times` what SHA-2 takes. */
export function spendHashing(budget: HashBudget, bytes: number, times = 1): boolean {
  const before = Math.floor(budget.hashedBytes / LIMITS.hashedBytes)
  budget.hashedBytes += bytes * times
  return spend(budget, 'signatureWorkLeft', Math.floor(budget.hashedBytes / LIMITS.hashedBytes) - before)
}

/** False where less than `amount` is left; nothing is left then. */
export function spend<Name extends string>(budget: Record<Name, number>, name: Name, amount: number): boolean {
  const enough = budget[name] >= amount
  budget[name] = enough ? budget[name] - amount : 0
  return enough
}

export const OVERSPENT = 'the response asks for more to be hashed and verified than one response may'
