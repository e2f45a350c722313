// Describes a query for people: which credentials it accepts, which data of them, and where it asks for more than it
// needs.

import type { CredentialQuery, DcqlQuery } from '@vidimus/engine'
import { askedFormatOf, askedTypes } from '@vidimus/engine/formats'
import type { QUESTION_WARNINGS } from '../../../../../wire/values/templates.ts'
import type { Outputs, Source } from './outputs.ts'
import type { Template } from './template.ts'

interface PlainCredential {
  readonly id: string
  readonly format: string
  readonly types: readonly string[]
  /** Names of the data; empty with `everything`. */
  readonly claims: readonly string[]
  /** One of the claims is enough: the wallet takes the first set that it can answer. */
  readonly alternatives: boolean
  /** No claims are named: the whole credential is requested. */
  readonly everything: boolean
}

type QuestionWarning = (typeof QUESTION_WARNINGS)[number]

export interface PlainQuestion {
  readonly credentials: readonly PlainCredential[]
  /** The holder may choose among several credentials. */
  readonly choice: boolean
  readonly warnings: readonly QuestionWarning[]
}

const MANY = 8
const BIRTH_DATE = /^(birth_?date|date_of_birth)$/
const AGE = /\bage\b|age_|alter|volljährig|18|21/i

export function plainQuestion(
  template: Pick<Template, 'key' | 'title' | 'description' | 'query' | 'outputs'>,
): PlainQuestion {
  const credentials = template.query.credentials.map(plainCredential)
  return { credentials, choice: hasChoice(template.query), warnings: warningsOf(template, credentials) }
}

function plainCredential(query: CredentialQuery): PlainCredential {
  const claims = (query.claims ?? []).map(({ path }) => askedFormatOf(query.format).claimNames(path).join('.'))
  const alternatives = (query.claim_sets ?? []).length > 1
  return {
    id: query.id,
    format: query.format,
    types: askedTypes(query),
    claims: [...new Set(claims)],
    alternatives,
    everything: claims.length === 0,
  }
}

function hasChoice(query: DcqlQuery): boolean {
  return (query.credential_sets ?? []).some(({ options }) => options.length > 1)
}

function warningsOf(
  template: Parameters<typeof plainQuestion>[0],
  credentials: readonly PlainCredential[],
): QuestionWarning[] {
  const claims = credentials.flatMap((credential) => credential.claims)
  const about = `${template.key} ${template.title} ${template.description}`
  const agesKnown = template.outputs !== null && Object.values(template.outputs).some((rule) => 'age_over' in rule)
  const found: [QuestionWarning, boolean][] = [
    ['whole_credential', credentials.some(({ everything }) => everything)],
    ['unused_claims', template.outputs !== null && hasUnused(template.query, template.outputs)],
    ['birth_date_for_age', !agesKnown && AGE.test(about) && claims.some((name) => BIRTH_DATE.test(name))],
    ['many_claims', credentials.some((credential) => credential.claims.length > MANY)],
    ['portrait', claims.some((name) => name === 'portrait' || name === 'picture')],
  ]
  return found.flatMap(([warning, holds]) => (holds ? [warning] : []))
}

/** A claim that no output reads is requested in vain. */
function hasUnused(query: DcqlQuery, outputs: Outputs): boolean {
  const read = new Set(
    Object.values(outputs)
      .flatMap(sourcesOf)
      .map(({ credential, path }) => `${credential}/${path[0]}`),
  )
  return query.credentials.some(({ id, claims = [] }) =>
    claims.some(({ path }) => !read.has(`${id}/${String(path[0])}`)),
  )
}

function sourcesOf(rule: Outputs[string]): readonly Source[] {
  if ('value' in rule) return rule.value
  if ('object' in rule) return Object.values(rule.object).flat()
  return [...rule.flags, ...rule.birth_dates]
}
