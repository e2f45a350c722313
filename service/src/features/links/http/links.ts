// Defines the routes of /v1/links: create, list, read, revoke.

import { type Static, Type } from 'typebox'
import { CreatedLink, CreateLink, Link, LinkList, LinkListQuery } from '../../../../../wire/links.ts'
import { PAGE_LIMIT } from '../../../../../wire/values/verifications.ts'
import { refusals } from '../../../core/http/envelope-schema.ts'
import { principalOf, readerOf, withScope } from '../../../core/http/principal.ts'
import { actorOf } from '../../../core/tenants/domain/principal.ts'
import { checkIdempotencyKey } from '../../../core/verifications/domain/idempotency.ts'
import {
  AUTHENTICATED,
  CREATION_HEADERS,
  IdempotencyKey,
  IdParams,
  sendCreated,
} from '../../../core/verifications/http/merchant/verifications.ts'
import type { Deps } from '../../../deps.ts'
import type { App } from '../../../platform/http/app.ts'
import { parsePageBound } from '../../../platform/http/bounds/page-bound.ts'
import { sendJson } from '../../../platform/http/send-json.ts'
import { createLink } from '../usecases/create-link.ts'
import { listLinkPage, readLink, requireApiKey } from '../usecases/read-links.ts'
import { revokeLink } from '../usecases/revoke-link.ts'

const Created = Type.Unsafe<Static<typeof CreatedLink>>({ ...CreatedLink, sends: CREATION_HEADERS })

export function addLinkRoutes(app: App, deps: Deps): void {
  addCreate(app, deps)
  addReads(app, deps)
  app.delete(
    '/v1/links/:id',
    {
      ...withScope(deps, 'verifications:create'),
      schema: {
        operationId: 'revokeLink',
        tags: ['Links'],
        summary: 'Revoke a link',
        description: 'Existing verifications of the link continue. Revoking again returns the same response.',
        params: IdParams,
        response: { 200: Link, ...refusals(...AUTHENTICATED, 'link_not_found') },
      },
    },
    async (request) => {
      const principal = requireApiKey(principalOf(request))
      return revokeLink(deps, { realm: principal, id: request.params.id, actor: actorOf(principal) })
    },
  )
}

function addCreate(app: App, deps: Deps): void {
  app.post(
    '/v1/links',
    {
      ...withScope(deps, 'verifications:create'),
      schema: {
        operationId: 'createLink',
        tags: ['Links'],
        summary: 'Create a link that starts a verification when a person opens it',
        description:
          'For e-mails, text messages, invoices and posters. The response has the address, which is shown once.',
        headers: Type.Object({ 'Idempotency-Key': IdempotencyKey }),
        body: CreateLink,
        response: {
          201: Created,
          ...refusals(
            'invalid_request',
            'invalid_idempotency_key',
            ...AUTHENTICATED,
            'idempotency_key_in_flight',
            'link_limit_reached',
            'unknown_template',
            'invalid_webhook_url',
            'not_registered',
            'over_asking',
            'invalid_transaction',
            'transaction_not_supported_for_credential',
            'idempotency_key_reused',
          ),
        },
      },
    },
    async (request, reply) => {
      const created = await createLink(deps, {
        principal: requireApiKey(principalOf(request)),
        body: request.body,
        idempotencyKey: checkIdempotencyKey(request.headers['idempotency-key']),
      })
      return sendCreated(reply, created)
    },
  )
}

function addReads(app: App, deps: Deps): void {
  const access = withScope(deps, 'verifications:read')
  app.get(
    '/v1/links',
    {
      ...access,
      schema: {
        operationId: 'listLinks',
        tags: ['Links'],
        summary: 'List links, newest first',
        querystring: LinkListQuery,
        response: { 200: LinkList, ...refusals('invalid_request', ...AUTHENTICATED) },
      },
    },
    async (request, reply) => {
      const { limit = PAGE_LIMIT.standard, before } = request.query
      const { principal, pay } = readerOf(deps, request)
      const page = { limit, before: before === undefined ? null : parsePageBound(before), pay }
      return sendJson(reply, 200, await listLinkPage(deps, requireApiKey(principal), page))
    },
  )
  app.get(
    '/v1/links/:id',
    {
      ...access,
      schema: {
        operationId: 'getLink',
        tags: ['Links'],
        summary: 'Read a link and its counts',
        params: IdParams,
        response: { 200: Link, ...refusals(...AUTHENTICATED, 'link_not_found') },
      },
    },
    async (request) => readLink(deps, requireApiKey(principalOf(request)), request.params.id),
  )
}
