// Defines the input and output of the files in tools/attacks/. Each exports `about` and `run(options)`.

import type { LateTurn } from './loop-probe.ts'

export interface AttackOptions {
  /** Base address of the service under attack, always on loopback. */
  readonly url: string
  /** API keys of the attacking tenant. */
  readonly attackerKeys: readonly string[]
  /** The key of another tenant, which must not be affected. */
  readonly bystanderKey: string
  /** How long the bystander is measured while the attack runs. */
  readonly seconds: number
  /** Resident memory of the service in MiB; null if its process is not ours. */
  memory(): number | null
  /** Milliseconds of CPU that the service has used; NaN if its process is not ours, or not on Linux. */
  cpu(): number
  /** The delays of the service's event loop since its start; null if its process is not ours, or not on Linux. */
  lateTurns(): readonly LateTurn[] | null
  /** The attacking tenant and the environment variables of its service, if the service is our own. */
  readonly own: { readonly env: Readonly<Record<string, string>>; readonly attackerTenant: string } | null
}

/** The measurements, in the order in which they are printed. */
export type AttackReport = Readonly<Record<string, string | number>>

export interface Attack {
  /** The line about this attack in the list of attacks. */
  readonly about: string
  run(options: AttackOptions): Promise<AttackReport>
}
