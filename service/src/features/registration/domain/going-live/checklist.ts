// Decides what is missing before a merchant may ask real holders. An unknown fact never counts as done.

import type { STEP_NAMES, STEP_REASONS, STEP_STATES } from '../../../../../../wire/values/going-live.ts'
import { bestOfEach } from '../../../../core/registrations/domain/choose.ts'
import type { Parties } from '../../../../core/registrations/domain/identity.ts'
import { type Registration, registrationFaults } from '../../../../core/registrations/domain/registration.ts'
import type { ApiKey } from '../../../../core/tenants/domain/api-key.ts'
import { type Instant, millisecondsOf } from '../../../../platform/world.ts'
import {
  type CertificateView,
  REGISTERS,
  REGISTRATIONS,
  type ShownAnchor,
  type TrustList,
} from '../../../trust/index.ts'
import type { Mandate } from './mandate.ts'
import type { RequestKind } from './operator-request.ts'

type StepName = (typeof STEP_NAMES)[number]

type StepReason = (typeof STEP_REASONS)[number]

export interface Step {
  readonly name: StepName
  readonly state: (typeof STEP_STATES)[number]
  /** Why the step is open; empty if it is done. */
  readonly reasons: readonly StepReason[]
  /** The request that the operator must fulfil; null: the merchant does the step itself. */
  readonly request: RequestKind | null
}

/** The facts of one realm. */
export interface LiveFacts extends Parties {
  readonly mandate: Mandate | null
  readonly registrations: readonly Registration[]
  /** The number of templates that ask for more than is registered. */
  readonly overAsking: number
  /** Certificates for requests to wallets, including the operator's. */
  readonly certificates: readonly CertificateView[]
  /** Ids of certificates that wallets will reject. */
  readonly unfitCertificates: ReadonlySet<string>
  readonly anchors: readonly Pick<ShownAnchor, 'types' | 'validUntil' | 'listId'>[]
  readonly lists: readonly TrustList[]
  readonly keys: readonly ApiKey[]
  readonly webhook: { readonly hasSecret: boolean; readonly failingDestinations: number }
}

export function judgeGoingLive(facts: LiveFacts, nowMs: number): readonly Step[] {
  return [
    step('identity', facts.identity === null ? ['missing'] : [], 'identity'),
    mandateStep(facts),
    step('registration', registrationReasons(facts, nowMs), 'registration_provider'),
    step('access_certificate', certificateReasons(facts, nowMs), 'access_certificate'),
    step('trusted_lists', trustReasons(facts, nowMs), 'trusted_list'),
    step('live_key', facts.keys.some((key) => canAsk(key, nowMs)) ? [] : ['missing'], null),
    step('webhook', webhookReasons(facts), null),
  ]
}

const step = (name: StepName, reasons: readonly StepReason[], request: RequestKind | null): Step => ({
  name,
  state: reasons.length === 0 ? 'done' : 'open',
  reasons,
  request,
})

/**
 * A mandate is needed only if another party asks on the merchant's behalf. If the operator's identity is unknown, a
 * mandate is required.
 */
function mandateStep({ own, identity, mandate }: LiveFacts): Step {
  const isForItself = own !== null && (!own.isIntermediary || own.identifier === identity?.identifier)
  if (isForItself) return { name: 'mandate', state: 'not_needed', reasons: [], request: null }
  const unknown = own === null ? (['operator_unknown'] as const) : []
  if (mandate === null) return step('mandate', [...unknown, 'missing'], null)
  return step('mandate', [...unknown, ...(mandate.checkedAt === null ? (['unchecked'] as const) : [])], null)
}

/** Every intended use needs a certificate that live can use. */
function registrationReasons(facts: LiveFacts, nowMs: number): readonly StepReason[] {
  if (facts.registrations.length === 0) return ['missing']
  const isBad = (one: Registration) => registrationFaults(one, facts, nowMs).length > 0
  return [
    ...(bestOfEach(facts, nowMs).some(isBad) ? (['not_good'] as const) : []),
    ...(facts.overAsking > 0 ? (['over_asking'] as const) : []),
  ]
}

/** Requires a real authority's certificate; the merchant's own if another party asks on its behalf (ARF Reg_34a). */
function certificateReasons({ certificates, unfitCertificates, own }: LiveFacts, nowMs: number): readonly StepReason[] {
  const current = certificates.filter(({ purpose, state }) => purpose === 'openid4vp' && state === 'current')
  const installed = current.filter(({ provenance }) => provenance === 'installed')
  if (installed.length === 0) return [current.length === 0 ? 'missing' : 'generated']
  const fitting = own?.isIntermediary === true ? installed.filter(({ tenantId }) => tenantId !== null) : installed
  if (fitting.length === 0) return ['not_own']
  return [
    ...(fitting.some(({ validUntil }) => hasEnded(validUntil, nowMs)) ? (['ended'] as const) : []),
    ...(fitting.some(({ id }) => unfitCertificates.has(id)) ? (['not_good'] as const) : []),
  ]
}

/** Requires an anchor for credentials. Anchors for registration certificates do not count. */
function trustReasons({ anchors, lists }: LiveFacts, nowMs: number): readonly StepReason[] {
  const isOutdated = ({ nextUpdateAt }: TrustList) => nextUpdateAt !== null && hasEnded(nextUpdateAt, nowMs)
  const outdated = new Set<string | null>(lists.filter(isOutdated).map(({ id }) => id))
  const vouching = anchors
    .filter(({ types }) => types.some((type) => type !== REGISTRATIONS && type !== REGISTERS))
    .filter(({ validUntil }) => !hasEnded(validUntil, nowMs))
  if (vouching.length === 0) return ['missing']
  return vouching.every(({ listId }) => listId !== null && outdated.has(listId)) ? ['outdated'] : []
}

function canAsk({ scopes, revokedAt, expiresAt }: ApiKey, nowMs: number): boolean {
  const isOver = expiresAt !== null && hasEnded(expiresAt, nowMs)
  return revokedAt === null && !isOver && scopes.includes('verifications:create')
}

function webhookReasons({ webhook }: LiveFacts): readonly StepReason[] {
  if (!webhook.hasSecret) return ['missing']
  return webhook.failingDestinations > 0 ? ['failing'] : []
}

/** Whether something that must have an end has ended. An unknown end counts as ended. */
const hasEnded = (at: Instant | null, nowMs: number) => at === null || millisecondsOf(at) <= nowMs

export function renderStep({ name, state, reasons, request }: Step) {
  return { name, state, reasons: [...reasons], request }
}
