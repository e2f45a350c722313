// A tenant's registration: who it is, its certificates, and what its templates and access certificates have to do with them.

import { Type } from 'typebox'
import { renderConcernForPage } from '../../../core/registrations/domain/choose.ts'
import {
  IDENTIFIER_LENGTH_MAX,
  type Parties,
  REGISTRY_URI_LENGTH_MAX,
  renderIdentity,
  TRADE_NAME_LENGTH_MAX,
} from '../../../core/registrations/domain/identity.ts'
import { renderProblem, renderRefusal } from '../../../core/registrations/domain/problem.ts'
import {
  ENDING_DAYS,
  INTENDED_USE_LENGTH_MAX,
  REGISTRATION_STATUSES,
  type Registration,
  registrationFaults,
  registrationRemarks,
  renderRegistration,
} from '../../../core/registrations/domain/registration.ts'
import { readParties } from '../../../core/registrations/usecases/read-registrations.ts'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import type { App } from '../../../platform/http/app.ts'
import { permitted, staffOf } from '../../staff/http/access.ts'
import {
  Answer,
  Concern,
  Done,
  Empty,
  Environment,
  Instant,
  Line,
  List,
  oneOf,
  orNull,
  Part,
  Problem,
  RealmAndId,
  RealmParams,
  RegistrationRefused,
} from '../../staff/http/fields.ts'
import { type RegistrationReport, renderReport } from '../domain/report.ts'
import { checkRegistration } from '../usecases/check-registration.ts'
import { changeIdentity } from '../usecases/manage-identity.ts'
import { addRegistration, removeRegistration } from '../usecases/manage-registrations.ts'

/** More than a certificate may have (engine/src/registration/certificate.ts), so that the use case says so. */
const JWT_LENGTH_MAX = 50_000

const Text = Type.String()
const Identity = Answer('RegisteredIdentity', {
  identifier: Text,
  trade_name: Text,
  registry_uri: orNull(Text),
  is_intermediary: Type.Boolean({ description: 'Of the operator: it acts for others' }),
  changed_at: Instant,
})
const Path = List(Type.Union([Text, Type.Integer(), Type.Null()]))
const Certificate = Answer('RegistrationCertificate', {
  id: Text,
  environment: Environment,
  intended_use: Text,
  subject: Text,
  service_name: Text,
  service_id: orNull(Text),
  intermediary: orNull(Text),
  purposes: List(Part({ lang: Text, text: Text })),
  privacy_policy: orNull(Text),
  credentials: List(Part({ format: Text, types: List(Text), paths: List(Path) })),
  sha256: Text,
  issued_at: Instant,
  expires_at: orNull(Instant),
  days_left: orNull(Type.Integer()),
  ending: orNull(oneOf('ended', ...ENDING_DAYS)),
  verified: Type.Boolean({ description: 'A trusted provider signed it' }),
  status: oneOf(...REGISTRATION_STATUSES),
  checked_at: Instant,
  faults: Type.Array(Problem, { description: 'Why live does not use it' }),
  remarks: Type.Array(Problem, { description: 'What the registrar should have done otherwise' }),
})
const Report = Answer('RegistrationReport', {
  identity: orNull(Identity),
  operator: orNull(Identity),
  certificates: List(Certificate),
  templates: List(Part({ key: Text, intended_use: orNull(Text), concerns: List(Concern) })),
  under_use: List(
    Part({ intended_use: Text, unused: List(Part({ format: Text, types: List(Text), path: orNull(Path) })) }),
  ),
  access_certificates: List(
    Part({
      certificate_id: Text,
      service_id: orNull(Text),
      level: oneOf('problem', 'warning', 'info'),
      check: Text,
      detail: Text,
    }),
  ),
})
const Addition = Type.Union(
  [Part({ outcome: Type.Literal('added'), certificate: Certificate, warnings: List(Problem) }), RegistrationRefused],
  { $id: 'RegistrationAddition' },
)
const Change = Type.Union([Part({ outcome: Type.Literal('changed'), identity: Identity }), RegistrationRefused], {
  $id: 'IdentityChange',
})

export function addRegistrationRoutes(app: App, deps: Deps): void {
  app.route({
    ...permitted(deps, 'GET @/registration'),
    schema: { hide: true, params: RealmParams, response: { 200: Report } },
    handler: async (request) => reportForPage(await checkRegistration(deps, staffOf(request).realm), deps.clock.now()),
  })
  addIdentityRoute(app, deps)
  app.route({
    ...permitted(deps, 'POST @/registration/certificates'),
    schema: {
      hide: true,
      params: RealmParams,
      body: Type.Object(
        {
          jwt: Type.String({ minLength: 1, maxLength: JWT_LENGTH_MAX }),
          intended_use: Type.Optional(Line(INTENDED_USE_LENGTH_MAX)),
        },
        { additionalProperties: false },
      ),
      response: { 200: Addition },
    },
    handler: async (request) => {
      const { realm, actor } = staffOf(request)
      const { jwt, intended_use: intendedUse = null } = request.body
      const added = await addRegistration(deps, { realm, jwt, intendedUse, actor })
      if (added.outcome === 'refused') return renderRefusal(added)
      const certificate = certificateForPage(added.registration, await readParties(deps, realm), deps.clock.now())
      return { outcome: 'added' as const, certificate, warnings: added.warnings.map(renderProblem) }
    },
  })
  app.route({
    ...permitted(deps, 'POST @/registration/certificates/:id/remove'),
    schema: { hide: true, params: RealmAndId, body: Empty, response: { 200: Done } },
    handler: async (request) => {
      const { realm, actor } = staffOf(request)
      if (!(await removeRegistration(deps, { realm, id: request.params.id, actor }))) throw new Refusal('not_found')
      return {}
    },
  })
}

/** As the command line has it, with codes in the place of sentences. */
const certificateForPage = (registration: Registration, parties: Parties, nowMs: number) => ({
  ...renderRegistration(registration, parties, nowMs),
  faults: registrationFaults(registration, parties, nowMs).map(renderProblem),
  remarks: registrationRemarks(registration).map(renderProblem),
})

const reportForPage = (report: RegistrationReport, nowMs: number) => ({
  ...renderReport(report, nowMs),
  certificates: report.registrations.map((one) => certificateForPage(one, report, nowMs)),
  templates: report.templates.map(({ key, intendedUse, concerns }) => ({
    key,
    intended_use: intendedUse,
    concerns: concerns.map(renderConcernForPage),
  })),
})

function addIdentityRoute(app: App, deps: Deps): void {
  app.route({
    ...permitted(deps, 'POST @/registration/identity'),
    schema: {
      hide: true,
      params: RealmParams,
      body: Type.Object(
        {
          identifier: Line(IDENTIFIER_LENGTH_MAX),
          trade_name: Line(TRADE_NAME_LENGTH_MAX),
          registry_uri: Type.Optional(Line(REGISTRY_URI_LENGTH_MAX)),
        },
        { additionalProperties: false },
      ),
      response: { 200: Change },
    },
    handler: async (request) => {
      const { realm, actor } = staffOf(request)
      // Certificates are public: whoever chose its own name could ask under another's.
      if (realm.environment === 'live')
        throw new Refusal('role_insufficient', { message: 'In live the operator says who you are.' })
      const { identifier, trade_name: tradeName, registry_uri: registryUri = null } = request.body
      const identity = { identifier, tradeName, registryUri, isIntermediary: false }
      const changed = await changeIdentity(deps, { ...realm, identity, actor })
      if (changed.outcome === 'refused') return renderRefusal(changed)
      return { outcome: 'changed' as const, identity: renderIdentity(changed.identity) }
    },
  })
}
