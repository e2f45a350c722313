// Every limit on the work that one response can cause. Limits over all texts and presentations are spent from one budget per
// response. When a limit is reached, the check that needs it fails.

import { type VerifyingKey, workOf } from './algorithms.ts'

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
  /**
   * Characters of a text that becomes a key of an object, map or set: a name, a digest, a value that is looked up. V8 hashes a text of
   * more than 16,383 by its length alone, so a sender could choose colliding ones, each of which is compared with all others.
   */
  keyLength: 4096,
  jsonDepth: 32,
  /** Values that are looked at while claims are chosen and kept: a path through an array looks at each of its elements. */
  claimSteps: 24_000,
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
   * Integer keys of one CBOR map: those below 1,024, such as digest IDs, and larger ones. V8 hashes integers without a secret, so a
   * sender can choose large keys that all collide and cost n² steps. Texts and bytes are hashed with a secret; only the budget limits
   * them.
   */
  integerKeys: 512,
  largeKeys: 100,
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
  /**
   * Reading, verifying, hashing, parsing certificates, searching anchors and looking into lists, in hundredths of a P-256
   * verification. All of it together: limits that are each kept add up. Twenty mdocs with portraits of 30 kB and their lists cost
   * about 120 verifications.
   */
  work: 13_000,
  /** Each costs about a second of CPU on the verifier. */
  proofs: 2,

  // Status and revocation lists, chosen by the signer of a credential. Counted over the whole response.
  /** Lists of all kinds, each counted once. A credential has one; its signer's chain and the list's signer have a few more. */
  lists: 16,
  /**
   * Bytes of the lists that are read for this response, downloaded and unpacked. The cost of a list is known only after reading it, so
   * one more may start while anything is left: one list of the largest size fits, or sixteen of a megabyte. Verifying them is `work`.
   */
  listBytes: 16_000_000,
  /** Entries of identifier lists and of revocation lists: one of the largest size fits, or two of half that size. */
  listItems: 250_000,

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
  /** Entries of each structure in it: extensions, key purposes, alternative names. Also all addresses of revocation lists together. */
  derMembers: 100,
  nameAttributes: 64,
  /** Real names have about a hundred octets. A longer name is compared octet by octet, which needs no preparation. */
  preparedNameBytes: 512,
  serialBytes: 64,
  /** Above this, a single verification costs milliseconds. */
  rsaBits: 8192,
  /** Real exponents are 3 or 65537. One of 32 bits doubles the cost of a verification, which is priced for 65537. */
  rsaExponent: 65_537n,
} as const

/** In the unit of work. */
export const VERIFICATION = 100

/**
 * What each expensive step on the event loop costs of the work of a response, measured with `npm run bench -- hostile`. It is paid
 * before the step; a step that cannot be paid is not taken.
 */
export const PRICES = {
  /** Bytes of a body that are decoded and decrypted in the time of one verification, with what its texts are decoded to. */
  receivedBytes: 36_000,
  /** How many are read in the time of one verification: escapes of the form, escapes and values of JSON, items of CBOR. */
  formEscapes: 1_200,
  jsonEscapes: 600,
  jsonValues: 120,
  cborItems: 350,
  /** How many values are looked at in the time of one verification while claims are chosen and kept. */
  claimSteps: 400,
  /** A presentation, apart from its bytes, values and signatures. */
  presentation: 100,
  /** Bytes that are hashed in the time of one verification. SHA-3 takes up to three times as long. */
  hashedBytes: 36_000,
  /** Bytes that are copied for another thread in the time of one verification. */
  copiedBytes: 100_000,
  /** A certificate of no bytes, and how many more bytes cost one verification: names and extensions are read one by one. */
  certificate: 100,
  certificateBytes: 1_500,
  /** More for a key on a curve longer than P-256: a compressed point is computed when the key is imported. */
  longKey: { 'P-384': 50, 'P-521': 150 },
  /** Such a point on P-256. */
  shortPoint: 20,
  /** An anchor with the name of an issuer, which is asked whether it vouches for the type. */
  anchor: 2,
  /** A path to such an anchor, without its signatures. */
  path: 20,
  /** A reference to a list, fetched or cached, without verifying it. */
  listReference: 8,
  /** Bytes of a list, downloaded and unpacked, that are taken from the thread that read it, and given back later. */
  listBytes: 400_000,
  /** Handing a signature to another thread. */
  handover: 30,
  /** Bytes of claims that are measured, digested, encrypted and stored after the verdict. */
  keptBytes: 8_000,
  /** The same if they are also encrypted to the merchant, and kept as a text that is a third longer. */
  encryptedBytes: 5_500,
} as const

/** The remaining budget of a response, passed on explicitly. */
export interface Budget {
  valuesLeft: number
  claimStepsLeft: number
  escapesLeft: number
  itemsLeft: number
  disclosuresLeft: number
  proofsLeft: number
  /** What was left when reading was last paid. */
  readonly paidUpTo: { values: number; escapes: number; items: number; claimSteps: number }
  /** Shared with the lists. */
  readonly work: Work
  readonly lists: ListBudget
}

/** Hundredths of a P-256 verification. */
export interface Work {
  left: number
}

/** Whatever pays from it: a response with its lists, or another signed document. */
export interface WorkBudget {
  readonly work: Work
}

/** The remaining budget for lists that a response, or another signed document, names. */
export interface ListBudget extends WorkBudget {
  listsLeft: number
  bytesLeft: number
  itemsLeft: number
}

export const newWork = (left: number = LIMITS.work): Work => ({ left })

export function newListBudget(work: Work = newWork()): ListBudget {
  return { listsLeft: LIMITS.lists, bytesLeft: LIMITS.listBytes, itemsLeft: LIMITS.listItems, work }
}

export function newBudget(work: Work = newWork()): Budget {
  return {
    work,
    lists: newListBudget(work),
    valuesLeft: LIMITS.jsonValues,
    claimStepsLeft: LIMITS.claimSteps,
    escapesLeft: LIMITS.jsonEscapes,
    itemsLeft: LIMITS.cborItems,
    disclosuresLeft: LIMITS.disclosures,
    proofsLeft: LIMITS.proofs,
    paidUpTo: {
      values: LIMITS.jsonValues,
      escapes: LIMITS.jsonEscapes,
      items: LIMITS.cborItems,
      claimSteps: LIMITS.claimSteps,
    },
  }
}

/** False if less than `amount` is left; then nothing is left. */
export function spend<Name extends string>(budget: Record<Name, number>, name: Name, amount: number): boolean {
  const enough = budget[name] >= amount
  budget[name] = enough ? budget[name] - amount : 0
  return enough
}

/** A verification on the event loop. */
export function spendSignature(budget: WorkBudget, key: VerifyingKey, signedBytes = 0): boolean {
  const ofKey = Math.ceil(workOf(key) * VERIFICATION)
  return spendWork(budget, ofKey + inVerifications(signedBytes, PRICES.hashedBytes))
}

/** A body, before anything of it is read. */
export function spendReceived(budget: WorkBudget, bytes: number): boolean {
  return spendWork(budget, inVerifications(bytes, PRICES.receivedBytes))
}

/** The escapes of a form, which are bounded and known afterwards. */
export function spendFormEscapes(budget: WorkBudget, count: number): boolean {
  return spendWork(budget, inVerifications(count, PRICES.formEscapes))
}

/**
 * Pays for what was read since the last call. How much there is becomes known only while it is read, within other
 * limits. If this returns false, the caller must not use it.
 */
export function spendRead(budget: Budget): boolean {
  const { paidUpTo, valuesLeft, escapesLeft, itemsLeft, claimStepsLeft } = budget
  const price =
    inVerifications(paidUpTo.values - valuesLeft, PRICES.jsonValues) +
    inVerifications(paidUpTo.escapes - escapesLeft, PRICES.jsonEscapes) +
    inVerifications(paidUpTo.items - itemsLeft, PRICES.cborItems) +
    inVerifications(paidUpTo.claimSteps - claimStepsLeft, PRICES.claimSteps)
  Object.assign(paidUpTo, {
    values: valuesLeft,
    escapes: escapesLeft,
    items: itemsLeft,
    claimSteps: claimStepsLeft,
  })
  return spendWork(budget, price)
}

/** A point of which only one coordinate and a sign are given: the other is computed when the key is imported. */
export function spendPoint(budget: WorkBudget, curve: 'P-256' | 'P-384' | 'P-521'): boolean {
  return spendWork(budget, curve === 'P-256' ? PRICES.shortPoint : PRICES.longKey[curve])
}

/** `times` is the cost relative to SHA-2. */
export function spendHashing(budget: WorkBudget, bytes: number, times = 1): boolean {
  return spendWork(budget, inVerifications(bytes * times, PRICES.hashedBytes))
}

export function spendCertificate(budget: WorkBudget, bytes: number, longKey: 'P-384' | 'P-521' | null): boolean {
  const forKey = longKey === null ? 0 : PRICES.longKey[longKey]
  return spendWork(budget, PRICES.certificate + forKey + inVerifications(bytes, PRICES.certificateBytes))
}

/** A list that was read for the response in another thread: its memory is the event loop's to collect. */
export function spendListRead(budget: WorkBudget, bytes: number): boolean {
  return spendWork(budget, inVerifications(bytes, PRICES.listBytes))
}

/** A verification in another thread, which gets a copy of the bytes. */
export function spendHandover(budget: WorkBudget, copiedBytes: number): boolean {
  return spendWork(budget, PRICES.handover + inVerifications(copiedBytes, PRICES.copiedBytes))
}

/** How many bytes of claims, as `jsonLength` counts them, can be kept for what is left. */
export function keptBytesMax({ work }: WorkBudget, isEncrypted = false): number {
  const perVerification = isEncrypted ? PRICES.encryptedBytes : PRICES.keptBytes
  return Math.floor((work.left / VERIFICATION) * perVerification)
}

/** False if not so much is left; then nothing is left. */
export function spendWork({ work }: WorkBudget, price: number): boolean {
  return spend(work, 'left', price)
}

/** Rounded up, so that sums are exact. */
const inVerifications = (bytes: number, perVerification: number) => Math.ceil((bytes * VERIFICATION) / perVerification)

export const OVERSPENT = 'the response asks for more to be hashed and verified than one response may'
