// What the use cases are given of the world. Each names the parts it uses: Pick<Deps, 'db' | 'clock'>.

import type { Config } from './config.ts'
import type { Sealer } from './domain/seal.ts'
import type { Sandbox } from './domain/trust/sandbox.ts'
import type { Clock, Environment, Random } from './domain/world.ts'
import type { Log } from './log.ts'
import type { Metrics } from './metrics.ts'
import type { Egress } from './outbound/egress/client.ts'
import type { OidcProvider } from './outbound/oidc/provider.ts'
import type { StatusLists } from './outbound/trust/status-lists.ts'
import type { Budgets } from './store/budgets/local.ts'
import type { Db } from './store/postgres/db.ts'
import type { KeyMemory } from './store/tenants/api-key-memory.ts'
import type { AnchorMemory } from './store/trust/anchor-memory.ts'
import type { CertificateMemory } from './store/trust/certificate-memory.ts'
import type { FetchNotes } from './store/verifications/fetch-notes.ts'
import type { WalletResponses } from './usecases/verifications/accept-wallet-response.ts'
import type { Creations } from './usecases/verifications/commit-creations.ts'
import type { IdempotencyLeases } from './usecases/verifications/lease-idempotency-key.ts'
import type { Reads } from './usecases/verifications/read-together.ts'

export interface Deps {
  readonly config: Config
  readonly clock: Clock
  /** How far this machine's own clock is from the store's, which `clock` follows. */
  readonly clockOffsetMs: () => number
  readonly random: Random
  readonly db: Db
  readonly sealer: Sealer
  readonly budgets: Budgets
  /** What this process remembers of API keys, for at most a second. */
  readonly keys: KeyMemory
  /** What this process remembers of access keys, for a few seconds. */
  readonly certificates: CertificateMemory
  /** The one way out to other hosts, judged by the policy of each environment. */
  readonly egress: Readonly<Record<Environment, Egress>>
  /** Where reads of single verifications meet. */
  readonly reads: Reads
  /** Where leases of idempotency keys meet. */
  readonly idempotencyLeases: IdempotencyLeases
  /** Where creations meet and are committed together. */
  readonly creations: Creations
  /** Whom credentials are trusted from, remembered for a few seconds. */
  readonly anchors: AnchorMemory
  readonly statusLists: StatusLists
  readonly fetchNotes: FetchNotes
  /** Where wallets' answers are judged, and meet to be committed together. */
  readonly walletResponses: WalletResponses
  /** null where the sandbox is off. */
  readonly sandbox: Sandbox | null
  /** The provider that staff may sign in through; null where none is configured. */
  readonly oidc: OidcProvider | null
  readonly log: Log
  readonly metrics: Metrics
}
