// What the use cases are given of the world. Each names the parts it uses: Pick<Deps, 'db' | 'clock'>.

import type { ChainCache } from '@vidimus/engine'
import type { AuthenticateDevice } from './core/ports/devices.ts'
import type { Signing } from './core/ports/signing.ts'
import type { ZkVerifier } from './core/ports/zk-verifier.ts'
import type { RegistrationCache } from './core/registrations/store/registration-cache.ts'
import type { TemplateCache } from './core/templates/store/template-cache.ts'
import type { Realm } from './core/tenants/domain/realm.ts'
import type { KeyCache } from './core/tenants/store/api-key-cache.ts'
import type { ResponseQueue } from './core/verifications/domain/response-queue.ts'
import type { Fetched } from './core/verifications/store/asked.ts'
import type { GatheredNotes } from './core/verifications/store/gathered-notes.ts'
import type { ListedCache } from './core/verifications/store/listed-cache.ts'
import type { ProgressWatch } from './core/verifications/store/progress-watch.ts'
import type { Endings, Examine } from './core/verifications/usecases/answering/ending.ts'
import type { Creations } from './core/verifications/usecases/asking/draft.ts'
import type { ForgettingContribution } from './core/verifications/usecases/forgetting/contributions.ts'
import type { Audit } from './features/audit/usecases/audit.ts'
import type { ClientCache } from './features/oidc/store/client-cache.ts'
import type { OidcProvider } from './features/staff/outbound/provider.ts'
import type { Sandbox } from './features/trust/domain/sandbox.ts'
import type { StatusLists } from './features/trust/outbound/status-lists.ts'
import type { AnchorCache } from './features/trust/store/anchor-cache.ts'
import type { CertificateCache } from './features/trust/store/certificate-cache.ts'
import type { Lanes } from './platform/batch.ts'
import type { Budgets } from './platform/budgets/local.ts'
import type { Config } from './platform/config/config.ts'
import type { Egress } from './platform/egress/client.ts'
import type { Log } from './platform/log/log.ts'
import type { Metrics } from './platform/metrics/metrics.ts'
import type { Db } from './platform/postgres/db.ts'
import type { DerivedKeys } from './platform/seal/seal.ts'
import type { Traces } from './platform/traces/traces.ts'
import type { Clock, Environment, Random } from './platform/world.ts'

export interface Deps {
  readonly config: Config
  readonly clock: Clock
  /** How far this machine's own clock is from the store's, which `clock` follows. */
  readonly clockOffsetMs: () => number
  readonly random: Random
  readonly db: Db
  /** The embedded PostgreSQL runs as "nobody", which other processes of the machine may be too. */
  readonly storeShared: boolean
  /** Keys of MACs, peppers and signatures that are derived from the master key. */
  readonly derivedKeys: DerivedKeys
  /** Records what happened. */
  readonly audit: Audit
  /** Commits creations, with what features add to them. */
  readonly creations: Creations
  /** Ends verifications, with what features add to that. */
  readonly endings: Endings
  /** Refuses an address that webhooks may not go to. */
  readonly checkWebhookUrl: (realm: Realm, url: string) => Promise<void>
  /** What features forget together with a verification. */
  readonly forgetting: readonly ForgettingContribution[]
  /** Examines presentations. */
  readonly examine: Examine
  readonly budgets: Budgets
  /** What this process remembers of API keys, for at most a second. */
  readonly keys: KeyCache
  /** What this process remembers of OpenID clients, for at most a second. */
  readonly clients: ClientCache
  /** What this process remembers of tenants' own templates, for at most a second. */
  readonly templates: TemplateCache
  /** What requests to wallets are signed with. */
  readonly signing: Signing
  readonly authenticateDevice: AuthenticateDevice
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
