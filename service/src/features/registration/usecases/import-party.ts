// Imports a merchant from the register: creates a tenant without an API key, its identity, and in test its templates.

import type { RegisteredCredential, RegisterRecord, RegisterUse } from '@vidimus/engine'
import { isCredentialFormat, queriedFormatOf } from '@vidimus/engine/formats'
import type { AuditActor } from '../../../core/ports/audit.ts'
import { DESCRIPTION_MAX, TITLE_MAX } from '../../../core/templates/domain/document.ts'
import { saveTemplate } from '../../../core/templates/usecases/manage-templates.ts'
import type { Plan, Tenant } from '../../../core/tenants/domain/tenant.ts'
import { createTenant } from '../../../core/tenants/usecases/manage-tenants.ts'
import type { Deps } from '../../../deps.ts'
import { ENVIRONMENTS, type Environment } from '../../../platform/world.ts'
import { type AskingNeeds, askRegister } from './ask-register.ts'
import { changeIdentity } from './manage-identity.ts'

type Needs = AskingNeeds & Pick<Deps, 'random' | 'audit' | 'config' | 'registrations' | 'templates'>

interface PartyImport {
  readonly registryUri: string
  /** The environment whose trusted registers verify the response. */
  readonly environment: Environment
  readonly identifier: string
  readonly plan: Plan
  readonly actor: AuditActor
}

type ImportedParty =
  | {
      readonly outcome: 'imported'
      readonly tenant: Tenant
      readonly templates: readonly string[]
      /** Intended uses without a template, and why. */
      readonly left: readonly { readonly intendedUse: string; readonly problem: string }[]
    }
  | { readonly outcome: 'refused'; readonly problem: string }

/** Intended uses beyond this number get no template. */
const TEMPLATES_MAX = 50
const NAME_LENGTH_MAX = 100

export async function importParty(deps: Needs, input: PartyImport): Promise<ImportedParty> {
  const { registryUri, environment, identifier, plan, actor } = input
  const answer = await askRegister(deps, { tenantId: null, registryUri, environment, identifier })
  if (answer.outcome === 'failed') return refused(answer.finding.detail)
  const { record } = answer
  if (record === null || !record.identifiers.includes(identifier))
    return refused(`the register has no party ${identifier}`)
  const tradeName = nameOf(record, identifier)
  const tenant = await createTenant(deps, { name: tradeName.slice(0, NAME_LENGTH_MAX), plan, dailyQuota: null, actor })
  // In live, only registers that live trusts may set an identity. The sandbox's register, for example, is trusted in test only.
  for (const changedIn of environment === 'live' ? ENVIRONMENTS : (['test'] as const)) {
    const identity = { identifier, tradeName, registryUri: addressOf(deps, registryUri), isIntermediary: false }
    const changed = await changeIdentity(deps, { tenantId: tenant.id, environment: changedIn, identity, actor })
    if (changed.outcome === 'refused') return refused(`${tenant.id} was created, but ${changed.problem}`)
  }
  return { outcome: 'imported', tenant, ...(await saveTemplates(deps, { tenant, record, actor })) }
}

/** Returns null for the sandbox's address, because test uses the sandbox by default. */
function addressOf({ sandbox }: Pick<Deps, 'sandbox'>, registryUri: string): string | null {
  return registryUri === sandbox?.registrar.base ? null : registryUri
}

const nameOf = ({ tradeName, legalName }: RegisterRecord, identifier: string) =>
  (tradeName ?? legalName ?? identifier)
    .replace(/[\p{Cc}\p{Cs}]/gu, ' ')
    .trim()
    .slice(0, 200)

async function saveTemplates(
  deps: Needs,
  { tenant, record, actor }: { readonly tenant: Tenant; readonly record: RegisterRecord; readonly actor: AuditActor },
): Promise<Pick<Extract<ImportedParty, { outcome: 'imported' }>, 'templates' | 'left'>> {
  const uses = record.services.flatMap(({ intendedUses }) => intendedUses).filter(({ isRevoked }) => !isRevoked)
  const templates: string[] = []
  const left = uses
    .slice(TEMPLATES_MAX)
    .map(({ id }) => ({ intendedUse: id, problem: 'there are too many intended uses' }))
  const realm = { tenantId: tenant.id, environment: 'test' } as const
  for (const use of uses.slice(0, TEMPLATES_MAX)) {
    const key = keyOf(use, templates)
    const saved = await saveTemplate(deps, { realm, key, document: documentOf(use), actor })
    if (saved.outcome === 'created') templates.push(key)
    else left.push({ intendedUse: use.id, problem: saved.outcome === 'invalid' ? saved.problem : saved.outcome })
  }
  return { templates, left }
}

/** Derives a template key from the intended use. A duplicate gets a number. */
function keyOf({ id }: RegisterUse, taken: readonly string[]): string {
  const key = `use-${id.replaceAll(/[^A-Za-z0-9_.-]/g, '-')}`.slice(0, 60)
  return taken.includes(key) ? `${key}-${taken.length}` : key
}

/**
 * Requests any one of the registered credentials, with all registered claims. The merchant then removes claims that it
 * does not need.
 */
function documentOf(use: RegisterUse) {
  const [purpose] = use.purposes
  const credentials = use.credentials.map(queryOf)
  const sets = credentials.length > 1 ? { credential_sets: [{ options: credentials.map(({ id }) => [id]) }] } : {}
  return {
    title: (purpose?.text ?? use.id).slice(0, TITLE_MAX),
    description: use.purposes
      .map(({ text }) => text)
      .join(' · ')
      .slice(0, DESCRIPTION_MAX),
    query: { credentials, ...sets },
    intended_use: use.id,
  }
}

function queryOf({ format, types, paths }: RegisteredCredential, index: number) {
  // An unsupported format is refused when the query is checked.
  const meta = isCredentialFormat(format) ? queriedFormatOf(format).metaOf(types) : {}
  const claims = paths.length === 0 ? {} : { claims: paths.map((path) => ({ path: [...path] })) }
  return { id: `credential_${index}`, format, meta, ...claims }
}

const refused = (problem: string) => ({ outcome: 'refused', problem }) as const
