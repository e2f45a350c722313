// Describes for pages what a template asks for, and where it asks for more than it needs.

import type { DcqlQuery } from '@vidimus/engine'
import { queriedFormatOf } from '@vidimus/engine/formats'
import type { Question } from '../../../../../wire/templates.ts'
import type { QUESTION_WARNINGS } from '../../../../../wire/values/templates.ts'
import { describeQuery } from './describe-query.ts'
import { type Outputs, sourcesOf } from './outputs.ts'
import type { Template } from './template.ts'

type QuestionWarning = (typeof QUESTION_WARNINGS)[number]
type WarnedTemplate = Pick<Template, 'key' | 'title' | 'description' | 'query' | 'outputs'>

const MANY = 8
const BIRTH_DATE = /^(birth_?date|date_of_birth)$/
const AGE = /\bage\b|age_|alter|volljährig|18|21/i

export function describeTemplate(template: WarnedTemplate): Question {
  return { ...describeQuery(template.query), warnings: warningsOf(template) }
}

function warningsOf(template: WarnedTemplate): QuestionWarning[] {
  const counts = template.query.credentials.map(({ claims = [] }) => claims.length)
  const names = template.query.credentials.flatMap(({ format, claims = [] }) =>
    claims.map(({ path }) => queriedFormatOf(format).claimNames(path).join('.')),
  )
  const about = `${template.key} ${template.title} ${template.description}`
  const agesKnown = template.outputs !== null && Object.values(template.outputs).some((rule) => 'age_over' in rule)
  const found: [QuestionWarning, boolean][] = [
    ['no_claims', counts.includes(0)],
    ['unused_claims', template.outputs !== null && hasUnused(template.query, template.outputs)],
    ['birth_date_for_age', !agesKnown && AGE.test(about) && names.some((name) => BIRTH_DATE.test(name))],
    ['many_claims', counts.some((count) => count > MANY)],
    ['portrait', names.some((name) => name === 'portrait' || name === 'picture')],
  ]
  return found.flatMap(([warning, holds]) => (holds ? [warning] : []))
}

/** Whether the query requests a claim that no output reads. */
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
