// A tenant's own templates: saved (after everything in them was judged), listed beside the built-in ones, removed.

import { InvalidQuery, parseQuery } from '@vidimus/engine'
import type { Deps } from '../../deps.ts'
import type { AuditActor } from '../../domain/audit/entry.ts'
import { newTemplateId } from '../../domain/ids.ts'
import { InvalidTemplate, readTemplate } from '../../domain/template/document.ts'
import type { ListedTemplate } from '../../domain/template/listed-template.ts'
import { listBuiltInTemplates } from '../../domain/template/question.ts'
import type { Template } from '../../domain/template/template.ts'
import type { Realm } from '../../domain/tenant/realm.ts'
import { instantOf } from '../../domain/world.ts'
import { appendAudit } from '../../store/audit/chain.ts'
import { loadTenant } from '../../store/tenants/tenants.ts'
import {
  deleteTemplate,
  listTemplates as listRows,
  saveTemplate as saveRow,
} from '../../store/verifications/templates.ts'

type Needs = Pick<Deps, 'db' | 'clock' | 'random' | 'auditSeal'>

export type SavedTemplate =
  | { readonly outcome: 'created' | 'replaced'; readonly template: Template }
  /** Names the path of the fault, for the one who wrote it. */
  | { readonly outcome: 'invalid'; readonly problem: string }
  | { readonly outcome: 'no_tenant' }

/** Verifications made before keep the question they were made with. */
export async function saveTemplate(
  deps: Needs,
  input: { readonly realm: Realm; readonly key: string; readonly document: unknown; readonly actor: AuditActor },
): Promise<SavedTemplate> {
  const { realm, actor } = input
  const read = judged(input.key, input.document)
  if ('problem' in read) return { outcome: 'invalid', problem: read.problem }
  const { template } = read
  const now = instantOf(deps.clock.now())
  return deps.db.transaction(async (tx) => {
    if ((await loadTenant(tx, realm.tenantId)) === null) return { outcome: 'no_tenant' }
    const { id, created } = await saveRow(tx, realm, { template, newId: newTemplateId(deps.random), now })
    await appendAudit(tx, realm, {
      now,
      random: deps.random,
      seal: deps.auditSeal,
      events: [
        {
          action: 'template.saved',
          actor,
          object: { type: 'template', id },
          details: { key: template.key, title: template.title },
        },
      ],
    })
    return { outcome: created ? 'created' : 'replaced', template }
  })
}

/** The template, or what is wrong with it. */
export function judged(key: string, document: unknown): { template: Template } | { problem: string } {
  try {
    return { template: readTemplate(key, document, readQuery) }
  } catch (error) {
    if (error instanceof InvalidTemplate) return { problem: error.message }
    throw error
  }
}

function readQuery(query: unknown) {
  try {
    return parseQuery(query)
  } catch (error) {
    if (!(error instanceof InvalidQuery)) throw error
    const reason = error.path === '' ? error.message : error.message.slice(`${error.path}: `.length)
    throw new InvalidTemplate(error.path === '' ? 'query' : `query.${error.path}`, reason)
  }
}

export async function listTemplates(deps: Pick<Deps, 'db'>, realm: Realm): Promise<ListedTemplate[]> {
  const own = await listRows(deps.db, realm)
  return [
    ...listBuiltInTemplates().map((template) => ({ ...template, builtIn: true })),
    ...own.map((template) => ({ ...template, builtIn: false })),
  ]
}

/** False when there was none. */
export async function removeTemplate(
  deps: Needs,
  input: { readonly realm: Realm; readonly key: string; readonly actor: AuditActor },
): Promise<boolean> {
  const { realm, key, actor } = input
  const now = instantOf(deps.clock.now())
  return deps.db.transaction(async (tx) => {
    const id = await deleteTemplate(tx, realm, key)
    if (id === null) return false
    await appendAudit(tx, realm, {
      now,
      random: deps.random,
      seal: deps.auditSeal,
      events: [{ action: 'template.removed', actor, object: { type: 'template', id }, details: { key } }],
    })
    return true
  })
}
