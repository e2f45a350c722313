// Whom a tenant trusts and how it names itself to wallets, as its owners change that.

import { Type } from 'typebox'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import type { App } from '../../../platform/http/app.ts'
import { spendBudget } from '../../../platform/http/bounds/budget.ts'
import type { Budget } from '../../../platform/rate.ts'
import { permitted, staffOf } from '../../staff/http/access.ts'
import { Done, Empty, Line, List, oneOf, Part, RealmAndId, RealmParams } from '../../staff/http/fields.ts'
import { TRUST_LIST_KINDS } from '../domain/anchor.ts'
import { CERTIFICATE_PURPOSES } from '../domain/certificate.ts'
import { IMPORTED_PROVIDERS } from '../domain/list-providers.ts'
import { TRUST_PROBLEMS } from '../domain/problem.ts'
import {
  addOwnAnchor,
  importOwnList,
  installOwnCertificate,
  removeOwnAnchor,
  removeOwnList,
  requestOwnCertificate,
  withdrawOwnKey,
} from '../usecases/manage-own-trust.ts'

/** Lists are fetched, keys made: a few at once for each tenant. */
const BY_HAND: Budget = { perSecond: 1 / 10, burst: 10 }
const PEM_LENGTH_MAX = 20_000

const Refused = Part({
  outcome: Type.Literal('refused'),
  code: oneOf(...TRUST_PROBLEMS),
  /** What was found, in English. */
  problem: Type.String(),
})
const Change = Type.Union([Part({ outcome: Type.Literal('done'), warnings: List(Type.String()) }), Refused], {
  $id: 'TrustChange',
})
const Requested = Type.Union([Part({ outcome: Type.Literal('requested'), csr: Type.String() }), Refused], {
  $id: 'CertificateRequested',
})

/** Text with line ends, and no other control characters. */
const Pem = Type.String({ minLength: 1, maxLength: PEM_LENGTH_MAX, pattern: '^[\\x20-\\x7e\\r\\n\\t]+$' })
const Types = Type.Array(Line(300), { minItems: 1, maxItems: 20, uniqueItems: true })
const Purpose = oneOf(...CERTIFICATE_PURPOSES)
const Word = Type.Optional(Line(64))

export function addOwnTrustRoutes(app: App, deps: Deps): void {
  const spend = (request: Parameters<typeof staffOf>[0], reply: Parameters<typeof spendBudget>[1]) =>
    spendBudget(deps, reply, { name: 'trust_by_hand', key: staffOf(request).realm.tenantId, budget: BY_HAND })
  app.route({
    ...permitted(deps, 'POST @/trust/anchors'),
    schema: {
      hide: true,
      params: RealmParams,
      body: Type.Object(
        {
          certificate: Pem,
          kind: oneOf('ca', 'pinned'),
          profile: oneOf('generic', 'iso-mdl'),
          types: Types,
          sole_type: Type.Optional(
            Type.Object({ namespace: Line(255), without_status: Type.Boolean() }, { additionalProperties: false }),
          ),
        },
        { additionalProperties: false },
      ),
      response: { 200: Change },
    },
    handler: async (request, reply) => {
      await spend(request, reply)
      const { sole_type: said, ...anchor } = request.body
      const sole = said === undefined ? undefined : { nameSpace: said.namespace, withoutStatus: said.without_status }
      return addOwnAnchor(deps, { ...staffOf(request), ...anchor, sole })
    },
  })
  app.route({
    ...permitted(deps, 'POST @/trust/anchors/:id/remove'),
    schema: { hide: true, params: RealmAndId, body: Empty, response: { 200: Done } },
    handler: async (request, reply) => {
      await spend(request, reply)
      if (!(await removeOwnAnchor(deps, { ...staffOf(request), id: request.params.id }))) throw new Refusal('not_found')
      return {}
    },
  })
  app.route({
    ...permitted(deps, 'POST @/trust/lists'),
    schema: {
      hide: true,
      params: RealmParams,
      body: Type.Object(
        {
          kind: oneOf(...TRUST_LIST_KINDS),
          providers: oneOf(...IMPORTED_PROVIDERS),
          url: Line(2048),
          signer: Pem,
          types: Types,
        },
        { additionalProperties: false },
      ),
      response: { 200: Change },
    },
    handler: async (request, reply) => {
      await spend(request, reply)
      return importOwnList(deps, { ...staffOf(request), ...request.body })
    },
  })
  app.route({
    ...permitted(deps, 'POST @/trust/lists/:id/remove'),
    schema: { hide: true, params: RealmAndId, body: Empty, response: { 200: Done } },
    handler: async (request, reply) => {
      await spend(request, reply)
      if (!(await removeOwnList(deps, { ...staffOf(request), id: request.params.id }))) throw new Refusal('not_found')
      return {}
    },
  })
  addCertificateRoutes(app, deps, spend)
}

function addCertificateRoutes(
  app: App,
  deps: Deps,
  spend: (request: Parameters<typeof staffOf>[0], reply: Parameters<typeof spendBudget>[1]) => Promise<void>,
): void {
  app.route({
    ...permitted(deps, 'POST @/trust/certificates/request'),
    schema: {
      hide: true,
      params: RealmParams,
      body: Type.Object(
        {
          /** A key that waits: its request once more. */
          id: Type.Optional(Line(64)),
          purpose: Purpose,
          common_name: Line(64),
          organization: Word,
          organization_identifier: Word,
          country: Word,
          state: Word,
          locality: Word,
          email: Type.Optional(Line(255)),
        },
        { additionalProperties: false },
      ),
      response: { 200: Requested },
    },
    handler: async (request, reply) => {
      await spend(request, reply)
      const {
        id: waitingId,
        purpose,
        common_name: commonName,
        organization_identifier: identifier,
        ...rest
      } = request.body
      const subject = {
        commonName,
        ...rest,
        ...(identifier === undefined ? {} : { organizationIdentifier: identifier }),
      }
      return requestOwnCertificate(deps, { ...staffOf(request), purpose, subject, waitingId })
    },
  })
  app.route({
    ...permitted(deps, 'POST @/trust/certificates/install'),
    schema: {
      hide: true,
      params: RealmParams,
      body: Type.Object({ purpose: Purpose, chain: Pem }, { additionalProperties: false }),
      response: { 200: Change },
    },
    handler: async (request, reply) => {
      await spend(request, reply)
      return installOwnCertificate(deps, { ...staffOf(request), ...request.body })
    },
  })
  app.route({
    ...permitted(deps, 'POST @/trust/certificates/:id/withdraw'),
    schema: { hide: true, params: RealmAndId, body: Empty, response: { 200: Done } },
    handler: async (request, reply) => {
      await spend(request, reply)
      if (!(await withdrawOwnKey(deps, { ...staffOf(request), id: request.params.id }))) throw new Refusal('not_found')
      return {}
    },
  })
}
