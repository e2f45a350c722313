// /v1/verifications: create, list, read, erase, redeem (spec 4.1), cancel, forget and the verdict.

import type { FastifyReply } from 'fastify'
import { type Static, Type } from 'typebox'
import { PAGE_LIMIT } from '../../../../../../wire/values/verifications.ts'
import {
  CreateVerification,
  ErasureResult,
  RedeemResponseCode,
  Verification,
  VerificationList,
  VerificationListQuery,
  VerificationVerdict,
} from '../../../../../../wire/verifications.ts'
import type { Deps } from '../../../../deps.ts'
import type { App } from '../../../../platform/http/app.ts'
import { parsePageBound } from '../../../../platform/http/bounds/page-bound.ts'
import { createDownloads } from '../../../../platform/http/downloads.ts'
import { sendJson } from '../../../../platform/http/send-json.ts'
import { refusals } from '../../../http/envelope-schema.ts'
import { principalOf, readerOf, type Surcharge, withScope } from '../../../http/principal.ts'
import { addWarnings, WARNING_HEADER } from '../../../registrations/http/registration-warning.ts'
import { actorOf } from '../../../tenants/domain/principal.ts'
import type { Realm } from '../../../tenants/domain/realm.ts'
import { checkIdempotencyKey } from '../../domain/idempotency.ts'
import { RECEIPT_SALT_HEADER } from '../../domain/sealed-result.ts'
import { hostedPageOf } from '../../domain/verification.ts'
import { cancelVerification } from '../../usecases/answering/cancel-verification.ts'
import { createVerification } from '../../usecases/asking/create-verification.ts'
import type { Created } from '../../usecases/asking/lease-idempotency-key.ts'
import { eraseVerification } from '../../usecases/forgetting/erase-verification.ts'
import { forgetContent } from '../../usecases/forgetting/forget-content.ts'
import { listFilteredPage, listPage, type PageBody } from '../../usecases/reading/list-verifications.ts'
import { readVerdict, readVerification, type VerificationBody } from '../../usecases/reading/read-verification.ts'
import { redeemResponseCode } from '../../usecases/reading/redeem-response-code.ts'

export const AUTHENTICATED = ['invalid_api_key', 'api_key_expired', 'insufficient_scope'] as const
/** Any text, even the empty one: the use case answers an invalid id with 404. */
export const IdParams = Type.Object({ id: Type.String() }, { additionalProperties: false })
/** A filter scans a window of rows. */
const surchargeOfList: Surcharge = ({ query }) =>
  ['status', 'template', 'reference'].some((name) => Object.hasOwn(query as object, name)) ? 3 : 0
/** Checked by the use case, because a bad key has its own refusal. */
export const IdempotencyKey = Type.Optional(
  Type.String({
    description:
      '1 to 255 printable ASCII characters without spaces, a UUID for instance. A retry with the same key and body within 24 hours gets the first answer again.',
  }),
)

export function addVerificationRoutes(app: App, deps: Deps): void {
  addCreate(app, deps)
  addList(app, deps)
  addRead(app, deps)
  addErase(app, deps)
  addRedeem(app, deps)
  addCancel(app, deps)
  addForget(app, deps)
  addVerdict(app, deps)
}

function addRead(app: App, deps: Deps): void {
  app.get(
    '/v1/verifications/:id',
    {
      ...withScope(deps, 'verifications:read'),
      schema: {
        operationId: 'getVerification',
        tags: ['Verifications'],
        summary: 'Read a verification',
        params: IdParams,
        response: { 200: Verification, ...refusals(...AUTHENTICATED, 'session_not_found') },
      },
    },
    async (request, reply) => {
      const read = await readVerification(deps, { ...readerOf(deps, request), id: request.params.id })
      return sendRead(reply, read)
    },
  )
}

/** What a creation sends besides its body. */
export const CREATION_HEADERS = {
  [WARNING_HEADER]: {
    schema: { type: 'string' },
    description: 'In test: what live would refuse. A list of strings (RFC 9651), each a code and its message',
  },
  'Idempotent-Replayed': {
    schema: { type: 'string', enum: ['true'] },
    description: 'The answer to an earlier request with this Idempotency-Key',
  },
}

const CreatedVerification = Type.Unsafe<Static<typeof Verification>>({
  ...Verification,
  sends: {
    ...CREATION_HEADERS,
    Location: { schema: { type: 'string' }, description: 'The address of the verification' },
    Link: { schema: { type: 'string' }, description: 'Its hosted page (`rel="alternate"`)' },
  },
})

function addCreate(app: App, deps: Deps): void {
  app.post(
    '/v1/verifications',
    {
      ...withScope(deps, 'verifications:create'),
      schema: {
        operationId: 'createVerification',
        tags: ['Verifications'],
        summary: 'Create a verification',
        description: `In test, a request that live would refuse with \`not_registered\` or \`over_asking\` succeeds. The header \`${WARNING_HEADER}\` then lists the reasons as quoted texts, each with a code and a message.`,
        headers: Type.Object({ 'Idempotency-Key': IdempotencyKey }),
        body: CreateVerification,
        response: {
          201: CreatedVerification,
          ...refusals(
            'invalid_request',
            'invalid_idempotency_key',
            ...AUTHENTICATED,
            'template_not_allowed',
            'idempotency_key_in_flight',
            'unknown_template',
            'invalid_webhook_url',
            'origin_not_allowed',
            'not_registered',
            'over_asking',
            'invalid_transaction',
            'transaction_not_supported_for_credential',
            'idempotency_key_reused',
            'quota_exceeded',
          ),
        },
      },
    },
    async (request, reply) => {
      const created = await createVerification(deps, {
        principal: principalOf(request),
        request: request.body,
        idempotencyKey: checkIdempotencyKey(request.headers['idempotency-key']),
      })
      const { id } = JSON.parse(created.answer) as Verification
      const { baseUrl } = deps.config
      reply.header('Location', `${baseUrl}/v1/verifications/${id}`)
      reply.header('Link', `<${hostedPageOf(baseUrl, id)}>; rel="alternate"; type="text/html"`)
      return sendCreated(reply, created)
    },
  )
}

const ListedVerifications = Type.Unsafe<Static<typeof VerificationList>>({
  ...VerificationList,
  sends: {
    Link: {
      schema: { type: 'string' },
      description: 'With a filter: the next page (`rel="next"`), until there is nothing older',
    },
  },
})

export function sendCreated(reply: FastifyReply, { answer, replayed, warnings }: Created): FastifyReply {
  if (replayed) reply.header('Idempotent-Replayed', 'true')
  addWarnings(reply, warnings)
  return sendJson(reply, 201, answer)
}

function addList(app: App, deps: Deps): void {
  const downloads = createDownloads()
  const send = (reply: FastifyReply, { tenantId }: Realm, body: PageBody) =>
    typeof body === 'string'
      ? sendJson(reply, 200, body)
      : downloads.send(reply, tenantId, async () => ({ type: 'application/json', lines: body }))
  app.get(
    '/v1/verifications',
    {
      ...withScope(deps, 'verifications:read', surchargeOfList),
      schema: {
        operationId: 'listVerifications',
        tags: ['Verifications'],
        summary: 'List verifications, newest first',
        querystring: VerificationListQuery,
        response: { 200: ListedVerifications, ...refusals('invalid_request', ...AUTHENTICATED) },
      },
    },
    async (request, reply) => {
      const { limit = PAGE_LIMIT.standard, before, ...filter } = request.query
      const bound = before === undefined ? null : parsePageBound(before)
      const page = { ...readerOf(deps, request), limit, before: bound }
      if (Object.keys(filter).length === 0) return send(reply, page.principal, await listPage(deps, page))
      const { body, next } = await listFilteredPage(deps, { ...page, filter })
      if (next !== null) {
        const query = new URLSearchParams({ limit: String(limit), before: next, ...filter })
        reply.header('Link', `<${deps.config.baseUrl}/v1/verifications?${query}>; rel="next"`)
      }
      return send(reply, page.principal, body)
    },
  )
}

function addErase(app: App, deps: Deps): void {
  app.delete(
    '/v1/verifications/:id',
    {
      ...withScope(deps, 'verifications:delete'),
      schema: {
        operationId: 'eraseVerification',
        tags: ['Verifications'],
        summary: 'Erase a verification and everything derived from it',
        params: IdParams,
        response: { 200: ErasureResult, ...refusals(...AUTHENTICATED, 'session_not_found') },
      },
    },
    async (request) => {
      const principal = principalOf(request)
      return eraseVerification(deps, { realm: principal, id: request.params.id, actor: actorOf(principal) })
    },
  )
}

function addRedeem(app: App, deps: Deps): void {
  app.post(
    '/v1/verifications/:id/redeem',
    {
      ...withScope(deps, 'verifications:read'),
      schema: {
        operationId: 'redeemResponseCode',
        tags: ['Verifications'],
        summary: 'Redeem the response code of a redirect, once',
        params: IdParams,
        body: RedeemResponseCode,
        response: { 200: Verification, ...refusals('invalid_request', ...AUTHENTICATED, 'invalid_response_code') },
      },
    },
    async (request, reply) => {
      const read = await redeemResponseCode(deps, {
        principal: principalOf(request),
        id: request.params.id,
        code: request.body.response_code,
      })
      return sendRead(reply, read)
    },
  )
}

/** The salt of the receipt is sent only with the result. */
function sendRead(reply: Parameters<typeof sendJson>[0], { body, receiptSalt }: VerificationBody): FastifyReply {
  return sendJson(reply, 200, body, receiptSalt === null ? {} : { [RECEIPT_SALT_HEADER]: receiptSalt })
}

function addCancel(app: App, deps: Deps): void {
  app.post(
    '/v1/verifications/:id/cancel',
    {
      ...withScope(deps, 'verifications:create'),
      schema: {
        operationId: 'cancelVerification',
        tags: ['Verifications'],
        summary: 'Cancel a pending verification',
        description:
          'It is `expired` from now on: a wallet gets 410, and no webhook is sent. A call after that, or after the expiry, gets the same answer.',
        params: IdParams,
        response: {
          200: Verification,
          ...refusals(...AUTHENTICATED, 'session_not_found', 'session_already_responded'),
        },
      },
    },
    async (request, reply) => {
      const body = await cancelVerification(deps, { principal: principalOf(request), id: request.params.id })
      return sendJson(reply, 200, body)
    },
  )
}

function addForget(app: App, deps: Deps): void {
  app.post(
    '/v1/verifications/:id/forget',
    {
      ...withScope(deps, 'verifications:delete'),
      schema: {
        operationId: 'forgetVerification',
        tags: ['Verifications'],
        summary: 'Delete the personal data of a verification, but keep its outcome',
        description:
          'From now on the verification has its outcome, but no `claims` and `credentials`. A second call gets the same answer; a pending verification has nothing to forget yet.',
        params: IdParams,
        response: { 200: Verification, ...refusals(...AUTHENTICATED, 'session_not_found') },
      },
    },
    async (request, reply) => {
      const principal = principalOf(request)
      const input = { realm: principal, id: request.params.id, actor: actorOf(principal) }
      return sendJson(reply, 200, await forgetContent(deps, input))
    },
  )
}

function addVerdict(app: App, deps: Deps): void {
  app.get(
    '/v1/verifications/:id/verdict',
    {
      ...withScope(deps, 'verifications:read'),
      schema: {
        operationId: 'getVerificationVerdict',
        tags: ['Verifications'],
        summary: 'Read whether a template was answered with yes or no',
        description:
          'For tills of merchants with encrypted results: only this part of an answer stays readable. `no` if any output of the template is false; for a template without outputs, if any of its credentials gives a claim that is false.',
        params: IdParams,
        response: { 200: VerificationVerdict, ...refusals(...AUTHENTICATED, 'session_not_found') },
      },
    },
    async (request) => readVerdict(deps, { ...readerOf(deps, request), id: request.params.id }),
  )
}
