// Establishes the status of a credential and of its signer from the lists that they name. "unknown" is a status of its
// own, neither revoked nor valid.

import type { Examination, StatusReference } from '../examination.ts'
import type { FetchedList, SentRequest, StatusSource, Trust } from '../expected.ts'
import { PRICES, spendWork, type WorkBudget } from '../limits.ts'
import type { UsedList } from '../verdict.ts'
import { readCrlStatus } from './crl.ts'
import type { ListStatus } from './list.ts'
import type { CrlContent, ListContent, TokenContent } from './list-types.ts'
import { contentOf } from './memory.ts'
import { type ResponseLists, responseLists } from './response-lists.ts'
import type { RevocationStatus } from './revocation-status.ts'
import type { Circumstances } from './signer.ts'
import { readTokenStatus } from './token.ts'

export interface StatusOutcome {
  readonly check: 'not_revoked' | 'signer_not_revoked'
  /** `invalid`: the list has a value that no credential may have (Token Status List §8.3). */
  readonly outcome: RevocationStatus['outcome'] | 'none'
  readonly detail: string
  /** The list that decided; absent if none decided. */
  readonly list?: UsedList
}

/** Returns the status of the credential and of its signer. For a credential that has failed, fetches nothing. */
export async function establishStatus(
  examined: InquirySubject,
  expected: Inquiry['expected'],
  trust: Circumstances['trust'] & Pick<Trust, 'fetchStatus'>,
  lists: ResponseLists = responseLists(trust),
): Promise<readonly StatusOutcome[]> {
  const own = examined.status.filter(({ kind }) => kind !== 'crl')
  const signers = examined.status.filter(({ kind }) => kind === 'crl')
  const circumstances = { examined, expected, trust, lists, budget: lists }
  // Both name their lists in one tick: if these are too many, none is fetched.
  return Promise.all([
    own.length === 0 ? NO_STATUS : outcomeOf('not_revoked', own, circumstances),
    signers.length === 0 ? NO_LIST : outcomeOf('signer_not_revoked', signers, circumstances),
  ])
}

async function outcomeOf(
  check: StatusOutcome['check'],
  references: readonly StatusReference[],
  circumstances: Inquiry,
): Promise<StatusOutcome> {
  return { check, ...(await worstOf(references, circumstances)) }
}

const NO_STATUS: StatusOutcome = {
  check: 'not_revoked',
  outcome: 'none',
  detail: 'the credential names no status',
}
const NO_LIST: StatusOutcome = {
  check: 'signer_not_revoked',
  outcome: 'none',
  detail: "no certificate of the signer's chain names a revocation list",
}

/** A credential, or another document that names lists. */
type InquirySubject = Circumstances['examined'] & Pick<Examination, 'status' | 'failure'>

interface Inquiry extends Circumstances {
  readonly examined: InquirySubject
  readonly lists: ResponseLists
}

/** Worst first: if an issuer names two lists, both must be valid. */
const SEVERITY: readonly RevocationStatus['outcome'][] = [
  'revoked',
  'suspended',
  'invalid',
  'exceeded',
  'unknown',
  'valid',
]

async function worstOf(references: readonly StatusReference[], inquiry: Inquiry): Promise<RevocationStatus> {
  const [first, ...others] = references
  if (first !== undefined && others.length === 0) return ask(first, inquiry)
  return worst(await Promise.all(references.map((reference) => ask(reference, inquiry))))
}

function worst(statuses: readonly RevocationStatus[]): RevocationStatus {
  const found = SEVERITY.map((outcome) => statuses.find((status) => status.outcome === outcome))
  return found.find((status) => status !== undefined) ?? UNANSWERED
}

async function ask(reference: StatusReference, inquiry: Inquiry): Promise<RevocationStatus> {
  // Token Status List §8.3: fetches no list for a credential that is not genuine.
  if (inquiry.examined.failure !== null || inquiry.examined.signer === null) {
    return { outcome: 'unknown', detail: 'the status of a credential that failed is not checked' }
  }
  return lookUp(reference, inquiry, (list) => judge(reference, list, inquiry))
}

type CrlReference = Extract<StatusReference, { kind: 'crl' }>

/** Establishes whether certificates that signed something other than a credential are revoked. Fetches nothing if they name no list. */
export async function establishRevocation(
  references: readonly CrlReference[],
  inquiry: Omit<CrlInquiry, 'budget'> & { readonly trust: Pick<Trust, 'fetchStatus'> },
): Promise<Exclude<RevocationStatus['outcome'], 'exceeded'> | 'none'> {
  if (references.length === 0) return 'none'
  const { trust } = inquiry
  const lists = responseLists(trust)
  const statuses = await Promise.all(
    references.map((reference) =>
      lookUp(reference, { trust, lists }, ({ content }) => judgeCrl(reference, content, { ...inquiry, budget: lists })),
    ),
  )
  const { outcome } = worst(statuses)
  // If the separate budget of these lists is used up, the status is unknown.
  return outcome === 'exceeded' ? 'unknown' : outcome
}

async function lookUp(
  reference: StatusReference,
  { trust, lists }: { readonly trust: Pick<Trust, 'cache'>; readonly lists: ResponseLists },
  judged: (list: JudgedList) => Promise<RevocationStatus>,
): Promise<RevocationStatus> {
  if (!/^https?:\/\//i.test(reference.source.uri)) {
    return { outcome: 'unknown', detail: 'the address of the status cannot be used' }
  }
  if (reference.kind === 'crl' && reference.authority === null) return UNJUDGED
  if (!spendWork(lists, PRICES.listReference)) return UNAVAILABLE.response
  const answer = await lists.find(reference.source)
  if (answer.outcome === 'unavailable') return UNAVAILABLE[answer.overBudget ?? 'host']
  const { kind } = reference.source
  const judge = (list: FetchedList) => judged({ ...list, content: contentOf(list, kind, trust.cache.lists) })
  const status = await judge(answer)
  // The list could not be verified within the budget, so it is not used. No older list replaces it.
  if (status.outcome === 'exceeded') return status
  if (status.outcome !== 'unknown') {
    answer.markVerified?.()
    const found = { ...status, list: usedOf(reference.source, answer, trust) }
    return answer.stale ? ofOldList(found) : found
  }
  for (const list of answer.earlier ?? []) {
    const before = await judge(list)
    if (before.outcome === 'exceeded') return before
    // The newest list with a status decides, because a suspension in an older list may have been lifted.
    if (before.outcome === 'unknown') continue
    list.markVerified?.()
    const isServed = list.markVerified !== undefined
    return before.outcome === 'valid' && !isServed ? status : { ...before, list: usedOf(reference.source, list, trust) }
  }
  return status
}

function usedOf({ uri, kind }: StatusSource, list: FetchedList, { cache }: Pick<Trust, 'cache'>): UsedList {
  const content = contentOf(list, kind, cache.lists)
  if (content === null) throw new Error('bug: an unreadable list has a status')
  return { uri, kind, bytes: list.bytes, sha256: content.sha256 }
}

interface JudgedList extends Omit<FetchedList, 'content'> {
  /** null if the list is unreadable. */
  readonly content: ListContent | null
}

/** Lets only revocations of an old list count: an attacker could block the host of the newest list, or serve junk there. */
function ofOldList(status: RevocationStatus): RevocationStatus {
  return status.outcome === 'valid' ? OUT_OF_DATE : status
}

const UNFETCHED: RevocationStatus = { outcome: 'unknown', detail: 'the status could not be fetched' }
/**
 * Why the list is missing. A sender chooses how many lists a response names, so if the response's budget is used up,
 * every policy rejects.
 */
const UNAVAILABLE: Readonly<Record<'host' | 'tenant' | 'response', RevocationStatus>> = {
  host: UNFETCHED,
  tenant: {
    outcome: 'unknown',
    detail: 'the status was not established: this tenant has used up its lists of this minute',
  },
  response: {
    outcome: 'exceeded',
    detail: 'the response names more or longer status lists than one response may use',
  },
}
const UNANSWERED: RevocationStatus = { outcome: 'unknown', detail: 'the status could not be established' }
/** Only the issuer of a certificate can say whether it is revoked. A pinned certificate is trusted without its issuer. */
const UNJUDGED: RevocationStatus = {
  outcome: 'unknown',
  detail: "the revocation list of a pinned certificate cannot be judged without its issuer's certificate",
}
const OUT_OF_DATE: RevocationStatus = { outcome: 'unknown', detail: 'the list that gives the status is out of date' }

async function judge(reference: StatusReference, list: JudgedList, inquiry: Inquiry): Promise<RevocationStatus> {
  const { uri, kind } = reference.source
  const media = MEDIA[kind]
  if (media !== null && mediaType(list.contentType) !== media) {
    return { outcome: 'unknown', detail: 'the status was served as something else' }
  }
  if (reference.kind === 'crl') return judgeCrl(reference, list.content, inquiry)
  const of = reference.kind === 'list' ? reference.index : reference.id
  const question = { uri, of, certificate: reference.certificate }
  return checkListSigner(await readTokenStatus(tokenOf(list.content), question, inquiry), inquiry)
}

function tokenOf(content: ListContent | null): TokenContent | null {
  return content === null || content.list.kind === 'crl' ? null : content.list
}

function crlOf(content: ListContent | null): CrlContent | null {
  return content?.list.kind === 'crl' ? content.list : null
}

interface CrlInquiry {
  readonly expected: Pick<SentRequest, 'now' | 'skewSeconds'>
  readonly trust: Pick<Trust, 'cache'>
  readonly budget: WorkBudget
}

async function judgeCrl(
  { serial, authority }: CrlReference,
  content: ListContent | null,
  { expected, trust, budget }: CrlInquiry,
): Promise<RevocationStatus> {
  if (authority === null) return UNJUDGED
  return readCrlStatus(crlOf(content), { serial, authority }, expected, { memory: trust.cache.lists, budget })
}

/**
 * "valid" counts only if no certificate of the list's signer is revoked; "revoked" counts in any case. The recursion
 * ends with CRLs, because the revocation of the authorities that sign them is not checked.
 */
async function checkListSigner({ dependsOn, ...status }: ListStatus, inquiry: Inquiry): Promise<RevocationStatus> {
  if (status.outcome !== 'valid' || dependsOn.length === 0) return status
  // The signer of the credential may also have signed its list. Then its own references say who issued its certificates.
  const { status: own } = inquiry.examined
  const references = dependsOn.map((reference) => own.find((known) => isSameCrl(known, reference)) ?? reference)
  const { outcome } = await worstOf(references, inquiry)
  if (outcome === 'valid') return status
  if (outcome === 'exceeded') return UNAVAILABLE.response
  return outcome === 'unknown' ? LIST_SIGNER_UNCERTAIN : LIST_SIGNER_REVOKED
}

const LIST_SIGNER_REVOKED: RevocationStatus = {
  outcome: 'unknown',
  detail: "a certificate of the status list's signer has been revoked or is on hold",
}
const LIST_SIGNER_UNCERTAIN: RevocationStatus = {
  outcome: 'unknown',
  detail: "could not establish whether the status list's signer has been revoked",
}

/** Whether both are about one certificate. The issuer of a pinned signer may be unknown in `other`. */
function isSameCrl(known: StatusReference, other: StatusReference): boolean {
  if (known.kind !== 'crl' || other.kind !== 'crl' || known.source.uri !== other.source.uri) return false
  if (Buffer.compare(known.serial, other.serial) !== 0) return false
  return other.authority === null || known.authority?.fingerprint === other.authority.fingerprint
}

/** Token Status List §8.2. CRLs are served under many media types, but are signed DER in any case. */
const MEDIA = {
  status_list_jwt: 'application/statuslist+jwt',
  status_list_cwt: 'application/statuslist+cwt',
  identifier_list_cwt: 'application/identifierlist+cwt',
  crl: null,
} as const satisfies Record<StatusReference['source']['kind'], string | null>

function mediaType(contentType: string): string {
  return (contentType.split(';', 1)[0] ?? '').trim().toLowerCase()
}
