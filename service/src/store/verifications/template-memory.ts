// What a process remembers of tenants' own templates, so that a creation by one asks the store nothing. At most a second old; a
// change anywhere empties it at once through NOTIFY. Keys that lead to none are never remembered.

import type { OwnTemplate } from '../../domain/template/template.ts'
import { type Realm, realmName } from '../../domain/tenant/realm.ts'
import type { Db } from '../postgres/db.ts'
import { loadTemplate, TEMPLATE_CHANNEL } from './templates.ts'

/** Stated staleness: a change takes effect everywhere within this time even if a notification is lost. */
const REMEMBER_MS = 1_000
/** Characters of all that are remembered. */
const LENGTH_MAX = 16_000_000

export interface TemplateMemory {
  find(realm: Realm, key: string, nowMs: number): Promise<OwnTemplate | null>
  /** For the process that has just changed one. */
  forget(): void
  close(): Promise<void>
}

interface Remembered {
  readonly template: OwnTemplate
  readonly until: number
  readonly length: number
}

export async function createTemplateMemory(db: Db, lengthMax = LENGTH_MAX): Promise<TemplateMemory> {
  const known = new Map<string, Remembered>()
  /** Creations come in crowds: who asks meanwhile waits for the same answer. */
  const loading = new Map<string, Promise<OwnTemplate | null>>()
  // A look-up that began before a change must not be remembered after it.
  let generation = 0
  let length = 0
  const empty = () => {
    known.clear()
    length = 0
  }
  const forget = () => {
    generation += 1
    empty()
    loading.clear()
  }
  const stop = await db.listen(TEMPLATE_CHANNEL, forget, forget)
  const keep = (name: string, remembered: Remembered) => {
    length -= known.get(name)?.length ?? 0
    known.delete(name)
    if (length + remembered.length > lengthMax) empty()
    known.set(name, remembered)
    length += remembered.length
  }
  const load = async (name: string, realm: Realm, key: string, nowMs: number): Promise<OwnTemplate | null> => {
    const began = generation
    try {
      const template = await loadTemplate(db, realm, key)
      if (template !== null && began === generation)
        keep(name, { template, until: nowMs + REMEMBER_MS, length: JSON.stringify(template).length })
      return template
    } finally {
      if (began === generation) loading.delete(name)
    }
  }
  return {
    async find(realm, key, nowMs) {
      const name = `${realmName(realm)} ${key}`
      const remembered = known.get(name)
      if (remembered !== undefined && nowMs < remembered.until) return remembered.template
      const underWay = loading.get(name) ?? load(name, realm, key, nowMs)
      loading.set(name, underWay)
      return underWay
    },
    forget,
    close: stop,
  }
}
