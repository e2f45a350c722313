// What a tenant's staff see of its account: start page, trust; usage, settings, team.

import { Type } from 'typebox'
import type { Deps } from '../../../deps.ts'
import type { App } from '../../../platform/http/app.ts'
import { FINDING_CODES, LOOK_OUTCOMES, renderLook } from '../../registration/domain/drift.ts'
import { reaches } from '../../staff/domain/person.ts'
import { permitted, staffOf } from '../../staff/http/access.ts'
import { Answer, Count, Environment, Instant, List, oneOf, orNull, Part, RealmParams } from '../../staff/http/fields.ts'
import { addTeamRoutes } from '../../staff/http/sign-in/team.ts'
import { renderAnchor, renderTrustList, TRUST_LIST_KINDS } from '../../trust/domain/anchor.ts'
import { CERTIFICATE_PURPOSES, renderCertificate } from '../../trust/domain/certificate.ts'
import { LIST_PROVIDERS } from '../../trust/domain/list-providers.ts'
import { toPem } from '../../trust/domain/pem.ts'
import { readOverview } from '../usecases/read-overview.ts'
import { readTrust, SHOWN_ANCHORS_MAX, type TrustView } from '../usecases/read-trust.ts'
import { addSettingsRoutes } from './settings.ts'
import { addUsageRoutes, Spent } from './usage.ts'

const Overview = Answer('Overview', {
  steps: Part({
    key: Type.Boolean(),
    verification: Type.Boolean(),
    completed: Type.Boolean(),
    webhook: Type.Boolean(),
    device: Type.Boolean(),
  }),
  waiting: Count,
  usage: Part(Spent),
  failing_destinations: Count,
  deliveries: Part({ delivered: Count, waiting: Count, failed: Count }),
})

const Owned = { id: Type.String(), environment: Environment, tenant_id: orNull(Type.String()) }
const SoleType = orNull(Part({ doc_type: Type.String(), namespace: Type.String(), without_status: Type.Boolean() }))

const Trust = Answer('Trust', {
  sandbox: Type.Boolean({ description: 'The built-in issuer of the test environment is trusted' }),
  own_allowed: Type.Boolean({ description: 'Whether owners add issuers here' }),
  anchor_count: Type.Integer({
    minimum: 0,
    description: `How many are trusted; ${SHOWN_ANCHORS_MAX} of them are shown`,
  }),
  anchors: List(
    Part({
      ...Owned,
      own: Type.Boolean({ description: "The tenant's own, not the operator's" }),
      kind: oneOf('ca', 'pinned', 'exact'),
      profile: oneOf('generic', 'iso-mdl'),
      types: List(Type.String()),
      sole_type: SoleType,
      list_id: orNull(Type.String()),
      from_list: Type.Boolean(),
      subject: Type.String(),
      valid_until: orNull(Instant),
    }),
  ),
  lists: List(
    Part({
      ...Owned,
      kind: oneOf(...TRUST_LIST_KINDS),
      providers: orNull(oneOf(...LIST_PROVIDERS)),
      source: Type.String(),
      types: List(Type.String()),
      sole_type: SoleType,
      created_at: Instant,
      issuer: orNull(Type.String()),
      sequence: orNull(Type.Integer()),
      issued_at: orNull(Instant),
      next_update_at: orNull(Instant),
      loaded_at: orNull(Instant),
      attempted_at: orNull(Instant),
      failure: orNull(Type.String()),
    }),
  ),
  certificates: List(
    Part({
      ...Owned,
      own: Type.Boolean({ description: "The tenant's own, not the operator's" }),
      purpose: oneOf(...CERTIFICATE_PURPOSES),
      service_id: orNull(Type.String({ description: 'Which of the services it was made out for; null: all' })),
      origin: oneOf('generated', 'installed'),
      state: oneOf('waiting', 'current', 'retired'),
      subject: orNull(Type.String()),
      issuer: orNull(Type.String()),
      hosts: List(Type.String()),
      client_id: orNull(Type.String()),
      created_at: Instant,
      valid_until: orNull(Instant),
      csr: orNull(Type.String({ description: 'The signing request (PEM) of a key that waits, for owners' })),
    }),
  ),
  register: orNull(
    Part({
      outcome: oneOf(...LOOK_OUTCOMES),
      findings: List(Part({ code: oneOf(...FINDING_CODES), detail: Type.String() })),
      looked_at: Instant,
    }),
  ),
})

export function addAccountRoutes(app: App, deps: Deps): void {
  app.route({
    ...permitted(deps, 'GET @/overview'),
    schema: { hide: true, params: RealmParams, response: { 200: Overview } },
    handler: async (request) => {
      const { steps, waiting, usage, failingDestinations, deliveries } = await readOverview(
        deps,
        staffOf(request).realm,
      )
      return { steps, waiting, usage, failing_destinations: failingDestinations, deliveries }
    },
  })
  addUsageRoutes(app, deps)
  app.route({
    ...permitted(deps, 'GET @/trust'),
    schema: { hide: true, params: RealmParams, response: { 200: Trust } },
    handler: async (request) => {
      const { realm, role } = staffOf(request)
      return renderTrust(await readTrust(deps, { realm, isOwner: reaches(role, 'owner') }))
    },
  })
  addSettingsRoutes(app, deps)
  addTeamRoutes(app, deps)
}

function renderTrust(view: TrustView) {
  const { anchors, anchorCount, lists, certificates, signingRequests, sandbox, register, ownAllowed } = view
  return {
    sandbox,
    own_allowed: ownAllowed,
    anchor_count: anchorCount,
    anchors: anchors.map(renderAnchor),
    lists: lists.map(renderTrustList),
    certificates: certificates.map((certificate) => {
      const request = signingRequests.get(certificate.id)
      const csr = request === undefined ? null : toPem('CERTIFICATE REQUEST', request)
      return { ...renderCertificate(certificate), csr }
    }),
    register: register === null ? null : renderLook(register),
  }
}
