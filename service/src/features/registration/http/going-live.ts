// The way to live: what is missing, the mandate, and what the operator is asked for.

import { Type } from 'typebox'
import {
  IDENTIFIER_LENGTH_MAX,
  REGISTRY_URI_LENGTH_MAX,
  TRADE_NAME_LENGTH_MAX,
} from '../../../core/registrations/domain/identity.ts'
import { renderRefusal } from '../../../core/registrations/domain/problem.ts'
import type { Realm } from '../../../core/tenants/domain/realm.ts'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import type { App } from '../../../platform/http/app.ts'
import { permitted, staffOf } from '../../staff/http/access.ts'
import {
  Answer,
  Enumeration,
  Instant,
  Line,
  List,
  oneOf,
  orNull,
  Part,
  RealmParams,
  RegistrationRefused,
} from '../../staff/http/fields.ts'
import { mayAddIssuers } from '../../trust/usecases/may-add-issuers.ts'
import { renderStep, STEP_NAMES, STEP_REASONS, STEP_STATES } from '../domain/going-live/checklist.ts'
import { MANDATE_KINDS, renderMandate } from '../domain/going-live/mandate.ts'
import { ASKED_KINDS, REQUEST_KINDS, REQUEST_STATES, renderRequest } from '../domain/going-live/operator-request.ts'
import { type Asking, askOperator, recordMandate } from '../usecases/going-live/ask-operator.ts'
import { readGoingLive } from '../usecases/going-live/read-going-live.ts'

const Text = Type.String()
const Kind = Enumeration('OperatorRequestKind', REQUEST_KINDS)
const MandateKind = Enumeration('MandateKind', MANDATE_KINDS)
const Request = Answer('OperatorRequest', {
  id: Text,
  kind: Kind,
  wanted: Part({
    identifier: Type.Optional(Text),
    trade_name: Type.Optional(Text),
    registry_uri: Type.Optional(orNull(Text)),
    sha256: Type.Optional(Text),
    dated: Type.Optional(Text),
  }),
  state: oneOf(...REQUEST_STATES),
  made_at: Instant,
  answered_at: orNull(Instant),
  answer: orNull(Type.String({ description: "The operator's words" })),
})
const Checklist = Answer('GoingLive', {
  steps: List(
    Answer('GoingLiveStep', {
      name: oneOf(...STEP_NAMES),
      state: oneOf(...STEP_STATES),
      reasons: List(Enumeration('GoingLiveReason', STEP_REASONS)),
      request: orNull(Kind),
    }),
  ),
  mandate: orNull(
    Part({
      kind: MandateKind,
      sha256: Text,
      dated: Type.String({ format: 'date' }),
      recorded_at: Instant,
      checked_at: orNull(Instant),
    }),
  ),
  mandate_kinds: List(MandateKind),
  own_issuers: Type.Boolean({ description: 'Whether owners add issuers here' }),
  requests: List(Request),
})
const Asked = Type.Union([Part({ outcome: Type.Literal('asked'), request: Request }), RegistrationRefused], {
  $id: 'OperatorAsking',
})

export function addGoingLiveRoutes(app: App, deps: Deps): void {
  app.route({
    ...permitted(deps, 'GET @/going-live'),
    schema: { hide: true, params: RealmParams, response: { 200: Checklist } },
    handler: async (request) => {
      const realm = liveRealmOf(staffOf(request))
      const { steps, mandate, requests } = await readGoingLive(deps, realm)
      return {
        steps: steps.map(renderStep),
        mandate: mandate === null ? null : renderMandate(mandate),
        mandate_kinds: MANDATE_KINDS,
        own_issuers: await mayAddIssuers(deps, realm),
        requests: requests.map(renderRequest),
      }
    },
  })
  app.route({
    ...permitted(deps, 'POST @/going-live/mandate'),
    schema: {
      hide: true,
      params: RealmParams,
      body: Type.Object(
        { kind: oneOf(...MANDATE_KINDS), sha256: Line(64), dated: Line(10) },
        { additionalProperties: false },
      ),
      response: { 200: Asked },
    },
    handler: async (request) => {
      const staff = staffOf(request)
      const recorded = { realm: liveRealmOf(staff), mandate: request.body, actor: staff.actor }
      return rendered(await recordMandate(deps, recorded))
    },
  })
  app.route({
    ...permitted(deps, 'POST @/going-live/requests'),
    schema: {
      hide: true,
      params: RealmParams,
      body: Type.Object(
        {
          kind: oneOf(...ASKED_KINDS),
          identity: Type.Optional(
            Type.Object(
              {
                identifier: Line(IDENTIFIER_LENGTH_MAX),
                trade_name: Line(TRADE_NAME_LENGTH_MAX),
                registry_uri: Type.Optional(Line(REGISTRY_URI_LENGTH_MAX)),
              },
              { additionalProperties: false },
            ),
          ),
        },
        { additionalProperties: false },
      ),
      response: { 200: Asked },
    },
    handler: async (request) => {
      const staff = staffOf(request)
      const { kind, identity: said } = request.body
      const identity =
        said === undefined
          ? null
          : { identifier: said.identifier, tradeName: said.trade_name, registryUri: said.registry_uri ?? null }
      return rendered(await askOperator(deps, { realm: liveRealmOf(staff), kind, identity, actor: staff.actor }))
    },
  })
}

/** In test everybody does everything without asking. */
function liveRealmOf({ realm }: { readonly realm: Realm }): Realm {
  if (realm.environment !== 'live') throw new Refusal('not_found')
  return realm
}

const rendered = (asking: Asking) =>
  asking.outcome === 'refused'
    ? renderRefusal(asking)
    : { outcome: 'asked' as const, request: renderRequest(asking.request) }
