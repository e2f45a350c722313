// Asks a national register about one party, and accepts only signed responses.

import type { JsonObject, ListBudget, StatusSource } from '@vidimus/engine'
import {
  MalformedJson,
  parseJsonObject,
  type RegisterRecord,
  readRegisterAnswer,
  readRegisterRecord,
  thumbprintsOf,
} from '@vidimus/engine'
import type { Deps } from '../../../deps.ts'
import type { Environment } from '../../../platform/world.ts'
import { instantOf } from '../../../platform/world.ts'
import { finding, type RegisterFinding } from '../domain/drift.ts'
import { type Downloaded, downloadAnswer, downloadKeys, isSameOrigin } from '../outbound/download.ts'
import { loadPinnedKeys, type Register, replacePinnedKeys } from '../store/register-checks.ts'
import type { JudgingNeeds } from './judge-registration.ts'

export type AskingNeeds = JudgingNeeds & Pick<Deps, 'db' | 'egress' | 'sandbox'>

export type RegisterAnswer =
  | { readonly outcome: 'answered'; readonly record: RegisterRecord | null }
  | { readonly outcome: 'failed'; readonly finding: RegisterFinding }

/** `tenantId`: the tenant whose trust anchors verify the answer, besides the operator's; null: only the operator's do. */
interface Question extends Register {
  readonly tenantId: string | null
  readonly identifier: string
}

/** `record` null: the register has no party with this identifier. */
export async function askRegister(deps: AskingNeeds, question: Question): Promise<RegisterAnswer> {
  const { environment, identifier } = question
  const registryUri = question.registryUri.replace(/\/+$/, '')
  const access = registerAccess(deps, environment)
  const answer = await access.answer(`${registryUri}/wrp/${encodeURIComponent(identifier)}`)
  // A register does not sign that it has no such party. So an attacker in the network can forge this outcome or block the
  // register, but cannot forge a record.
  if (answer.outcome === 'absent') return { outcome: 'answered', record: null }
  if (answer.outcome === 'failed') return failed('unreachable', `${registryUri}: ${answer.reason}`)
  const nowMs = deps.clock.now()
  const terms = {
    anchors: await deps.anchors.find({ tenantId: question.tenantId ?? '', environment }, nowMs),
    cache: deps.certificateChainCache,
    now: Math.floor(nowMs / 1000),
    fetchStatus: (source: StatusSource, budget: ListBudget) =>
      deps.statusLists.find({ source, environment, nowMs, owner: question.tenantId, budget }),
    pinned: new Set(await loadPinnedKeys(deps.db, { registryUri, environment })),
  }
  const first = await readRegisterAnswer(answer.text, { ...terms, keys: null })
  const reading =
    first.outcome === 'refused' && first.needsKeys && terms.pinned.size > 0
      ? await readRegisterAnswer(answer.text, { ...terms, keys: await keysOf(access, registryUri, answer.keysUri) })
      : first
  if (reading.outcome === 'refused') return failed('not_authentic', `${registryUri}: ${reading.detail}`)
  const record = readRegisterRecord(reading.claims.data)
  return record === null
    ? failed('unreadable', `${registryUri}: its record of ${identifier} cannot be read`)
    : { outcome: 'answered', record }
}

interface RegisterAccess {
  answer(uri: string): Promise<Downloaded>
  keys(registryUri: string, keysUri: string): Promise<Uint8Array | null>
}

/** Chooses how to reach the register: over the network, or in test also the sandbox registrar in this process. */
function registerAccess(
  deps: Pick<AskingNeeds, 'egress' | 'sandbox' | 'clock'>,
  environment: Environment,
): RegisterAccess {
  const egress = deps.egress[environment]
  const own = environment === 'test' ? deps.sandbox : null
  const inSandbox = (uri: string) => own !== null && uri.startsWith(`${own.registrar.base}/`)
  return {
    async answer(uri) {
      if (own === null || !inSandbox(uri)) return downloadAnswer(egress, uri)
      const document = await own.documentAt(uri, deps.clock.now())
      if (document === null || document.status === 404) return { outcome: 'absent' }
      const keysUri = document.headers?.['x-jku-url'] ?? null
      return { outcome: 'answered', text: Buffer.from(document.bytes).toString('latin1'), keysUri }
    },
    async keys(registryUri, keysUri) {
      if (own === null || !inSandbox(keysUri)) return downloadKeys(egress, { registryUri, keysUri })
      if (!isSameOrigin(registryUri, keysUri)) return null
      return (await own.documentAt(keysUri, deps.clock.now()))?.bytes ?? null
    },
  }
}

/** Returns the key set at this address; an empty object if there is none. */
async function keysOf(access: RegisterAccess, registryUri: string, keysUri: string | null): Promise<JsonObject> {
  const bytes = keysUri === null ? null : await access.keys(registryUri, keysUri)
  if (bytes === null) return EMPTY
  try {
    return parseJsonObject(Buffer.from(bytes).toString('utf8'))
  } catch (error) {
    if (error instanceof MalformedJson) return EMPTY
    throw error
  }
}

const EMPTY: JsonObject = {}

type Pinning =
  | { readonly outcome: 'pinned'; readonly thumbprints: readonly string[] }
  | { readonly outcome: 'refused'; readonly problem: string }

/** Pins the keys at this address of the register. The operator must get the `expected` thumbprints from another source. */
export async function pinRegisterKeys(
  deps: Pick<Deps, 'db' | 'clock' | 'egress' | 'sandbox'>,
  input: Register & { readonly keysUri: string; readonly expected: readonly string[] },
): Promise<Pinning> {
  const { registryUri, keysUri, expected } = input
  if (!isSameOrigin(registryUri, keysUri)) return refused('the keys of a register must be on its own origin')
  const found = thumbprintsOf(await keysOf(registerAccess(deps, input.environment), registryUri, keysUri))
  if (found.length === 0) return refused('there are no usable keys')
  const missing = expected.find((thumbprint) => !found.includes(thumbprint))
  if (missing !== undefined) return refused(`the register does not publish the key ${missing}`)
  const thumbprints = [...new Set(expected)]
  if (thumbprints.length === 0) return refused(`say which: ${found.join(', ')}`)
  await deps.db.transaction((tx) => replacePinnedKeys(tx, input, { thumbprints, at: instantOf(deps.clock.now()) }))
  return { outcome: 'pinned', thumbprints }
}

const refused = (problem: string) => ({ outcome: 'refused', problem }) as const
const failed = (code: RegisterFinding['code'], detail: string): RegisterAnswer => ({
  outcome: 'failed',
  finding: finding(code, detail),
})
