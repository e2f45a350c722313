// A merchant asks: what shall the holder be asked, is the request sound, may it be made? Then it is committed with others.

import { type DcqlQuery, InvalidQuery, parseQuery } from '@vidimus/engine'
import type { Deps } from '../deps.ts'
import type { AuditActor } from '../domain/audit.ts'
import { Refusal } from '../domain/errors.ts'
import { newVerificationId } from '../domain/ids.ts'
import type { Outputs } from '../domain/outputs.ts'
import type { Place } from '../domain/place.ts'
import type { Principal } from '../domain/principal.ts'
import { secondsToMidnight } from '../domain/quota.ts'
import { builtInTemplate, isTemplateKey, type Template, withPurpose } from '../domain/template.ts'
import {
  checkMetadata,
  checkRedirectUrl,
  type Question,
  questionOf,
  TTL_SECONDS,
  type VerificationRequest,
} from '../domain/verification-request.ts'
import { loadTemplate } from '../store/templates.ts'
import type { Draft } from './commit-creations.ts'

type Needs = Pick<Deps, 'db' | 'clock' | 'random' | 'creations'>

export interface Created {
  /** The 201's body, to the byte. */
  readonly answer: string
  readonly replayed: boolean
}

export async function createVerification(
  deps: Needs,
  input: { readonly principal: Principal; readonly request: VerificationRequest },
): Promise<Created> {
  const { principal, request } = input
  const question = questionOf(request)
  const asked = 'query' in question ? parsed(question.query) : null
  checkWhatDeviceMayAsk(principal, question)
  if (request.redirect_url !== undefined) checkRedirectUrl(request.redirect_url)
  if (request.metadata !== undefined) checkMetadata(request.metadata)
  const template = 'template' in question ? await findTemplate(deps, principal, question.template) : null
  const creation = await deps.creations.add(principal, draftOf(deps, input, askedOf(template, asked)))
  if (creation.outcome === 'quota_exceeded') {
    throw new Refusal('quota_exceeded', { retryAfterSeconds: secondsToMidnight(deps.clock.now()) })
  }
  return { answer: creation.answer, replayed: false }
}

function parsed(query: unknown): DcqlQuery {
  try {
    return parseQuery(query)
  } catch (error) {
    if (!(error instanceof InvalidQuery)) throw error
    throw new Refusal('invalid_request', { message: `body.query.${error.message}` })
  }
}

/** A device asks only by its own templates: staff at a till cannot invent questions. */
function checkWhatDeviceMayAsk(principal: Principal, question: Question): void {
  if (principal.kind !== 'device') return
  if ('query' in question) {
    throw new Refusal('insufficient_scope', { message: 'A device may only ask by template, never by query.' })
  }
  if (!principal.allowedTemplates.includes(question.template)) throw new Refusal('template_not_allowed')
}

async function findTemplate(deps: Pick<Deps, 'db'>, place: Place, key: string): Promise<Template> {
  const found = builtInTemplate(key) ?? (isTemplateKey(key) ? await loadTemplate(deps.db, place, key) : null)
  if (found === null) throw new Refusal('unknown_template')
  return found
}

interface Asked {
  readonly key: string | null
  readonly query: DcqlQuery
  readonly outputs: Outputs | null
}

function askedOf(template: Template | null, query: DcqlQuery | null): Asked {
  if (template !== null) return template
  if (query === null) throw new Error('bug: neither a template nor a query')
  return { key: null, query, outputs: null }
}

function draftOf(
  deps: Pick<Deps, 'random'>,
  input: { readonly principal: Principal; readonly request: VerificationRequest },
  asked: Asked,
): Draft {
  const { principal, request } = input
  const purpose = request.purpose ?? null
  return {
    id: newVerificationId(deps.random),
    ttlSeconds: request.ttl_seconds ?? TTL_SECONDS.standard,
    template: asked.key,
    query: JSON.stringify(withPurpose(asked.query, purpose)),
    outputs: asked.outputs === null ? null : JSON.stringify(asked.outputs),
    metadata: request.metadata ?? null,
    purpose,
    redirectUrl: request.redirect_url ?? null,
    webhookUrl: request.webhook_url ?? null,
    actor: actorOf(principal),
    actorName: principal.kind === 'device' ? principal.deviceName : null,
  }
}

function actorOf(principal: Principal): AuditActor {
  return principal.kind === 'device'
    ? { type: 'device', id: principal.deviceId }
    : { type: 'api_key', id: principal.keyId }
}
