// Opens single parts as the configuration says: for the service, and for `vidimus doctor`, which needs few of them.

import type { Deps } from './deps.ts'
import type { Mailer } from './features/mail/outbound/smtp.ts'
import type { OidcProvider, OidcWorld } from './features/staff/outbound/provider.ts'
import { type Budgets, createLocalBudgets } from './platform/budgets/local.ts'
import type { Config } from './platform/config/config.ts'
import { type Egress, makeEgress, type RequestEnded } from './platform/egress/client.ts'
import { makePolicy } from './platform/egress/policy.ts'
import { createProvide } from './platform/keys/providers.ts'
import { createRemoteKeys, type RemoteKeyOptions, type RemoteKeys } from './platform/keys/remote-keys.ts'
import type { KeyServiceWorld } from './platform/keys/services/key-service.ts'
import type { Log } from './platform/log/log.ts'
import type { Metrics } from './platform/metrics/metrics.ts'
import type { SecretKeys } from './platform/seal/seal.ts'
import type { Traces } from './platform/traces/traces.ts'
import type { Environment } from './platform/world.ts'

export interface OutboundOptions {
  /** Default: the system's name servers. */
  readonly dnsServers?: readonly string[]
  /** PEM certificates that outbound TLS trusts in addition to the public ones. */
  readonly extraCa?: readonly string[]
}

export async function openOidc({ oidc }: Config, world: OidcWorld): Promise<OidcProvider | null> {
  return oidc === null ? null : (await import('./features/staff/outbound/provider.ts')).createOidcProvider(oidc, world)
}

/** The operator chose the server, so it may have any address. Uses the TLS settings of other outbound connections. */
export async function openMail({ mail, baseUrl }: Config, { tls, after }: Egress): Promise<Mailer | null> {
  return mail === null
    ? null
    : (await import('./features/mail/outbound/smtp.ts')).createMailer(mail, { tls, after, baseUrl })
}

export function openEgress(input: OutboundOptions & Pick<Deps, 'config'>, traces: Traces | null): Deps['egress'] {
  const { egressAllow, egressPorts, baseUrl } = input.config
  const settings = {
    allow: egressAllow,
    // All services of the machine share `localhost`. It is reachable only if VIDIMUS_EGRESS_ALLOW has its address.
    ownHosts: [new URL(baseUrl).hostname].filter((host) => host !== 'localhost'),
    ...(egressPorts === null ? {} : { ports: egressPorts }),
  }
  const open = (environment: Environment) =>
    makeEgress({
      policy: makePolicy({ environment, ...settings }),
      ...(traces === null ? {} : { onEnd: (ended: RequestEnded) => traces.note({ kind: 'outbound', ...ended }) }),
      ...(input.dnsServers === undefined ? {} : { dnsServers: input.dnsServers }),
      ...(input.extraCa === undefined ? {} : { extraCa: input.extraCa }),
    })
  return { test: open('test'), live: open('live') }
}

/** Opens keys outside of this process. Connects at the first use. */
export function openRemoteKeys(
  { keys }: Config,
  { metrics, log, ...world }: { readonly metrics: Metrics; readonly log: Log } & KeyServiceWorld,
  place: Partial<RemoteKeyOptions> = {},
): RemoteKeys {
  return createRemoteKeys({
    provide: createProvide(keys, world),
    ...(world.deadlineMs === undefined ? {} : { deadlineMs: world.deadlineMs }),
    onEnd: ({ scheme, outcome, tookMs }) => {
      metrics.keySignatures.inc({ provider: scheme, outcome })
      metrics.keySignatureSeconds.observe({ provider: scheme }, tookMs / 1000)
      if (outcome === 'wrong_signature') metrics.alarms.inc({ alarm: 'key_wrong_signature' })
    },
    report: (reference, failure) =>
      failure === null
        ? log.info(`the key ${reference} signs again`)
        : log.warn(`the key ${reference} does not sign: ${failure.message}`),
    ...place,
  })
}

/** For the start, before the dependencies exist. */
export async function withRemoteKeys<T>({ keys }: Config, work: (keys: RemoteKeys) => Promise<T>): Promise<T> {
  const remoteKeys = createRemoteKeys({ provide: createProvide(keys) })
  try {
    return await work(remoteKeys)
  } finally {
    await remoteKeys.close()
  }
}

/** Closes in reverse order of opening. */
export function createClosing(): { add(closer: () => Promise<void>): void; run(): Promise<void> } {
  const closers: (() => Promise<void>)[] = []
  return {
    add: (closer) => void closers.push(closer),
    async run() {
      for (const closer of closers.splice(0).reverse()) await closer()
    },
  }
}

export async function openBudgets(config: Config, keys: SecretKeys, metrics: Metrics, log: Log): Promise<Budgets> {
  if (config.redisUrl === null) return createLocalBudgets()
  const { createRedisBudgets } = await import('./platform/budgets/redis.ts')
  let isUp = true
  metrics.gauge('vidimus_redis_up', 'Whether replicas share their rate budgets: 0 while Redis is away', () =>
    isUp ? 1 : 0,
  )
  return createRedisBudgets({
    url: config.redisUrl,
    baseUrl: config.baseUrl,
    secret: keys.derive('rate-budget-v1', 32),
    onChange(reason) {
      isUp = reason === null
      if (isUp) return log.info('Redis is back: replicas share their rate budgets again')
      metrics.alarms.inc({ alarm: 'budget_store_unavailable' })
      log.fault(
        'Redis is away or too slow: rate budgets are kept in this process until it answers in time; see REDIS_URL',
        reason,
      )
    },
  })
}
