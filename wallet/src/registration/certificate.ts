// Parses a registration certificate (TS 119 475) in either published version of the format.

import { isObject, member } from '../encoding/json.ts'
import type { ClaimPath } from '../present.ts'
import type { RegisteredCredential } from './over-asking.ts'

export interface RegistrationCertificate {
  /** All spellings of the identifier of the registered party. */
  readonly subject: readonly string[]
  readonly subjectName: string | null
  readonly serviceName: string
  readonly serviceId: string | null
  readonly purposes: readonly { readonly lang: string; readonly text: string }[]
  readonly privacyPolicy: string | null
  readonly intermediary: readonly string[] | null
  readonly credentials: readonly RegisteredCredential[]
  readonly issuedAt: number
  readonly expiresAt: number | null
  readonly status: { readonly uri: string; readonly index: number } | null
}

export class MalformedRegistration extends Error {
  constructor(detail: string) {
    super(detail)
    this.name = 'MalformedRegistration'
  }
}

export function readRegistration(claims: unknown): RegistrationCertificate {
  const country = textOf(member(claims, 'country')) ?? ''
  const subject = identifiers(member(claims, 'sub'), country)
  const serviceName = textOf(member(claims, 'name'))
  const issuedAt = member(claims, 'iat')
  const expiresAt = member(claims, 'exp')
  if (subject.length === 0) throw new MalformedRegistration('sub')
  if (serviceName === null) throw new MalformedRegistration('name')
  if (typeof issuedAt !== 'number') throw new MalformedRegistration('iat')
  if (expiresAt !== undefined && typeof expiresAt !== 'number') throw new MalformedRegistration('exp')
  const credentials = member(claims, 'credentials') ?? []
  if (!Array.isArray(credentials)) throw new MalformedRegistration('credentials')
  return {
    subject,
    subjectName: subjectName(claims),
    serviceName,
    serviceId: textOf(member(claims, 'srv_id')),
    purposes: wordsOf(member(claims, 'purpose')),
    privacyPolicy: policyOf(member(claims, 'privacy_policy')),
    intermediary: intermediaryOf(claims),
    credentials: credentials.map(readCredential),
    issuedAt,
    expiresAt: expiresAt ?? null,
    status: statusOf(member(claims, 'status')),
  }
}

function subjectName(claims: unknown): string | null {
  const names = member(member(claims, 'sub'), 'legal_name')
  const person = [member(claims, 'sub_gn'), member(claims, 'sub_fn')].filter((part) => typeof part === 'string')
  const legal = textOf(member(claims, 'sub_ln')) ?? textOf(Array.isArray(names) ? names[0] : names)
  return legal ?? (person.length === 0 ? null : person.join(' '))
}

/** Reads `sub`: a text since V1.2.1, before that an object with identifiers by type. */
function identifiers(sub: unknown, country: string): readonly string[] {
  const plain = textOf(sub) ?? textOf(member(sub, 'id'))
  if (plain !== null) return [plain]
  const list = member(sub, 'id')
  if (!Array.isArray(list)) return []
  return list.flatMap((one) => {
    const identifier = textOf(member(one, 'identifier'))
    if (identifier === null) return []
    const kind = textOf(member(one, 'type'))?.split('/').at(-1) ?? ''
    const prefix = kind === 'LEI' ? 'LEIXG' : `${{ EUID: 'EUID', VATIN: 'VAT' }[kind] ?? 'NTR'}${country}`
    return [identifier, `${prefix}-${identifier}`]
  })
}

function intermediaryOf(claims: unknown): readonly string[] | null {
  const intermediary = member(claims, 'intermediary') ?? member(claims, 'act')
  if (intermediary === undefined) return null
  const ids = identifiers(member(intermediary, 'sub'), '')
  if (ids.length === 0) throw new MalformedRegistration('intermediary')
  return ids
}

function readCredential(value: unknown): RegisteredCredential {
  const format = textOf(member(value, 'format'))
  if (format === null) throw new MalformedRegistration('credentials[].format')
  const meta = member(value, 'meta')
  const types = typeof meta === 'string' ? [meta] : (member(meta, 'vct_values') ?? [member(meta, 'doctype_value')])
  const claims = member(value, 'claim') ?? member(value, 'claims') ?? []
  if (!Array.isArray(types) || !Array.isArray(claims)) throw new MalformedRegistration('credentials[]')
  return {
    format,
    types: types.filter((type) => typeof type === 'string'),
    paths: claims.map((claim) => pathOf(member(claim, 'path'))),
  }
}

/** V1.1.1 writes paths as texts: a name, or a path in JSON. */
function pathOf(value: unknown): ClaimPath {
  const path = typeof value === 'string' && value !== '' ? pathInText(value) : value
  const isSound =
    Array.isArray(path) &&
    path.length > 0 &&
    path.every((part) => part === null || ['string', 'number'].includes(typeof part))
  if (!isSound) throw new MalformedRegistration('credentials[].claim[].path')
  return path as ClaimPath
}

function pathInText(text: string): unknown {
  if (!text.startsWith('[')) return [text]
  try {
    return JSON.parse(text)
  } catch {
    throw new MalformedRegistration('credentials[].claim[].path')
  }
}

function wordsOf(value: unknown): RegistrationCertificate['purposes'] {
  if (!Array.isArray(value)) return []
  return value.flatMap((one) => {
    const text = textOf(member(one, 'value')) ?? textOf(member(one, 'content'))
    return text === null ? [] : [{ lang: textOf(member(one, 'lang')) ?? '', text }]
  })
}

/** Accepts only an https address, because wallets show it as a link. */
function policyOf(value: unknown): string | null {
  const address = Array.isArray(value) ? member(value[0], 'policyURI') : value
  return typeof address === 'string' && /^https:\/\//.test(address) ? address : null
}

function statusOf(value: unknown): RegistrationCertificate['status'] {
  if (value === undefined) return null
  const list = member(value, 'status_list')
  const [uri, index] = [textOf(member(list, 'uri')), member(list, 'idx')]
  if (!isObject(list) || uri === null || typeof index !== 'number' || !Number.isInteger(index) || index < 0)
    throw new MalformedRegistration('status')
  return { uri, index }
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}
