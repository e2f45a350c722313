// Routes of verifications for staff: the list, one with its history, erasure.

import { Type } from 'typebox'
import { referenceOf } from '../../../core/verifications/domain/reference.ts'
import { renderSentRequest } from '../../../core/verifications/domain/sent-requests.ts'
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
import { PAGE_SIZE, payAsStaff, permitted, reaches, type Staff, schemaOf, staffOf } from '../../staff/index.ts'
import { renderDeliveryFor, shownAddress } from '../../webhooks/index.ts'
import { listVerificationsForStaff, readVerificationForStaff } from '../usecases/read-verifications-for-staff.ts'
import { ERASE_CONFIRM_LENGTH } from './terms.ts'
import { SEARCH, searchOf, surchargeOfSearch } from './verification-search.ts'

export function addStaffVerificationRoutes(app: App, deps: Deps): void {
  app.route({
    ...permitted(deps, 'GET @/verifications', surchargeOfSearch),
    schema: {
      ...schemaOf('GET @/verifications'),
      querystring: Type.Object(
        { ...SEARCH, before: Type.Optional(Type.String({ maxLength: 40 })) },
        { additionalProperties: false },
      ),
    },
    handler: async (request) => {
      const { before } = request.query
      const page = await listVerificationsForStaff(deps, {
        ...searchOf(staffOf(request).realm, request),
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
    handler: async (request) => {
      const staff = staffOf(request)
      const pay = (bytes: number) => payAsStaff(deps, staff, bytes)
      const found = await readVerificationForStaff(deps, { realm: staff.realm, id: request.params.id, pay })
      const { verification, channel, timeline, requests, deliveries } = found
      return {
        ...renderForStaff(verification, staff),
        status: verification.status,
        cancelled: verification.status === 'expired' && verification.cancelled,
        open: openingOf(deps, verification, staff),
        actor: { type: timeline.actorType, id: timeline.actorId, name: timeline.actorName },
        channel,
        request_fetched_at: timeline.requestFetchedAt,
        requests: requests.map(renderSentRequest),
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
    handler: async (request) => {
      const { realm, actor } = staffOf(request)
      await forgetContent(deps, { realm, id: request.params.id, actor })
      return {}
    },
  })
  app.route({
    ...permitted(deps, 'POST @/verifications/:id/erase'),
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

/** Holders' data is only for admins. A viewer sees which verifications exist. */
function renderForStaff(verification: Verification, staff: Staff) {
  const maySee = reaches(staff.role, 'admin')
  const claims = verification.status === 'completed' ? (verification.content?.claims ?? null) : null
  const ended = verification.status === 'completed' || verification.status === 'failed' ? verification : null
  // A completed verification reached every check. The credentials of a failed one are those that could be parsed.
  const parsed =
    verification.status === 'failed' ? verification.checks.filter((one) => one.checks.well_formed === 'passed') : null
  const credential = ({ claims: values, ...rest }: CredentialResult, index: number) => ({
    ...rest,
    // A conflict says what a claim's value is not.
    findings: rest.findings.filter(({ check }) => maySee || check !== 'claim_conflict'),
    claim_names: Object.keys(values),
    status_checked: parsed === null || (parsed[index]?.checks.not_revoked ?? 'not_checked') !== 'not_checked',
  })
  return {
    id: verification.id,
    template: verification.template,
    purpose: verification.purpose,
    redirect_url: verification.redirectUrl === null ? null : shownAddress(staff, verification.redirectUrl),
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

/** The holder's link while the verification is pending, for staff who may create verifications. */
function openingOf({ config }: Pick<Deps, 'config'>, { id, status, clientId }: Verification, { role }: Staff) {
  if (status !== 'pending' || !reaches(role, 'admin')) return null
  return {
    page_url: hostedPageOf(config.baseUrl, id),
    wallet_uri: walletUriOf(clientId, requestUriOf(config.baseUrl, id)),
  }
}
