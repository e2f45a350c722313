// Diagnoses certificates, anchors and lists for the operator: expiring, unknown to wallets, or not refreshed.

import { docTypeOf } from '@vidimus/engine/formats'
import { isSameSoleType, soleTypeAmong } from '../../../core/verifications/domain/provable.ts'
import type { Deps } from '../../../deps.ts'
import type { Diagnosis } from '../../../platform/diagnosis.ts'
import { type Instant, instantOf, millisecondsOf } from '../../../platform/world.ts'
import { type AnchorView, needsProviders, REGISTERS, REGISTRATIONS, type TrustList } from '../domain/anchor.ts'
import type { CertificateView } from '../domain/certificate.ts'
import { explainListFailure, FAILURE_KEPT_MS } from '../domain/list-failure.ts'
import { listListFailures } from '../store/list-failures.ts'
import { listContradictedMarks, listUnreadLists } from '../store/listed-keys.ts'
import { listTrustLists } from '../store/trust-lists.ts'
import { certificateFaults } from './certificate-in-use.ts'
import { listAnchors, mixedWith } from './manage-anchors.ts'
import { listCertificates } from './manage-certificates.ts'

type Needs = Pick<Deps, 'db' | 'clock' | 'config' | 'remoteKeys'>

/** An authority needs days to issue another certificate. */
export const WARN_DAYS = 30
const DAY_MS = 86_400_000

export async function diagnoseTrust(deps: Needs): Promise<Diagnosis[]> {
  const faults = (await certificateFaults(deps)).map(
    (finding): Diagnosis => ({
      area: 'access certificate',
      status: 'problem',
      finding,
      remedy: 'install another one with `vidimus certificate install`',
    }),
  )
  const nowMs = deps.clock.now()
  const current = (await listCertificates(deps)).filter(({ state }) => state === 'current')
  const anchors = await listAnchors(deps)
  return [
    ...faults,
    ...current.map((certificate) => diagnoseCertificate(certificate, nowMs)),
    ...anchors.flatMap((anchor) => [...diagnoseAnchor(anchor, nowMs), ...diagnoseMixed(anchor, anchors)]),
    ...(await diagnoseProofs(deps, anchors)),
    ...diagnoseLists(await listTrustLists(deps.db), anchors, nowMs),
    ...(await diagnoseStatusLists(deps, nowMs)),
  ]
}

function diagnoseCertificate(certificate: CertificateView, nowMs: number): Diagnosis {
  const { purpose } = certificate
  const name = `${certificate.tenantId ?? 'service'}, ${certificate.environment}, ${purpose}`
  const remedy = `order another one with \`vidimus certificate csr --purpose ${purpose}\` and install it`
  const area = 'access certificate'
  const left = daysUntil(certificate.validUntil, nowMs)
  if (left < WARN_DAYS && certificate.provenance === 'installed') {
    const finding = left < 0 ? `${name}: has expired` : `${name}: expires in ${left} days`
    return { area, status: left < 0 ? 'problem' : 'warning', finding, remedy }
  }
  if (certificate.provenance === 'generated' && certificate.environment === 'live') {
    const finding = `${name}: generated here, so no real wallet trusts its authority`
    return { area, status: 'warning', finding, remedy }
  }
  return { area, status: 'ok', finding: `${name}: valid for ${left} days` }
}

function diagnoseAnchor(anchor: AnchorView, nowMs: number): Diagnosis[] {
  const left = daysUntil(anchor.validUntil, nowMs)
  if (left >= WARN_DAYS) return []
  const finding = left < 0 ? `${anchor.subject} has expired` : `${anchor.subject} expires in ${left} days`
  return [{ area: 'anchor', status: 'warning', finding, remedy: 'ask its authority for the next one' }]
}

/** Finds conflicts of anchors from lists, because loading a list does not compare its anchors with others. */
function diagnoseMixed(anchor: AnchorView, all: readonly AnchorView[]): Diagnosis[] {
  // Reports a pair once: for the anchor that vouches for registrations.
  if (!anchor.types.includes(REGISTRATIONS) && !anchor.types.includes(REGISTERS)) return []
  const other = mixedWith(anchor, all)
  if (other === null) return []
  const finding = `${anchor.subject} vouches for ${anchor.types.join(', ')}, and with the same key (${other.id}) for ${other.types.join(', ')}`
  return [{ area: 'anchor', status: 'problem', finding, remedy: 'remove one of them, or the list it comes from' }]
}

/** Reports why proofs are refused: only an anchor that is marked as issuing one type allows proofs. */
async function diagnoseProofs(deps: Pick<Deps, 'config' | 'db'>, anchors: readonly AnchorView[]): Promise<Diagnosis[]> {
  if (deps.config.zkVerifier === null) return []
  const area = 'zero-knowledge proofs'
  const marked = anchors.flatMap(({ sole, environment, tenantId }) =>
    sole === undefined ? [] : [{ ...sole, environment, tenantId }],
  )
  if (marked.length === 0) {
    const finding =
      'VIDIMUS_ZK_VERIFIER is set, but no anchor is marked as issuing one document type: no proof is accepted'
    return [{ area, status: 'warning', finding, remedy: MARK }]
  }
  const contradicted = anchors.filter(
    (one) => one.sole !== undefined && anchors.some((other) => contradicts(one, other)),
  )
  const problems = [
    ...contradicted.map(({ subject }) => [
      `another anchor has the same key as ${subject}, but a different mark or none: its proofs are refused`,
      'remove one of them, or give both the same mark',
    ]),
    ...(await listContradictedMarks(deps.db)).map(({ source, subject }) => [
      `${source} has named the key of ${subject} for another document type: proofs under it are refused`,
      `ask the issuer; if the list was wrong, ${IMPORT_AGAIN}`,
    ]),
    ...(await listUnreadLists(deps.db)).map((source) => [
      `the types that ${source} names for its keys are unknown: until then proofs are refused`,
      `run \`vidimus anchor refresh\`; from a file, ${IMPORT_AGAIN}`,
    ]),
  ].map(([finding = '', remedy = '']): Diagnosis => ({ area, status: 'problem', finding, remedy }))
  const types = new Map(marked.map((one) => [`${one.environment} ${one.tenantId} ${one.docType}`, one]))
  const requested = [...types.values()].map(({ docType, environment, tenantId }): Diagnosis => {
    const here = anchors.filter(
      (one) => one.environment === environment && (one.tenantId === null || one.tenantId === tenantId),
    )
    if (soleTypeAmong(here, docType) !== null)
      return { area, status: 'ok', finding: `${environment}: proofs of ${docType} are requested` }
    const finding = `${environment}: proofs of ${docType} are not requested: an anchor for it has no mark, or a different one`
    return { area, status: 'warning', finding, remedy: MARK }
  })
  // A contradicted mark may be all that a type has, so it does not count as requested.
  return problems.length === 0 ? requested : [...problems, ...requested.filter(({ status }) => status !== 'ok')]
}

/** Whether `other` has a different mark for the key of `one`, for all who use `one`. Then its mark has no effect. */
const contradicts = (one: AnchorView, other: AnchorView) =>
  one.keySha256 === other.keySha256 &&
  (other.tenantId === null || other.tenantId === one.tenantId) &&
  one.environment === other.environment &&
  other.types.some((type) => docTypeOf(type) !== null) &&
  !isSameSoleType(one.sole ?? null, other.sole ?? null)

const IMPORT_AGAIN = 'import it again and `vidimus anchor forget` the earlier one'
const MARK = 'add the anchor or list again with --sole-type and --sole-namespace, see docs/zk-verifier.md'

function diagnoseLists(lists: readonly TrustList[], anchors: readonly AnchorView[], nowMs: number): Diagnosis[] {
  const named = new Set(anchors.map(({ listId }) => listId))
  return lists.map((list) => {
    const late = list.nextUpdateAt !== null && millisecondsOf(list.nextUpdateAt) <= nowMs
    const loaded = list.loadedAt === null ? 'never loaded' : `loaded ${list.loadedAt}`
    if (list.types.length === 0 || needsProviders(list)) return diagnoseMismatch(list, loaded, named.has(list.id))
    if (list.failure === null && list.loadedAt !== null && !late)
      return { area: 'trust list', status: 'ok', finding: `${list.source}: ${loaded}` }
    const why = late
      ? `expired at ${list.nextUpdateAt}, so its anchors are not trusted`
      : (list.failure ?? 'has not been loaded yet')
    return {
      area: 'trust list',
      status: late || list.loadedAt === null ? 'problem' : 'warning',
      finding: `${list.source}: ${why} (${loaded})`,
      remedy:
        'see `vidimus anchor lists`, and ask its publisher before you import it again: that also accepts an older list',
    }
  })
}

async function diagnoseStatusLists(deps: Pick<Deps, 'db'>, nowMs: number): Promise<Diagnosis[]> {
  const failures = await listListFailures(deps.db, instantOf(nowMs - FAILURE_KEPT_MS))
  return failures.map((failure): Diagnosis => {
    const { why, remedy } = explainListFailure(failure)
    const finding = `${failure.environment}: ${failure.origin} could not be fetched: ${why}, last at ${failure.at}`
    return { area: 'status list', status: 'warning', finding, remedy }
  })
}

/** Reports a list of the wrong kind, or one without a grant. Its earlier anchors may still be trusted until it expires. */
function diagnoseMismatch(
  { id, providers, source, failure, nextUpdateAt, types }: TrustList,
  loaded: string,
  hasAnchors: boolean,
): Diagnosis {
  const why = failure ?? 'the providers of the list are not set'
  const isEnded = types.length === 0
  const trust = !hasAnchors || nextUpdateAt === null ? 'no longer trusted' : `trusted until ${nextUpdateAt}`
  const unset = `run \`vidimus anchor set-providers ${id} <providers>\`; a list from a file is imported again with --providers`
  const set = `compare its address and --providers ${providers} with what its publisher says; import it again, or \`vidimus anchor forget ${id}\``
  const ended = `compare the set-up file with what its publisher says, and apply it; without a file, import the list and \`vidimus anchor forget ${id}\``
  const finding = `${source}: ${why} (${loaded}; ${trust})`
  return { area: 'trust list', status: 'problem', finding, remedy: isEnded ? ended : providers === null ? unset : set }
}

function daysUntil(instant: Instant | null, nowMs: number): number {
  return instant === null ? -1 : Math.floor((millisecondsOf(instant) - nowMs) / DAY_MS)
}
