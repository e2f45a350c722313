// Limits the work that one response can cause. All its texts and presentations share one budget. When a limit is
// reached, the current check fails.

import { type VerifyingKey, workOf } from './algorithms.ts'

export const LIMITS = {
  /** Bytes of the received form. A portrait of several hundred kilobytes fits. */
  bodyBytes: 2_000_000,
  fields: 64,
  /**
   * Escapes (`%41`, `+`) in the whole form. Wallets send base64url, with about a hundred escapes. A sender that escapes
   * every `-` and `_` of a megabyte also stays below.
   */
  formEscapes: 32_768,
  /** In the whole response, and proofs in one device response. All characters together cannot exceed the bytes of the form. */
  presentations: 20,
  presentedLength: 2_000_000,
  sdJwtLength: 1_000_000,
  disclosureLength: 350_000,
  /** Characters of a received JWE. */
  jweHeaderLength: 4096,
  /**
   * Characters of a text that becomes a key of an object, map or set: a name, a digest, a value to look up. V8 hashes
   * texts of more than 16,383 characters by their length only, so a sender could choose many that collide.
   */
  keyLength: 4096,
  jsonDepth: 32,
  /**
   * Names of one object that are array indices, such as `17`. V8 stores these members like an array's elements, and a
   * sender can choose indices at which it rebuilds all of them again and again: n² steps.
   */
  indexNames: 256,
  /**
   * Characters of a number in JSON. Reading hundreds of digits takes long computations with big integers. A number of more
   * than `plainNumberLength` counts as two values.
   */
  numberLength: 64,
  plainNumberLength: 20,
  /** Values that are visited while claims are selected. A path through an array visits each element. */
  claimSteps: 24_000,
  /** Depth of claims, with disclosures inserted at their places. */
  claimsDepth: 32,
  cborDepth: 16,
  /** A text of CBOR counts as one more item for so many bytes. */
  cborTextBytes: 256,
  /** Bytes of a proof about an mdoc. Real ones have 320,000 to 570,000. */
  zkProofBytes: 700_000,
  /** Claims of one proof, and bytes of a claim's value in CBOR. Circuits support no more. */
  zkClaims: 4,
  zkValueBytes: 64,
  /**
   * Integer keys of one CBOR map: all of them, and those from 1,024 on (digest IDs are smaller). V8 hashes integers without a
   * secret, so a sender can choose large keys that collide and cost n² steps. Texts and bytes are hashed with a secret, so the
   * budget is enough for them.
   */
  integerKeys: 512,
  largeKeys: 100,
  /** Characters of a name space or an element of an mdoc. They are examined one by one. Real names have at most fifty. */
  mdocNameLength: 128,
  /** Elements that a device signs in one document. Wallets sign none, or two per transaction. */
  deviceElements: 100,
  /** Further types that the issuer lists for a credential (`aka_vcts`). */
  otherTypes: 100,
  statusUriLength: 2048,
  statusIdBytes: 256,

  // Budgets for the whole response.
  /** Members and elements of all JSON texts: envelope, headers, payloads, disclosures. A real presentation has about a hundred. */
  jsonValues: 6_000,
  /** Escapes in all JSON texts, such as `\n`. If a writer escapes each `/`, a portrait has ten thousand. */
  jsonEscapes: 16_384,
  /** Items of all CBOR texts. A real mdoc has several hundred. */
  cborItems: 12_000,
  disclosures: 500,
  /**
   * Reading, verifying, hashing, parsing certificates, searching anchors and reading lists, in hundredths of a P-256 verification.
   * One budget for everything, because separate limits add up. Twenty mdocs with portraits of 30 kB and their lists take about 125.
   */
  work: 14_000,
  /** Each costs about a second of CPU on the verifier. */
  proofs: 2,

  // Status and revocation lists, which the signer of a credential chooses. Budgets for the whole response.
  /** Distinct lists of all kinds. A credential has one; the signers of the credential and of the list have a few more. */
  lists: 16,
  /**
   * Downloaded and unpacked bytes of the lists for this response: one list of the largest size, or sixteen of a
   * megabyte. A list's cost is known only after reading it, so another list may start while anything is left. Verifying
   * lists spends `work`.
   */
  listBytes: 16_000_000,
  /** Entries of identifier lists and of revocation lists: one list of the largest size fits, or two of half that size. */
  listItems: 250_000,

  // Limits of one list.
  /** Downloaded bytes. */
  oneListBytes: 5_000_000,
  /** Entries of an identifier list or a revocation list. */
  oneListItems: 500_000,
  /** Unpacked bytes of a status list: 134 million one-bit statuses. Not a ratio, because real lists compress 700 to 1. */
  unpackedListBytes: 16 * 1024 * 1024,
  listSignatureBytes: 1024,
  /** The header of a JWT list, in base64url: four certificates of the largest size fit. */
  listHeaderLength: 256 * 1024,

  // Limits of one certificate.
  certificateBytes: 32 * 1024,
  /** Certificates of an `x5c` that is decoded. Chains that are accepted have fewer. */
  x5cLength: 10,
  chainLength: 6,
  /** Entries of each structure: extensions, key purposes, alternative names. Also addresses of revocation lists in total. */
  derMembers: 100,
  nameAttributes: 64,
  /** Real names have about a hundred octets. A longer name is compared octet by octet instead of being normalized first. */
  preparedNameBytes: 512,
  serialBytes: 64,
  /** Longer keys would make a single verification cost milliseconds. */
  rsaBits: 8192,
  /** Real exponents are 3 or 65537, and the price assumes 65537. One of 32 bits would double the cost of a verification. */
  rsaExponent: 65_537n,
} as const

/** One P-256 verification in the unit of `work`. */
export const VERIFICATION = 100

/**
 * The price of each expensive step on the event loop, measured with `npm run bench -- hostile`. A step is paid for
 * before it is taken. If the budget does not suffice, the step is not taken.
 */
export const PRICES = {
  /** Bytes of a body that are decoded and decrypted in the time of one verification, including decoding its texts. */
  receivedBytes: 36_000,
  /** How many are read in the time of one verification: escapes of the form, escapes and values of JSON, items of CBOR. */
  formEscapes: 1_200,
  jsonEscapes: 600,
  jsonValues: 120,
  cborItems: 350,
  /** Values that are visited in the time of one verification while claims are selected. */
  claimSteps: 400,
  /**
   * Values of the requested claims, at any depth, that are compared, named and copied after the verdict in the time of one
   * verification. Paid for when the claims are chosen.
   */
  answeredValues: 150,
  /**
   * In the time of one verification: sources of a template that are read in a credential, names on their paths, and
   * outputs that are put together from a combination of credentials.
   */
  sourceSteps: 1_200,
  /** A presentation, without its bytes, values and signatures. */
  presentation: 200,
  /** Bytes that are hashed in the time of one verification. SHA-3 takes up to three times as long. */
  hashedBytes: 36_000,
  /** Bytes that are copied for another thread in the time of one verification. */
  copiedBytes: 100_000,
  /**
   * The price of an empty certificate. More bytes cost more (`certificateBytes` per verification), because names and
   * extensions are read one by one.
   */
  certificate: 100,
  certificateBytes: 1_500,
  /** Added for a key on a longer curve than P-256, because importing a compressed point computes a coordinate. */
  longKey: { 'P-384': 50, 'P-521': 150 },
  /** A compressed point on P-256. */
  shortPoint: 20,
  /** Checking whether an anchor with the issuer's name vouches for the type. */
  anchor: 2,
  /** A path to such an anchor, without verifying its signatures. */
  path: 20,
  /** A reference to a list, fetched or cached, without verifying the list. */
  listReference: 8,
  /** Bytes of a list, downloaded and unpacked, that another thread has read and the event loop must later free. */
  listBytes: 200_000,
  /** Passing a signature to another thread. */
  handover: 30,
  /** Characters of a claim that are compared with an alphabet in the time of one verification. */
  examinedLetters: 50_000,
  /** Bytes of claims that are measured, digested, encrypted and stored after the verdict, in the time of one verification. */
  keptBytes: 8_000,
  /** Bytes of claims that are also encrypted for the merchant, and then stored as a text that is a third longer. */
  encryptedBytes: 5_500,
} as const

interface ReadAmounts {
  valuesLeft: number
  escapesLeft: number
  itemsLeft: number
  claimStepsLeft: number
}

/** The remaining budget of a response, which is always passed explicitly. */
export interface Budget extends ReadAmounts {
  disclosuresLeft: number
  proofsLeft: number
  /** What was left when reading was last paid for. */
  readonly paidUpTo: ReadAmounts
  /** Shared with the lists. */
  readonly work: Work
  readonly lists: ListBudget
}

/** In hundredths of a P-256 verification. */
export interface Work {
  left: number
}

/** A budget that pays from `work`: of a response with its lists, or of another signed document. */
export interface WorkBudget {
  readonly work: Work
}

/** The remaining budget for lists that a response or another signed document names. */
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
  const read: ReadAmounts = {
    valuesLeft: LIMITS.jsonValues,
    escapesLeft: LIMITS.jsonEscapes,
    itemsLeft: LIMITS.cborItems,
    claimStepsLeft: LIMITS.claimSteps,
  }
  return {
    ...read,
    work,
    lists: newListBudget(work),
    disclosuresLeft: LIMITS.disclosures,
    proofsLeft: LIMITS.proofs,
    paidUpTo: read,
  }
}

/** Returns false if less than `amount` is left, and then sets what is left to 0. */
export function spend<Name extends string>(budget: Record<Name, number>, name: Name, amount: number): boolean {
  const enough = budget[name] >= amount
  budget[name] = enough ? budget[name] - amount : 0
  return enough
}

/** Pays for a verification on the event loop. */
export function spendSignature(budget: WorkBudget, key: VerifyingKey, signedBytes = 0): boolean {
  const ofKey = Math.ceil(workOf(key) * VERIFICATION)
  return spendWork(budget, ofKey + inVerifications(signedBytes, PRICES.hashedBytes))
}

/** Pays for a body before any of it is read. */
export function spendReceived(budget: WorkBudget, bytes: number): boolean {
  return spendWork(budget, inVerifications(bytes, PRICES.receivedBytes))
}

/** Pays for the escapes of a form after they were read, because their number is limited anyway. */
export function spendFormEscapes(budget: WorkBudget, count: number): boolean {
  return spendWork(budget, inVerifications(count, PRICES.formEscapes))
}

/** What reading spends, and its prices. */
const READ = [
  ['valuesLeft', 'jsonValues'],
  ['escapesLeft', 'jsonEscapes'],
  ['itemsLeft', 'cborItems'],
  ['claimStepsLeft', 'claimSteps'],
] as const

/**
 * Pays for what was read since the last call. Amounts are known only after reading, so it also limits what may still be
 * read to what the rest can pay for. If this returns false, the caller must not use what was read.
 */
export function spendRead(budget: Budget): boolean {
  const { paidUpTo } = budget
  const price = READ.reduce((sum, [left, per]) => sum + inVerifications(paidUpTo[left] - budget[left], PRICES[per]), 0)
  const isPaid = spendWork(budget, price)
  for (const [left, per] of READ) {
    budget[left] = Math.min(budget[left], Math.ceil((budget.work.left * PRICES[per]) / VERIFICATION))
    paidUpTo[left] = budget[left]
  }
  return isPaid
}

/** Pays for all later steps over the claims that answer a query, however often they read a value. */
export function spendAnswered(budget: WorkBudget, values: number): boolean {
  return spendWork(budget, inVerifications(values, PRICES.answeredValues))
}

/** Pays for a compressed point: importing the key computes the second coordinate. */
export function spendPoint(budget: WorkBudget, curve: 'P-256' | 'P-384' | 'P-521'): boolean {
  return spendWork(budget, curve === 'P-256' ? PRICES.shortPoint : PRICES.longKey[curve])
}

/** Pays for hashing. `times` is the cost relative to SHA-2. */
export function spendHashing(budget: WorkBudget, bytes: number, times = 1): boolean {
  return spendWork(budget, inVerifications(bytes * times, PRICES.hashedBytes))
}

export function spendCertificate(budget: WorkBudget, bytes: number, longKey: 'P-384' | 'P-521' | null): boolean {
  const forKey = longKey === null ? 0 : PRICES.longKey[longKey]
  return spendWork(budget, PRICES.certificate + forKey + inVerifications(bytes, PRICES.certificateBytes))
}

/** Pays for a list that another thread has read: the event loop frees its memory. */
export function spendListRead(budget: WorkBudget, bytes: number): boolean {
  return spendWork(budget, inVerifications(bytes, PRICES.listBytes))
}

/** How many bytes of a list the rest of the budget can pay for. */
export const listBytesMax = ({ work }: WorkBudget): number => Math.floor((work.left / VERIFICATION) * PRICES.listBytes)

/** Pays for a verification in another thread, which gets a copy of the bytes. */
export function spendHandover(budget: WorkBudget, copiedBytes: number): boolean {
  return spendWork(budget, PRICES.handover + inVerifications(copiedBytes, PRICES.copiedBytes))
}

/** Pays for a claim whose characters are compared with an alphabet. */
function spendText(budget: WorkBudget, length: number): boolean {
  return spendWork(budget, inVerifications(length, PRICES.examinedLetters))
}

/** Returns how many bytes of claims (as `jsonLength` counts) the rest of the budget can pay for. */
export function keptBytesMax({ work }: WorkBudget, isEncrypted = false): number {
  const perVerification = isEncrypted ? PRICES.encryptedBytes : PRICES.keptBytes
  return Math.floor((work.left / VERIFICATION) * perVerification)
}

/** Returns false if less than `price` is left, and then sets what is left to 0. */
export function spendWork({ work }: WorkBudget, price: number): boolean {
  return spend(work, 'left', price)
}

/** Rounded up, so that sums are exact. */
const inVerifications = (bytes: number, perVerification: number) => Math.ceil((bytes * VERIFICATION) / perVerification)

export const OVERSPENT = 'the response needs more hashing and verification than one response may use'

/** What a result may still cost after the verdict: reading its outputs, examining their texts, and storing its claims. */
export interface ResultBudget {
  /**
   * Whether the text passes `test`. `place` is where it is in `credential`: what several outputs name is examined once.
   * False if the budget does not suffice.
   */
  readonly examine: (text: string, test: (text: string) => boolean, credential: object, place: string) => boolean
  /** Pays for so many `sourceSteps`. False if the budget does not suffice. */
  readonly follow: (steps: number) => boolean
  /** Whether the budget sufficed so far. */
  readonly sufficed: () => boolean
  /** The maximum size of all claims as JSON that the rest of the budget can pay for. */
  readonly bytesMax: () => number
}

/** `isEncrypted`: the claims are also encrypted to the merchant. */
export function createResultBudget(budget: WorkBudget = newBudget(), isEncrypted = false): ResultBudget {
  const examined = new Map<object, Map<string, boolean>>()
  let sufficed = true
  return {
    examine(text, test, credential, place) {
      const known = examined.get(credential) ?? new Map<string, boolean>()
      examined.set(credential, known)
      const earlier = known.get(place)
      if (earlier !== undefined) return earlier
      sufficed &&= spendText(budget, text.length)
      const passed = sufficed && test(text)
      known.set(place, passed)
      return passed
    },
    follow(steps) {
      sufficed &&= spendWork(budget, inVerifications(steps, PRICES.sourceSteps))
      return sufficed
    },
    sufficed: () => sufficed,
    bytesMax: () => keptBytesMax(budget, isEncrypted),
  }
}
