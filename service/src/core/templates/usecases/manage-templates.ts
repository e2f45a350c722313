// Manages a tenant's own templates: saves them after a check of every member, lists them with the built-in ones, removes them.

import { InvalidQuery, parseQuery } from '@vidimus/engine'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import { newTemplateId } from '../../../platform/ids.ts'
import { instantOf } from '../../../platform/world.ts'
import type { AuditActor } from '../../ports/audit.ts'
import { type Concern, chooseRegistration, registrationChooser } from '../../registrations/domain/choose.ts'
import { newEffort } from '../../registrations/domain/path-tree.ts'
import { readRegistrations } from '../../registrations/usecases/read-registrations.ts'
import type { Realm } from '../../tenants/domain/realm.ts'
import { loadTenant } from '../../tenants/store/tenants.ts'
import { readTemplate, TEMPLATES_BYTES_MAX } from '../domain/document.ts'
import type { ListedTemplate } from '../domain/listed-template.ts'
import { InvalidTemplate } from '../domain/problem.ts'
import { listBuiltInTemplates } from '../domain/question.ts'
import type { OwnTemplate } from '../domain/template.ts'
import { deleteTemplate, listTemplates as listRows, saveTemplate as saveRow, sumTemplates } from '../store/templates.ts'

type Needs = Pick<Deps, 'db' | 'clock' | 'random' | 'audit' | 'templates'>
type SavingNeeds = Needs & Pick<Deps, 'config'>

type SavedTemplate =
  | {
      readonly outcome: 'created' | 'replaced'
      readonly template: OwnTemplate
      /** In test: the reasons for which live would refuse the template. */
      readonly concerns: readonly Concern[]
    }
  /** Names the path of the fault, for the author. */
  | { readonly outcome: 'invalid'; readonly problem: string }
  | { readonly outcome: 'no_tenant' }

/** Existing verifications keep the question that they were created with. */
export async function saveTemplate(
  deps: SavingNeeds,
  input: { readonly realm: Realm; readonly key: string; readonly document: unknown; readonly actor: AuditActor },
): Promise<SavedTemplate> {
  const { realm, actor } = input
  const read = judgeTemplate(input.key, input.document)
  if ('problem' in read) return { outcome: 'invalid', problem: read.problem }
  const { template } = read
  const concerns = chooseRegistration(await readRegistrations(deps, realm), template, deps.clock.now()).concerns
  const refused = realm.environment === 'live' ? findLiveConcern(concerns, template) : undefined
  if (refused !== undefined) throw new Refusal(refused.code, { message: refused.message })
  const now = instantOf(deps.clock.now())
  const saved = await deps.db.transaction<SavedTemplate>(async (tx) => {
    if ((await loadTenant(tx, realm.tenantId)) === null) return { outcome: 'no_tenant' }
    const before = await sumTemplates(tx, realm)
    const { id, created } = await saveRow(tx, realm, { template, newId: newTemplateId(deps.random), now })
    await deps.audit.record(tx, realm, {
      now,
      action: 'template.saved',
      actor,
      object: { type: 'template', id },
      details: { key: template.key, title: template.title },
    })
    // Read while the audit trail is locked, so the second of two concurrent calls sees the first.
    const { count, bytes } = await sumTemplates(tx, realm)
    // An earlier release may have saved more: a template may still become shorter.
    const isTooLong = bytes > TEMPLATES_BYTES_MAX && bytes >= before.bytes
    if (isTooLong || (created && count > deps.config.templatesMax)) throw new Refusal('template_limit_reached')
    return { outcome: created ? 'created' : 'replaced', template, concerns }
  })
  deps.templates.forget()
  return saved
}

/** The template, or its fault. */
export function judgeTemplate(
  key: string,
  document: unknown,
): { template: OwnTemplate } | (Pick<InvalidTemplate, 'path' | 'code' | 'value'> & { readonly problem: string }) {
  try {
    return { template: readTemplate(key, document, readQuery) }
  } catch (error) {
    if (!(error instanceof InvalidTemplate)) throw error
    const { path, code, value, message } = error
    return { path, code, value, problem: message }
  }
}

function readQuery(query: unknown) {
  try {
    return parseQuery(query)
  } catch (error) {
    if (!(error instanceof InvalidQuery)) throw error
    const reason = error.path === '' ? error.message : error.message.slice(`${error.path}: `.length)
    throw new InvalidTemplate(error.path === '' ? 'query' : `query.${error.path}`, 'query', reason, reason)
  }
}

const NONE_REGISTERED = { identity: null, own: null, registrations: [] }

/** The concern for which live refuses. If the template names no intended use, the caller may name one. */
const findLiveConcern = (concerns: readonly Concern[], { intendedUse }: OwnTemplate) =>
  concerns.find(({ code }) => code === 'over_asking' || intendedUse !== null)

/** The reasons for which live would refuse these templates. `realm` null: the tenant does not exist yet. */
export async function findRefusedInLive(
  deps: Pick<Deps, 'db' | 'clock'>,
  realm: Realm | null,
  templates: readonly OwnTemplate[],
): Promise<{ readonly template: OwnTemplate; readonly concern: Concern }[]> {
  const registered = realm === null ? NONE_REGISTERED : await readRegistrations(deps, realm)
  return templates.flatMap((template) => {
    const concern = findLiveConcern(chooseRegistration(registered, template, deps.clock.now()).concerns, template)
    return concern === undefined ? [] : [{ template, concern }]
  })
}

/** Bounds the search of all templates of a realm together. */
const LIST_STEPS_MAX = 500_000

type Listing = Pick<Deps, 'db' | 'clock' | 'registrations'>

export async function listTemplates(deps: Listing, realm: Realm): Promise<ListedTemplate[]> {
  const nowMs = deps.clock.now()
  const choose = registrationChooser(await deps.registrations.find(realm, nowMs), nowMs, newEffort(LIST_STEPS_MAX))
  const builtIn = listBuiltInTemplates().map((one) => ({ ...one, intendedUse: null, transaction: null, builtIn: true }))
  const own = (await listRows(deps.db, realm)).map((one) => ({ ...one, builtIn: false }))
  return [...builtIn, ...own].map((one) => ({ ...one, concerns: choose(one).concerns }))
}

/** False if there was none, or if it has another id. */
export async function removeTemplate(
  deps: Needs,
  input: { readonly realm: Realm; readonly key: string; readonly id?: string; readonly actor: AuditActor },
): Promise<boolean> {
  const { realm, key, actor } = input
  const now = instantOf(deps.clock.now())
  const removed = await deps.db.transaction(async (tx) => {
    const id = await deleteTemplate(tx, realm, input)
    if (id === null) return false
    await deps.audit.record(tx, realm, {
      now,
      action: 'template.removed',
      actor,
      object: { type: 'template', id },
      details: { key },
    })
    return true
  })
  deps.templates.forget()
  return removed
}
