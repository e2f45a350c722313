// Verifications for staff: the list, one with its course, erasure.

import { Type } from 'typebox'
import {
  AnswerChannel,
  CredentialResult as ApiCredential,
  ErasureResult,
  Finding,
} from '../../../core/http/verification-schema.ts'
import { referenceOf } from '../../../core/verifications/domain/reference.ts'
import {
  type CredentialResult,
  credentialsOf,
  hostedPageOf,
  requestUriOf,
  type Verification,
  walletUriOf,
} from '../../../core/verifications/domain/verification.ts'
import { eraseVerification } from '../../../core/verifications/usecases/forgetting/erase-verification.ts'
import { forgetContent } from '../../../core/verifications/usecases/forgetting/forget-content.ts'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import type { App } from '../../../platform/http/app.ts'
import { parsePageBound } from '../../../platform/http/bounds/page-bound.ts'
import { reaches } from '../../staff/domain/person.ts'
import { permitted, type Staff, staffOf } from '../../staff/http/access.ts'
import {
  Answer,
  Done,
  Empty,
  Instant,
  List,
  oneOf,
  orNull,
  PAGE_SIZE,
  Part,
  RealmAndId,
  RealmParams,
  Status,
} from '../../staff/http/fields.ts'
import { Delivery, renderDeliveryFor } from '../../webhooks/http/delivery-schema.ts'
import { shownAddress } from '../../webhooks/http/shown-address.ts'
import { listVerificationsForStaff, readVerificationForStaff } from '../usecases/read-verifications-for-staff.ts'
import { ERASE_CONFIRM_LENGTH } from './terms.ts'
import { SEARCH, searchOf } from './verification-search.ts'

const Reference = orNull(Part({ name: Type.String({ description: 'In the metadata' }), value: Type.String() }))
const Asked = {
  id: Type.String(),
  status: Status,
  template: orNull(Type.String()),
  created_at: Instant,
  responded_at: orNull(Instant),
  reference: Reference,
  actor: Part({
    type: oneOf('api_key', 'device', 'user', 'oidc_client'),
    id: Type.String(),
    name: orNull(Type.String()),
  }),
}
const VerificationRow = Answer('VerificationRow', { ...Asked, error_code: orNull(Type.String()) })
const VerificationPage = Answer('VerificationPage', {
  data: List(VerificationRow),
  next: orNull(Instant),
  full: Type.Boolean({ description: 'As many as fit on a page; if not, the search stopped before the end' }),
})
const { claims: _, ...Judged } = ApiCredential.properties
const VerificationDetail = Answer('VerificationDetail', {
  ...Asked,
  purpose: orNull(Type.String()),
  redirect_url: orNull(Type.String()),
  webhook_url: orNull(Type.String({ description: 'Its origin for viewers' })),
  metadata: orNull(Type.Record(Type.String(), Type.String())),
  expires_at: Instant,
  cancelled: Type.Boolean({ description: 'Expired because somebody took it back' }),
  open: orNull(
    Part({
      page_url: Type.String({ description: 'The hosted page' }),
      wallet_uri: Type.String({ description: 'For a QR code' }),
    }),
  ),
  channel: orNull(AnswerChannel),
  request_fetched_at: orNull(Instant),
  redeemed_at: orNull(Instant),
  first_read_at: orNull(Type.String({ format: 'date-time', description: "When the merchant's system first read it" })),
  forget_at: orNull(Type.String({ format: 'date-time', description: 'When its content goes at the latest' })),
  forgotten_at: orNull(Type.String({ format: 'date-time', description: 'When its content went' })),
  error: orNull(Part({ code: Type.String(), message: Type.String() })),
  claim_names: orNull(List(Type.String())),
  claims: orNull(Type.Record(Type.String(), Type.Unknown(), { description: 'null to viewers' })),
  credentials: List(Part({ ...Judged, findings: List(Finding), claim_names: List(Type.String()) })),
  deliveries: List(Delivery),
})

export function addStaffVerificationRoutes(app: App, deps: Deps): void {
  app.route({
    ...permitted(deps, 'GET @/verifications'),
    schema: {
      hide: true,
      params: RealmParams,
      querystring: Type.Object(
        { ...SEARCH, before: Type.Optional(Type.String({ maxLength: 40 })) },
        { additionalProperties: false },
      ),
      response: { 200: VerificationPage },
    },
    handler: async (request) => {
      const { before } = request.query
      const page = await listVerificationsForStaff(deps, {
        ...searchOf(staffOf(request).realm, request.query),
        before: before === undefined ? null : parsePageBound(before),
        limit: PAGE_SIZE,
      })
      return {
        data: page.rows.map((row) => ({
          id: row.id,
          status: row.status,
          template: row.template,
          created_at: row.createdAt,
          responded_at: row.respondedAt,
          error_code: row.errorCode,
          reference: row.reference,
          actor: { type: row.actorType, id: row.actorId, name: row.actorName },
        })),
        next: page.searchedTo,
        full: page.rows.length === PAGE_SIZE,
      }
    },
  })
  addDetail(app, deps)
}

function addDetail(app: App, deps: Deps): void {
  app.route({
    ...permitted(deps, 'GET @/verifications/:id'),
    schema: { hide: true, params: RealmAndId, response: { 200: VerificationDetail } },
    handler: async (request) => {
      const staff = staffOf(request)
      const found = await readVerificationForStaff(deps, { realm: staff.realm, id: request.params.id })
      const { verification, channel, timeline, deliveries } = found
      return {
        ...renderForStaff(verification, staff),
        status: verification.status,
        cancelled: verification.status === 'expired' && verification.cancelled,
        open: openingOf(deps, verification, staff),
        actor: { type: timeline.actorType, id: timeline.actorId, name: timeline.actorName },
        channel,
        request_fetched_at: timeline.requestFetchedAt,
        redeemed_at: timeline.redeemedAt,
        first_read_at: timeline.firstReadAt,
        forget_at: timeline.forgetAt,
        forgotten_at: timeline.forgottenAt,
        deliveries: deliveries.map((delivery) => renderDeliveryFor(staff, delivery)),
      }
    },
  })
  app.route({
    ...permitted(deps, 'POST @/verifications/:id/forget'),
    schema: { hide: true, params: RealmAndId, body: Empty, response: { 200: Done } },
    handler: async (request) => {
      const { realm, actor } = staffOf(request)
      await forgetContent(deps, { realm, id: request.params.id, actor })
      return {}
    },
  })
  app.route({
    ...permitted(deps, 'POST @/verifications/:id/erase'),
    schema: {
      hide: true,
      params: RealmAndId,
      // Typed by the one who asks: nothing is erased by a slip.
      body: Type.Object({ confirm: Type.String({ maxLength: 100 }) }, { additionalProperties: false }),
      response: { 200: ErasureResult },
    },
    handler: async (request) => {
      const { realm, actor } = staffOf(request)
      const { id } = request.params
      if (request.body.confirm !== id.slice(-ERASE_CONFIRM_LENGTH)) {
        throw new Refusal('invalid_request', {
          message: `Type the last ${ERASE_CONFIRM_LENGTH} characters of the id to confirm.`,
        })
      }
      return eraseVerification(deps, { realm, id, actor })
    },
  })
}

/** Holders' data only for those who may act on it; a viewer sees which there are. */
function renderForStaff(verification: Verification, staff: Staff) {
  const maySee = reaches(staff.role, 'admin')
  const claims = verification.status === 'completed' ? (verification.content?.claims ?? null) : null
  const ended = verification.status === 'completed' || verification.status === 'failed' ? verification : null
  const credential = ({ claims: values, ...rest }: CredentialResult) => ({ ...rest, claim_names: Object.keys(values) })
  return {
    id: verification.id,
    template: verification.template,
    purpose: verification.purpose,
    redirect_url: verification.redirectUrl,
    webhook_url: verification.webhookUrl === null ? null : shownAddress(staff, verification.webhookUrl),
    metadata: verification.metadata,
    reference: referenceOf(verification.metadata),
    created_at: verification.createdAt,
    expires_at: verification.expiresAt,
    responded_at: ended?.respondedAt ?? null,
    error: verification.status === 'failed' ? verification.error : null,
    claim_names: claims === null ? null : Object.keys(claims),
    claims: maySee ? claims : null,
    credentials: credentialsOf(verification)?.map(credential) ?? [],
  }
}

/** Where the holder answers, while one can: for those who may ask. */
function openingOf({ config }: Pick<Deps, 'config'>, { id, status, clientId }: Verification, { role }: Staff) {
  if (status !== 'pending' || !reaches(role, 'admin')) return null
  return {
    page_url: hostedPageOf(config.baseUrl, id),
    wallet_uri: walletUriOf(clientId, requestUriOf(config.baseUrl, id)),
  }
}
