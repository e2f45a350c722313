// The dependencies of the use cases. Each use case names those it uses: Pick<Deps, 'db' | 'clock'>.

import type { ChainCache } from '@vidimus/engine'
import type { AuthenticateDevice, RequireActiveDevice } from './core/ports/devices.ts'
import type { Signing } from './core/ports/signing.ts'
import type { ZkVerifier } from './core/ports/zk-verifier.ts'
import type { RegistrationCache } from './core/registrations/store/registration-cache.ts'
import type { TemplateCache } from './core/templates/store/template-cache.ts'
import type { Realm } from './core/tenants/domain/realm.ts'
import type { KeyCache } from './core/tenants/store/api-key-cache.ts'
import type { CostlyAgreements } from './core/verifications/domain/costly-agreements.ts'
import type { ReachedStep } from './core/verifications/domain/universal-status.ts'
import type { FirstRead } from './core/verifications/store/first-reads.ts'
import type { ListedCache } from './core/verifications/store/listed-cache.ts'
import type { ProgressWatch } from './core/verifications/store/progress-watch.ts'
import type { Fetched } from './core/verifications/store/wallet-verifications.ts'
import type { Endings, Examine, ResponseQueue } from './core/verifications/usecases/answering/ending.ts'
import type { Creations } from './core/verifications/usecases/asking/draft.ts'
import type { ForgettingContribution } from './core/verifications/usecases/forgetting/contributions.ts'
import type { Audit } from './features/audit/usecases/audit.ts'
import type { BundleWriter } from './features/evidence/outbound/bundle-writer.ts'
import type { Mailer } from './features/mail/outbound/smtp.ts'
import type { ClientCache } from './features/oidc/store/client-cache.ts'
import type { OidcProvider } from './features/staff/outbound/provider.ts'
import type { Sandbox } from './features/trust/domain/sandbox.ts'
import type { StatusLists } from './features/trust/outbound/status-lists.ts'
import type { TrustListReader } from './features/trust/outbound/trust-list-reader.ts'
import type { AnchorCache } from './features/trust/store/anchor-cache.ts'
import type { CertificateCache } from './features/trust/store/certificate-cache.ts'
import type { Budgets } from './platform/budgets/local.ts'
import type { Config } from './platform/config/config.ts'
import type { Egress } from './platform/egress/client.ts'
import type { Batcher } from './platform/event-loop/batch.ts'
import type { RemoteKeys } from './platform/keys/remote-keys.ts'
import type { Log } from './platform/log/log.ts'
import type { Metrics } from './platform/metrics/metrics.ts'
import type { Db } from './platform/postgres/db.ts'
import type { GatheredNotes } from './platform/postgres/gathered-notes.ts'
import type { DerivedKeys } from './platform/seal/seal.ts'
import type { Traces } from './platform/traces/traces.ts'
import type { Clock, Environment, Random } from './platform/world.ts'

export interface Deps {
  readonly config: Config
  readonly clock: Clock
  /** The difference between this machine's own clock and the store's clock, which `clock` follows. */
  readonly clockOffsetMs: () => number
  readonly random: Random
  readonly db: Db
  /** Whether the embedded PostgreSQL runs as the account "nobody", which other processes may use too. */
  readonly storeShared: boolean
  /** Keys for MACs, peppers and signatures, derived from the master key. */
  readonly derivedKeys: DerivedKeys
  /** Signs with keys outside of this process. */
  readonly remoteKeys: RemoteKeys
  /** Writes audit entries. */
  readonly audit: Audit
  /** Commits new verifications, with what features add to them. */
  readonly creations: Creations
  /** Ends verifications, with what features add to them. */
  readonly endings: Endings
  /** Refuses an address that webhooks must not be sent to. */
  readonly checkWebhookUrl: (realm: Realm, url: string) => Promise<void>
  /** Reports a step to the callback of a verification, if the callback wants it. */
  readonly reportStep: (realm: Realm, reached: ReachedStep) => Promise<void>
  /** What features delete together with a verification. */
  readonly forgetting: readonly ForgettingContribution[]
  /** Examines presentations. */
  readonly examine: Examine
  readonly budgets: Budgets
  /** Caches API keys for at most a second. */
  readonly keys: KeyCache
  /** Caches OpenID clients for at most a second. */
  readonly clients: ClientCache
  /** Caches tenants' own templates for at most a second. */
  readonly templates: TemplateCache
  /** Signs requests to wallets. */
  readonly signing: Signing
  readonly authenticateDevice: AuthenticateDevice
  readonly requireActiveDevice: RequireActiveDevice
  /** Caches certificates for a few seconds. */
  readonly certificates: CertificateCache
  /** The only way to send requests to other hosts. The policy of each environment restricts it. */
  readonly egress: Readonly<Record<Environment, Egress>>
  /** Collects concurrent work into batches. */
  readonly batcher: Batcher
  /** Caches trust anchors for a few seconds. */
  readonly anchors: AnchorCache
  /** Caches the registrations that a tenant may use, for a few seconds. */
  readonly registrations: RegistrationCache
  readonly statusLists: StatusLists
  readonly trustListReader: TrustListReader
  readonly bundleWriter: BundleWriter
  /** When wallets fetched their requests, and when merchants first read the results. */
  readonly fetchNotes: GatheredNotes<Fetched>
  readonly readNotes: GatheredNotes<FirstRead>
  /** Notifies open pages of a verification's progress. */
  readonly progress: ProgressWatch
  /** Queues responses to the same verification. */
  readonly responseQueue: ResponseQueue
  /** Bounds the cost of encrypting request objects to large curves. */
  readonly costlyAgreements: CostlyAgreements
  /** Caches recently listed verifications in rendered form. */
  readonly listed: ListedCache
  /** Caches certificates and chains whose signatures were verified. */
  readonly certificateChainCache: ChainCache
  /** Verifies zero-knowledge proofs about documents. null: no verifier is configured, so no proofs are requested. */
  readonly zkVerifier: ZkVerifier | null
  /** null if the sandbox is off. */
  readonly sandbox: Sandbox | null
  /** Hands mails to the mail server; null if none is configured. */
  readonly mail: Mailer | null
  /** The provider that staff may sign in through; null if none is configured. */
  readonly oidc: OidcProvider | null
  readonly log: Log
  /** null if no collector is configured. */
  readonly traces: Traces | null
  readonly metrics: Metrics
}
