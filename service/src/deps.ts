// What the use cases are given of the world. Each names the parts it uses: Pick<Deps, 'db' | 'clock'>.

import type { ChainCache } from '@vidimus/engine'
import type { Config } from './config.ts'
import type { HeadMacs } from './domain/audit/head-macs.ts'
import type { Lanes } from './domain/lanes.ts'
import type { Sealer } from './domain/seal/seal.ts'
import type { Sandbox } from './domain/trust/sandbox.ts'
import type { ResponseQueue } from './domain/verification/response-queue.ts'
import type { Clock, Environment, Random } from './domain/world.ts'
import type { Log } from './log.ts'
import type { Metrics } from './metrics.ts'
import type { Egress } from './outbound/egress/client.ts'
import type { OidcProvider } from './outbound/oidc/provider.ts'
import type { StatusLists } from './outbound/trust/status-lists.ts'
import type { ZkVerifier } from './outbound/zk/verifier.ts'
import type { Budgets } from './store/budgets/local.ts'
import type { ReceiptSigners } from './store/log/receipt-keys.ts'
import type { ClientCache } from './store/oidc/client-cache.ts'
import type { Db } from './store/postgres/db.ts'
import type { RegistrationCache } from './store/registration/registration-cache.ts'
import type { KeyCache } from './store/tenants/api-key-cache.ts'
import type { AnchorCache } from './store/trust/anchor-cache.ts'
import type { CertificateCache } from './store/trust/certificate-cache.ts'
import type { Fetched } from './store/verifications/asked.ts'
import type { GatheredNotes } from './store/verifications/gathered-notes.ts'
import type { ListedCache } from './store/verifications/listed-cache.ts'
import type { ProgressWatch } from './store/verifications/progress-watch.ts'
import type { TemplateCache } from './store/verifications/template-cache.ts'
import type { Traces } from './traces.ts'

export interface Deps {
  readonly config: Config
  readonly clock: Clock
  /** How far this machine's own clock is from the store's, which `clock` follows. */
  readonly clockOffsetMs: () => number
  readonly random: Random
  readonly db: Db
  /** The embedded PostgreSQL runs as "nobody", which other processes of the machine may be too. */
  readonly storeShared: boolean
  readonly sealer: Sealer
  /** What the heads of audit chains are sealed with. */
  readonly headMacs: HeadMacs
  /** What receipts are signed with. */
  readonly receiptSigners: ReceiptSigners
  readonly budgets: Budgets
  /** What this process remembers of API keys, for at most a second. */
  readonly keys: KeyCache
  /** What this process remembers of OpenID clients, for at most a second. */
  readonly clients: ClientCache
  /** What this process remembers of tenants' own templates, for at most a second. */
  readonly templates: TemplateCache
  /** What this process remembers of certificates, for a few seconds. */
  readonly certificates: CertificateCache
  /** The one way out to other hosts, judged by the policy of each environment. */
  readonly egress: Readonly<Record<Environment, Egress>>
  /** Where work that meets is gathered into batches. */
  readonly lanes: Lanes
  /** Whom credentials are trusted from, remembered for a few seconds. */
  readonly anchors: AnchorCache
  /** Under which registrations a tenant may ask, remembered for a few seconds. */
  readonly registrations: RegistrationCache
  readonly statusLists: StatusLists
  /** When wallets fetched their requests, and when merchants first read what became of them. */
  readonly fetchNotes: GatheredNotes<Fetched>
  readonly readNotes: GatheredNotes
  /** What open pages are told of how it goes on. */
  readonly progress: ProgressWatch
  /** Where responses to one verification wait for each other. */
  readonly responseQueue: ResponseQueue
  /** How verifications read that were listed lately. */
  readonly listed: ListedCache
  /** Certificates and chains whose signatures held before. */
  readonly certificateChainCache: ChainCache
  /** Who checks proofs about documents; null where the operator has nobody, and then none is asked for. */
  readonly zkVerifier: ZkVerifier | null
  /** null where the sandbox is off. */
  readonly sandbox: Sandbox | null
  /** The provider that staff may sign in through; null where none is configured. */
  readonly oidc: OidcProvider | null
  readonly log: Log
  /** null where no collector is configured. */
  readonly traces: Traces | null
  readonly metrics: Metrics
}
