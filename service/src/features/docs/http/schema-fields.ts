// Renders a JSON schema for readers: its members, their types and descriptions.

import { escapeHtml } from '../../../platform/http/escape-html.ts'
import type { OpenApiDocument } from '../openapi/types.ts'
import { renderInline } from './markdown.ts'

interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
}

/** Deeper levels are left out. The OpenAPI document has them. */
const DEPTH_MAX = 3

/** `holder` is a request body or a response of the document. */
export function renderFields(document: OpenApiDocument, title: string, holder: object | undefined): string {
  const { content = {} } = (holder ?? {}) as { content?: Record<string, { schema: Schema }> }
  const [entry] = Object.entries(content)
  if (entry === undefined) return ''
  const [type, { schema }] = entry
  const fields = membersOf(document, schema, 0)
  if (fields === '') return ''
  const named = type === 'application/json' ? '' : ` <small>${escapeHtml(type)}</small>`
  return `<h3>${title}${named}</h3>${fields}`
}

function membersOf(document: OpenApiDocument, schema: Schema, depth: number): string {
  const whole = resolve(document, schema)
  const { properties = {}, required = [] } = whole.items === undefined ? whole : resolve(document, whole.items)
  const rows = Object.entries(properties).map(([name, member]) => {
    const found = resolve(document, member)
    const inner = depth < DEPTH_MAX ? membersOf(document, found, depth + 1) : ''
    const folded =
      inner === '' ? '' : `<details><summary>Fields of <code>${escapeHtml(name)}</code></summary>${inner}</details>`
    const must = required.includes(name) ? '' : ', optional'
    const about = member.description ?? found.description ?? ''
    return `<dt><code>${escapeHtml(name)}</code> <small>${escapeHtml(typeOf(document, found))}${must}</small></dt><dd>${renderInline(sentence(about), (target) => target)}${folded}</dd>`
  })
  return rows.length === 0 ? '' : `<dl class="fields">${rows.join('')}</dl>`
}

/** Descriptions in the interface have no full stop at the end. A page has sentences. */
export const sentence = (text: string) => (/[\p{L}\p{N}`)”"]$/u.test(text) ? `${text}.` : text)

function typeOf(document: OpenApiDocument, schema: Schema): string {
  const { type, items, enum: values, const: value, anyOf } = schema
  if (values !== undefined) return values.map((one) => JSON.stringify(one)).join(' | ')
  if (value !== undefined) return JSON.stringify(value)
  if (anyOf !== undefined) return anyOf.map((one) => typeOf(document, resolve(document, one))).join(' | ')
  if (items !== undefined) return `list of ${typeOf(document, resolve(document, items))}`
  return type === undefined ? 'anything' : [type].flat().join(' | ')
}

function resolve(document: OpenApiDocument, schema: Schema): Schema {
  const name = schema.$ref?.split('/').at(-1)
  return name === undefined ? schema : ((document.components.schemas[name] ?? {}) as Schema)
}
