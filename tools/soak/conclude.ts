// Checks the end of a soak test: every verification exists, no other does, and no resource has grown.

import type { Deps } from '../../service/src/deps.ts'
import { verifyStored } from '../../service/src/features/audit/usecases/verify-audit.ts'
import type { Merchant } from './flows.ts'
import type { Ledger } from './ledger.ts'
import type { Receiver } from './receiver.ts'

/** Compares the service's data with what the test did. */
export async function compareWithLedger(merchant: Merchant, ledger: Ledger): Promise<void> {
  const { tenant } = merchant
  const [client] = merchant.clients
  if (client === undefined) throw new Error('bug: a merchant without a client')
  const found = new Map<string, string>()
  for await (const { id, status } of client.verifications.all()) found.set(id, status)
  const usage = await client.usage.get()
  const counted = usage.recent.reduce((sum, day) => sum + day.verifications_created, 0)
  for (const problem of judgeTenant(ledger, tenant, { found, counted })) ledger.problem(problem)
}

export interface ServiceRecord {
  /** The status of each verification that the service has. */
  readonly found: ReadonlyMap<string, string>
  /** How many creations the service charged. */
  readonly counted: number
}

/** Describes each mismatch. A request that an injected fault interrupted may have either outcome. */
export function judgeTenant(ledger: Ledger, tenant: string, { found, counted }: ServiceRecord): string[] {
  const own = [...ledger.entries.values()].filter((entry) => entry.tenant === tenant)
  const kept = own.filter(({ erased }) => erased === false)
  const wrong = kept.flatMap(({ id, expected }) => {
    const status = found.get(id)
    const isOpen = expected === 'unknown' && status !== undefined
    const fits = isOpen || status === expected || (expected === 'pending' && status === 'expired')
    return fits ? [] : [`${id} should be ${expected} and is ${status ?? 'lost'}`]
  })
  const uncertain = ledger.uncertain.get(tenant) ?? 0
  const halfErased = own.filter(({ erased }) => erased === 'unknown').length
  const unknown = [...found.keys()].filter((id) => !kept.some((entry) => entry.id === id)).length
  if (unknown > uncertain + halfErased)
    wrong.push(`${tenant} has ${found.size} verifications instead of ${kept.length}`)
  const charged = ledger.charged.get(tenant) ?? 0
  if (counted < charged || counted > charged + uncertain)
    wrong.push(`${tenant} was charged ${counted} creations instead of ${charged}`)
  return wrong
}

/** Verifications whose webhook has not arrived yet. */
export function listMissingWebhooks(ledger: Ledger, receiver: Receiver): string[] {
  return [...ledger.entries.values()]
    .filter(
      ({ hasWebhook, erased, expected }) =>
        hasWebhook && erased === false && ['completed', 'failed'].includes(expected),
    )
    .map(({ id }) => id)
    .filter((id) => !receiver.acknowledged.has(id))
}

export async function verifyChains(
  deps: Pick<Deps, 'db' | 'derivedKeys' | 'audit' | 'config'>,
  tenants: readonly string[],
  ledger: Ledger,
): Promise<void> {
  for (const tenantId of tenants) {
    const verdict = await verifyStored(deps, { realm: { tenantId, environment: 'test' }, log: 'whole' })
    if (verdict.outcome === 'whole')
      ledger.counts['audit entries verified'] = (ledger.counts['audit entries verified'] ?? 0) + verdict.entries
    else ledger.problem(`the audit chain of ${tenantId} is ${verdict.outcome}: ${verdict.problem}`)
  }
}

export interface Samples {
  readonly name: string
  readonly values: readonly number[]
  /** How much it may grow in addition to a quarter. */
  readonly slack: number
}

/** Compares the last quarter of the samples with the second quarter, because the first is the warm-up. */
export function describeGrowth({ name, values, slack }: Samples): string | null {
  const known = values.filter((value) => !Number.isNaN(value))
  const quarter = Math.floor(known.length / 4)
  if (quarter < 3) return null
  const early = median(known.slice(quarter, 2 * quarter))
  const late = median(known.slice(-quarter))
  return late > early * 1.25 + slack ? `${name} grew from ${early.toFixed(0)} to ${late.toFixed(0)}` : null
}

/** Compares the last quarter with the maximum. A pool grows and shrinks with its load; if it stays above the maximum, it leaks. */
export function describeExcess({
  name,
  values,
  most,
}: Omit<Samples, 'slack'> & { readonly most: number }): string | null {
  const known = values.filter((value) => !Number.isNaN(value))
  const late = median(known.slice(-Math.max(3, Math.floor(known.length / 4))))
  return late <= most ? null : `${name}: ${late} at the end, more than ${most}`
}

export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}
