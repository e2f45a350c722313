// Sends the error response: a refusal as problems.ts says, any other error as a fault.

import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import type { Deps } from '../../deps.ts'
import { Refusal, type RefusalCode } from '../errors.ts'
import { nearestOf } from '../nearest.ts'
import { StoreUnavailable } from '../store-unavailable.ts'
import { outageLogOf } from './outage-log.ts'
import { INTERNAL_ERROR, PROBLEMS } from './problems.ts'

export const envelope = (code: string, message: string) => ({ error: { code, message } })

const codes = new WeakMap<FastifyRequest, string>()

/** The refusal code of a request. */
export const codeOf = (request: FastifyRequest): string | undefined => codes.get(request)

/** Records the error for the access log and metrics, and sends the response. */
export function sendProblem(
  deps: Pick<Deps, 'log' | 'config' | 'metrics' | 'db' | 'clock'>,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  // The caller hung up in the middle of the body. That is not a fault of ours.
  const refusal = request.raw.readableAborted ? new Refusal('invalid_request') : toRefusal(error)
  if (refusal === null) {
    deps.log.fault('request failed', error, { request_id: request.id, route: request.routeOptions.url ?? 'none' })
    deps.metrics.refusals.inc({ code: INTERNAL_ERROR.code })
    codes.set(request, INTERNAL_ERROR.code)
    return reply
      .header('Link', helpLink(deps, INTERNAL_ERROR.code))
      .code(INTERNAL_ERROR.status)
      .type(JSON_TYPE)
      .send(JSON.stringify(envelope(INTERNAL_ERROR.code, INTERNAL_ERROR.message)))
  }
  // 308 keeps method and body. The origin is ours: only path and query come from the caller.
  if (refusal.movedTo !== undefined)
    return reply
      .code(308)
      .header('Location', `${refusal.movedTo}${request.url}`)
      .header('Cache-Control', 'no-store')
      .send()
  deps.metrics.refusals.inc({ code: refusal.code })
  codes.set(request, refusal.code)
  if (refusal.code === 'unavailable') deps.metrics.unavailable.inc({ cause: refusal.missing })
  if (error instanceof StoreUnavailable) outageLogOf(deps).noteFailure(error.message)
  const problem = PROBLEMS[refusal.code]
  if (refusal.retryAfterSeconds !== undefined) reply.header('Retry-After', refusal.retryAfterSeconds)
  if (refusal.allow !== undefined) reply.header('Allow', refusal.allow.join(', '))
  if (problem.status === 401) reply.header('WWW-Authenticate', 'Bearer')
  return reply
    .header('Link', helpLink(deps, refusal.code))
    .code(problem.status)
    .type(JSON_TYPE)
    .send(JSON.stringify(envelope(refusal.code, refusal.publicMessage ?? problem.message)))
}

/** The page of the docs about this error (RFC 8288; `help` is a registered relation). */
export const helpLink = ({ config }: Pick<Deps, 'config'>, code: string) =>
  `<${config.baseUrl}/docs/errors/${code}>; rel="help"`

export const JSON_TYPE = 'application/json; charset=utf-8'

/** The framework's own error codes, as refusals. */
const FRAMEWORK_CODES: Readonly<Record<string, RefusalCode>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'payload_too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'invalid_request',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'invalid_request',
  FST_ERR_BAD_URL: 'not_found',
  FST_ERR_MAX_LIMIT_EXCEEDED: 'not_found',
  FST_ERR_MAX_PARAM_LENGTH: 'not_found',
}

function toRefusal(error: unknown): Refusal | null {
  if (error instanceof Refusal) return error
  if (!(error instanceof Error)) return null
  if (error instanceof StoreUnavailable) return new Refusal('unavailable', { retryAfterSeconds: 1, missing: 'store' })
  const { validation, validationContext, code } = error as FastifyError
  if (validation !== undefined) {
    return new Refusal('invalid_request', { message: describe(validation, validationContext ?? 'body') })
  }
  const known = FRAMEWORK_CODES[code]
  return known === undefined ? null : new Refusal(known)
}

/** Names all allowed members, because a query has few. */
const allowedHint = (allowed: readonly string[]) =>
  allowed.length === 0 ? ' This address takes no query.' : ` Allowed: ${allowed.join(', ')}.`

function nearestHint(extra: string, allowed: readonly string[]): string {
  const meant = nearestOf(extra, allowed)
  return meant === null ? '' : ` Did you mean '${meant}'?`
}

/** Names the member and the rule, never the value. */
function describe(validation: NonNullable<FastifyError['validation']>, context: string): string {
  const [first] = validation
  if (first === undefined) return PROBLEMS.invalid_request.message
  const jsonPath = `${context === 'querystring' ? 'query' : context}${first.instancePath.replaceAll('/', '.')}`
  const extra = first.params.additionalProperty
  if (typeof extra === 'string') {
    const allowed = Array.isArray(first.params.allowed) ? first.params.allowed : []
    const hint = context === 'querystring' ? allowedHint(allowed) : nearestHint(extra, allowed)
    return `${jsonPath}: unknown member '${extra.slice(0, 64)}'.${hint}`
  }
  if (first.params.format === 'uri') return `${jsonPath}: must be an absolute URI, such as https://shop.example/back.`
  return `${jsonPath}: ${first.message ?? 'not valid'}.`
}
