// Checks a set-up file as far as possible without an installation, and reports all problems with their paths.

import { KEY_LIFETIMES_DAYS, SCOPES } from '../../../../../wire/values/keys.ts'
import { NAME_LENGTH_MAX } from '../../../../../wire/values/names.ts'
import { ENDPOINT_URL_MAX } from '../../../../../wire/values/webhooks.ts'
import type { OwnTemplate } from '../../../core/templates/domain/template.ts'
import { DEFAULT_SCOPES, isScope, type Scope } from '../../../core/tenants/domain/api-key.ts'
import { isLine, TENANT_NAME_LENGTH_MAX } from '../../../core/tenants/domain/names.ts'
import { takes, valuesInJson } from '../../../core/tenants/domain/setting.ts'
import { fromWire, SETTINGS, type TenantSettings } from '../../../core/tenants/domain/settings.ts'
import { DAILY_QUOTA_MAX, isDailyQuota, PLANS, type Plan } from '../../../core/tenants/domain/tenant.ts'
import { readTrust, TRUST_MEMBERS } from './read-trust.ts'
import {
  type EndpointEntry,
  type KeyEntry,
  type RealmSetup,
  SETUP_VERSION,
  type Setup,
  type SetupProblem,
  type TemplateEntry,
  type TenantSetup,
} from './setup.ts'
import {
  choiceOf,
  entriesOf,
  membersOf,
  readEach,
  requireDistinct,
  type SetupValue,
  textOf,
  wrong,
} from './setup-value.ts'

/** Returns the template, or a problem with its path in the template. */
type JudgeTemplate = (
  key: string,
  document: unknown,
) => { readonly template: OwnTemplate } | { readonly path: string; readonly problem: string }

export function readSetup(
  json: unknown,
  judgeTemplate: JudgeTemplate,
): { readonly setup: Setup; readonly problems: readonly SetupProblem[] } {
  const problems: SetupProblem[] = []
  const whole: SetupValue = { json, path: [], problems }
  const members = membersOf(whole, ['vidimus', 'service', 'tenants']) ?? {}
  if (members.vidimus?.json !== SETUP_VERSION)
    wrong(members.vidimus ?? whole, `the version of the file format is missing: vidimus: ${SETUP_VERSION}`)
  const service = members.service === undefined ? {} : (membersOf(members.service, ['test', 'live']) ?? {})
  const tenants = readEach(members.tenants, (one) => readTenant(one, judgeTemplate)) ?? []
  requireDistinct(members.tenants, tenants, 'name', ({ name }) => name)
  requireDistinct(members.tenants, tenants, 'id', ({ id }) => id)
  const trustOf = (value: SetupValue | undefined) =>
    readTrust(value === undefined ? {} : (membersOf(value, TRUST_MEMBERS) ?? {}))
  const setup = { service: { test: trustOf(service.test), live: trustOf(service.live) }, tenants }
  return { setup, problems }
}

const TENANT_MEMBERS = ['id', 'name', 'plan', 'daily_quota', 'settings', 'test', 'live'] as const

function readTenant(value: SetupValue, judgeTemplate: JudgeTemplate): TenantSetup | undefined {
  const members = membersOf(value, TENANT_MEMBERS)
  if (members === undefined) return undefined
  const name = textOf(members.name, value, 'name')
  const id = members.id === undefined ? null : textOf(members.id, value, 'id')
  const plan = choiceOf(members.plan, Object.keys(PLANS) as Plan[], null)
  const dailyQuota = readQuota(members.daily_quota)
  const settings = members.settings === undefined ? {} : readSettings(members.settings)
  const realms = {
    test: readRealm(members.test, judgeTemplate),
    live: readRealm(members.live, judgeTemplate),
  }
  if (name === undefined || id === undefined || plan === undefined) return undefined
  if (!isLine(name, TENANT_NAME_LENGTH_MAX) || name !== name.trim())
    return wrong(members.name ?? value, `must be a line of 1 to ${TENANT_NAME_LENGTH_MAX} characters`)
  return { path: value.path, id, name, plan, dailyQuota, settings, realms }
}

function readQuota(value: SetupValue | undefined): number | null | undefined {
  if (value === undefined || value.json === null) return value === undefined ? undefined : null
  if (typeof value.json === 'number' && isDailyQuota(value.json)) return value.json
  return wrong(value, `must be a whole number from 0 to ${DAILY_QUOTA_MAX}, or null for the plan's`)
}

function readSettings(value: SetupValue): Partial<TenantSettings> {
  const wire = Object.entries(
    membersOf(
      value,
      SETTINGS.filter(({ setting }) => setting.kind !== 'text').map(({ name }) => name),
    ) ?? {},
  ).flatMap(([name, value]) => {
    const known = SETTINGS.find((one) => one.name === name)
    if (known === undefined || value === undefined) return []
    const { json } = value
    const isPlain = typeof json === 'boolean' || typeof json === 'number' || typeof json === 'string'
    if (isPlain && takes(known.setting, json)) return [[name, json] as const]
    return wrong(value, `must be ${valuesInJson(known.setting)}`) ?? []
  })
  return fromWire(Object.fromEntries(wire))
}

const REALM_MEMBERS = ['keys', 'templates', 'endpoints', ...TRUST_MEMBERS] as const

function readRealm(value: SetupValue | undefined, judgeTemplate: JudgeTemplate): RealmSetup {
  const members = value === undefined ? {} : (membersOf(value, REALM_MEMBERS) ?? {})
  const keys = readEach(members.keys, readKey)
  const endpoints = readEach(members.endpoints, readEndpoint)
  requireDistinct(members.keys, keys, 'name', ({ name, scopes }) => `${name} ${scopes.join(' ')}`)
  requireDistinct(members.endpoints, endpoints, 'default', ({ isDefault }) => (isDefault === true ? 'default' : null))
  return {
    keys,
    endpoints,
    templates: members.templates === undefined ? null : readTemplates(members.templates, judgeTemplate),
    ...readTrust(members),
  }
}

function readKey(value: SetupValue): KeyEntry | undefined {
  const members = membersOf(value, ['name', 'scopes', 'expires_in_days'])
  if (members === undefined) return undefined
  const name = readName(members.name, value)
  const scopes = members.scopes === undefined ? [...DEFAULT_SCOPES] : readScopes(members.scopes)
  const expiresInDays = choiceOf(members.expires_in_days, KEY_LIFETIMES_DAYS, null)
  if (name === undefined || scopes === undefined || expiresInDays === undefined) return undefined
  return { path: value.path, name, scopes, expiresInDays }
}

function readScopes(value: SetupValue): Scope[] | undefined {
  const scopes = readEach(value, (one) =>
    typeof one.json === 'string' && isScope(one.json) ? one.json : wrong(one, `must be one of ${SCOPES.join(', ')}`),
  )
  if (scopes === null || scopes.length === 0) return wrong(value, 'a key without a scope can do nothing')
  return SCOPES.filter((scope) => scopes.includes(scope))
}

function readName(value: SetupValue | undefined, within: SetupValue): string | undefined {
  const name = textOf(value, within, 'name')
  if (name === undefined || isLine(name, NAME_LENGTH_MAX)) return name
  return wrong(value ?? within, `must be a line of 1 to ${NAME_LENGTH_MAX} characters`)
}

function readEndpoint(value: SetupValue): EndpointEntry | undefined {
  const members = membersOf(value, ['name', 'url', 'default'])
  if (members === undefined) return undefined
  const name = readName(members.name, value)
  const url = textOf(members.url, value, 'url')
  const isDefault = members.default?.json ?? null
  if (isDefault !== null && typeof isDefault !== 'boolean')
    return wrong(members.default ?? value, 'must be true or false')
  if (url !== undefined && !isLine(url, ENDPOINT_URL_MAX)) return wrong(members.url ?? value, 'must be an address')
  return name === undefined || url === undefined ? undefined : { path: value.path, name, url, isDefault }
}

function readTemplates(value: SetupValue, judgeTemplate: JudgeTemplate): TemplateEntry[] {
  return (entriesOf(value) ?? []).flatMap(([key, one]) => {
    const judged = judgeTemplate(key, one.json)
    if ('template' in judged) return [{ path: one.path, template: judged.template, document: one.json }]
    const within = (judged.path.match(/[^.[\]]+/g) ?? []).map((part) => (/^\d+$/.test(part) ? Number(part) : part))
    one.problems.push({ path: [...one.path, ...within], message: judged.problem })
    return []
  })
}
