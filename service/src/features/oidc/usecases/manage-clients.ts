// Creates, lists, changes and removes a tenant's OpenID clients, and rotates their secrets.

import type { AuditActor } from '../../../core/ports/audit.ts'
import { builtInTemplate } from '../../../core/templates/domain/question.ts'
import { listTitles } from '../../../core/templates/store/templates.ts'
import { hashSecret } from '../../../core/tenants/domain/api-key.ts'
import type { Realm } from '../../../core/tenants/domain/realm.ts'
import { lockTenantSettings } from '../../../core/tenants/store/settings.ts'
import type { Deps } from '../../../deps.ts'
import { newClientId } from '../../../platform/ids.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import { type Instant, instantOf } from '../../../platform/world.ts'
import { ROTATION_OVERLAP_MS } from '../../webhooks/index.ts'
import {
  type AuthMethod,
  type ChangedTerms,
  CLIENTS_PER_REALM_MAX,
  type ClientProblem,
  type ClientTerms,
  mintClientSecret,
  type OidcClient,
  problemOf,
} from '../domain/client.ts'
import {
  deleteClient,
  insertClient,
  listClients,
  loadClient,
  replaceClientSecret,
  updateClient,
} from '../store/clients.ts'

type Needs = Pick<Deps, 'db' | 'clients' | 'clock' | 'random' | 'audit'>

export const readClients = (deps: Pick<Deps, 'db'>, realm: Realm): Promise<OidcClient[]> => listClients(deps.db, realm)

export type ClientChange =
  /** `secret`: the new secret, shown only once; null if there is none. */
  | { readonly outcome: 'done'; readonly client: OidcClient; readonly secret: string | null }
  | { readonly outcome: 'refused'; readonly problem: ClientProblem }
  | { readonly outcome: 'not_found' }

interface Acted {
  readonly realm: Realm
  readonly actor: AuditActor
}

export async function createClient(
  deps: Needs,
  input: Acted & { readonly terms: ClientTerms; readonly authMethod: AuthMethod },
): Promise<ClientChange> {
  const { realm, actor, terms, authMethod } = input
  const problem = problemOf(terms, authMethod, realm.environment)
  if (problem !== null) return { outcome: 'refused', problem }
  const now = instantOf(deps.clock.now())
  const { tenantId, environment } = realm
  const created = { ...terms, authMethod, tenantId, environment, id: newClientId(deps.random), createdAt: now }
  const secret = authMethod === 'client_secret' ? mintClientSecret(deps.random) : null
  return deps.db.transaction(async (tx): Promise<ClientChange> => {
    if ((await lockTenantSettings(tx, tenantId)) === null) return { outcome: 'refused', problem: 'no_tenant' }
    if ((await listClients(tx, realm)).length >= CLIENTS_PER_REALM_MAX)
      return { outcome: 'refused', problem: 'too_many' }
    if (!(await allExist(tx, realm, terms.templates))) return { outcome: 'refused', problem: 'template_unknown' }
    const client = await insertClient(tx, created)
    if (secret !== null) await replaceSecret(deps, tx, { client, secret, now })
    await deps.audit.record(tx, realm, { now, actor, action: 'client.created', ...about(client) })
    return { outcome: 'done', client, secret }
  })
}

/** Replaces all settings except the authentication method. */
export async function changeClient(
  deps: Needs,
  input: Acted & { readonly id: string; readonly change: (before: OidcClient) => ChangedTerms },
): Promise<ClientChange> {
  const { realm, actor, id } = input
  const now = instantOf(deps.clock.now())
  return apply(deps, async (tx): Promise<ClientChange> => {
    if ((await lockTenantSettings(tx, realm.tenantId)) === null) return { outcome: 'not_found' }
    const before = await loadClient(tx, realm, id)
    if (before === null) return { outcome: 'not_found' }
    const terms = input.change(before)
    const problem = problemOf(terms, before.authMethod, realm.environment)
    if (problem !== null) return { outcome: 'refused', problem }
    if (!(await allExist(tx, realm, terms.templates))) return { outcome: 'refused', problem: 'template_unknown' }
    const { authMethod, createdAt, tenantId, environment } = before
    const client: OidcClient = { ...terms, id, authMethod, createdAt, tenantId, environment }
    await updateClient(tx, client)
    await deps.audit.record(tx, realm, { now, actor, action: 'client.changed', ...about(client) })
    return { outcome: 'done', client, secret: null }
  })
}

/** The previous secret stays valid for a day, so that the client is not locked out. */
export async function rotateClientSecret(deps: Needs, input: Acted & { readonly id: string }): Promise<ClientChange> {
  const { realm, actor, id } = input
  const now = instantOf(deps.clock.now())
  return apply(deps, async (tx): Promise<ClientChange> => {
    if ((await lockTenantSettings(tx, realm.tenantId)) === null) return { outcome: 'not_found' }
    const client = await loadClient(tx, realm, id)
    if (client === null || client.authMethod !== 'client_secret') return { outcome: 'not_found' }
    const secret = mintClientSecret(deps.random)
    await replaceSecret(deps, tx, { client, secret, now })
    await deps.audit.record(tx, realm, { now, actor, action: 'client.secret_rotated', ...about(client) })
    return { outcome: 'done', client, secret }
  })
}

/** Ends its pending sign-ins; verifications stay. Returns false if the client does not exist. */
export async function removeClient(deps: Needs, input: Acted & { readonly id: string }): Promise<boolean> {
  const { realm, actor, id } = input
  const now = instantOf(deps.clock.now())
  return apply(deps, async (tx) => {
    const name = await deleteClient(tx, realm, id)
    if (name === null) return false
    await deps.audit.record(tx, realm, { now, actor, action: 'client.removed', ...about({ id, name }) })
    return true
  })
}

/** Other processes get a notification. This process clears its cache at once. */
async function apply<T>({ db, clients }: Pick<Deps, 'db' | 'clients'>, change: (tx: Tx) => Promise<T>): Promise<T> {
  const changed = await db.transaction(change)
  clients.forget()
  return changed
}

async function allExist(tx: Tx, realm: Realm, keys: readonly string[]): Promise<boolean> {
  const own = keys.filter((key) => builtInTemplate(key) === null)
  if (own.length === 0) return true
  return (await listTitles(tx, realm, own)).length === new Set(own).size
}

async function replaceSecret(
  deps: Pick<Deps, 'clock'>,
  tx: Tx,
  { client, secret, now }: { readonly client: OidcClient; readonly secret: string; readonly now: Instant },
): Promise<void> {
  const previousUntil = instantOf(deps.clock.now() + ROTATION_OVERLAP_MS)
  await replaceClientSecret(tx, client, { clientId: client.id, hash: hashSecret(secret), at: now, previousUntil })
}

const about = ({ id, name }: Pick<OidcClient, 'id' | 'name'>) => ({
  object: { type: 'oidc_client', id },
  details: { name },
})
