// Reads the configuration once from the environment, and reports every problem at once.

import type { Cidr } from '../cidr.ts'
import type { HelperAddress } from '../helper-address.ts'
import type { Budget } from '../rate.ts'
import {
  ConfigError,
  type ConfigProblem,
  keyProblems,
  mailProblems,
  oidcProblems,
  productionProblems,
} from './config-problems.ts'
import type { KeySettings } from './key-settings.ts'
import { keySettingsOf } from './key-variables.ts'
import { isLoopback, type MailSettings } from './mail-settings.ts'
import type { OidcSettings } from './oidc-settings.ts'
import { Misread, type Variable } from './variable-readers.ts'
import { type LogLevel, type Role, VARIABLES, type Values } from './variables.ts'
import type { Witness } from './witness.ts'

export interface Config {
  readonly production: boolean
  readonly host: string
  readonly port: number
  /** null: only `port` serves `/healthz`. */
  readonly healthPort: number | null
  readonly baseUrl: string
  readonly dataDir: string
  /** null: the embedded PostgreSQL. */
  readonly databaseUrl: string | null
  readonly databasePoolMax: number
  /** null: rate budgets are kept in this process. */
  readonly redisUrl: string | null
  /** null: a key is created in the data directory at the first start. */
  readonly masterKey: Uint8Array | null
  /** Further master keys that decrypt and never seal, for a change of the master key. */
  readonly masterKeysReadable: readonly Uint8Array[]
  /** Keys outside of this process. */
  readonly keys: KeySettings
  readonly egressAllow: readonly Cidr[]
  /** null: the ports of decision 6. */
  readonly egressPorts: readonly number[] | null
  readonly trustedProxies: readonly Cidr[]
  readonly rates: {
    readonly key: Budget
    /** For all keys, devices and OpenID clients of a tenant together. */
    readonly tenant: Budget
    readonly address: Budget
    readonly ip: Budget
    readonly verification: Budget
    readonly enroll: Budget
    readonly enrollAll: Budget
  }
  /** How many sign-ins may be started at one OpenID client: from one address, and in total. */
  readonly signIns: { readonly address: Budget; readonly client: Budget }
  readonly requestsInFlightMax: number
  readonly waitingPagesMax: number
  /** Per tenant and environment, including revoked ones. */
  readonly devicesMax: number
  /** Per tenant and environment, without the built-in ones. */
  readonly templatesMax: number
  /** Whether HSTS also covers our subdomains. */
  readonly hstsSubdomains: boolean
  readonly metricsToken: string | null
  /** null: no traces are exported. */
  readonly traces: TraceSettings | null
  readonly logLevel: LogLevel
  readonly role: Role
  /** The sandbox issuer and the web test wallet, for the test environment. */
  readonly sandbox: boolean
  /** HAIP 1.0 applies to every tenant, even if its own setting is off. */
  readonly haip: boolean
  /** Content is never stored, even if a tenant's own setting says so. */
  readonly forwardOnly: boolean
  /** Whether tenants need a registration certificate to ask real holders. */
  readonly registeredOnly: boolean
  /** The witnesses that receive the checkpoints of the public log. */
  readonly witnesses: readonly Witness[]
  /** Verifies zero-knowledge proofs about documents. null: no verifier, so no proofs are requested. */
  readonly zkVerifier: HelperAddress | null
  /** null: no mail is sent. */
  readonly mail: MailSettings | null
  /** null: staff cannot sign in through a provider. */
  readonly oidc: OidcSettings | null
}

export interface TraceSettings {
  /** The collector's URL; spans go to `/v1/traces` below it. */
  readonly endpoint: string
  readonly headers: Readonly<Record<string, string>>
  /** The share of the traces that begin in this process and are recorded. */
  readonly share: number
}

type Env = Readonly<Record<string, string | undefined>>

/** Kubernetes sets variables for every service, even for one named vidimus: `VIDIMUS_PORT=tcp://10.0.0.1:8080`. */
function isOfKubernetes(name: string, value: string): boolean {
  if (/_SERVICE_(HOST|PORT)(_|$)|_PORT_\d+_/.test(name)) return true
  return name.endsWith('_PORT') && /^\w+:\/\//.test(value)
}

/**
 * Variables with our prefix that no setting reads, probably misspelt. Not an error: after a rollback the older release
 * may find a variable of the newer one.
 */
export function unreadVariables(env: Env): string[] {
  const isRead = (name: string) => name in VARIABLES || name === 'VIDIMUS_API_KEY'
  const named = Object.entries(env).filter(([name]) => name.startsWith('VIDIMUS_') && !isRead(name))
  return named.flatMap(([name, value = '']) => (isOfKubernetes(name, value) ? [] : [name])).sort()
}

/** The default rate of a tenant, reached only if ten of its keys use their full rates. */
const tenfold = ({ perSecond, burst }: Budget): Budget => ({ perSecond: 10 * perSecond, burst: 10 * burst })

/** Throws a ConfigError that names every bad variable and says what it should look like. */
export function readConfig(env: Env): Config {
  const problems: ConfigProblem[] = []
  const values = readVariables(env, problems)
  const production = values.NODE_ENV === 'production'
  problems.push(
    ...(production ? productionProblems(values, problems) : []),
    ...oidcProblems(values, problems),
    ...mailProblems(values, problems),
    ...keyProblems(values, problems),
  )
  if (problems.length > 0) throw new ConfigError(problems)
  return {
    production,
    host: values.HOST,
    port: values.PORT,
    healthPort: values.VIDIMUS_HEALTH_PORT,
    baseUrl: values.VIDIMUS_BASE_URL ?? `http://localhost:${values.PORT}`,
    dataDir: values.VIDIMUS_DATA_DIR,
    databaseUrl: values.DATABASE_URL,
    databasePoolMax: values.VIDIMUS_DATABASE_POOL,
    redisUrl: values.REDIS_URL,
    masterKey: values.VIDIMUS_MASTER_KEY,
    masterKeysReadable: values.VIDIMUS_MASTER_KEYS_READABLE,
    keys: keySettingsOf(values),
    egressAllow: values.VIDIMUS_EGRESS_ALLOW,
    egressPorts: values.VIDIMUS_EGRESS_PORTS,
    trustedProxies: values.VIDIMUS_TRUSTED_PROXIES,
    rates: {
      key: values.VIDIMUS_RATE_KEY,
      tenant: values.VIDIMUS_RATE_TENANT ?? tenfold(values.VIDIMUS_RATE_KEY),
      address: values.VIDIMUS_RATE_ADDRESS,
      ip: values.VIDIMUS_RATE_IP,
      verification: values.VIDIMUS_RATE_VERIFICATION,
      enroll: values.VIDIMUS_RATE_ENROLL,
      enrollAll: values.VIDIMUS_RATE_ENROLL_ALL,
    },
    signIns: { address: values.VIDIMUS_RATE_SIGN_IN, client: values.VIDIMUS_RATE_CLIENT },
    requestsInFlightMax: values.VIDIMUS_REQUESTS_MAX,
    waitingPagesMax: values.VIDIMUS_WAITING_PAGES_MAX,
    devicesMax: values.VIDIMUS_DEVICES_MAX,
    templatesMax: values.VIDIMUS_TEMPLATES_MAX,
    hstsSubdomains: values.VIDIMUS_HSTS_SUBDOMAINS,
    metricsToken: values.VIDIMUS_METRICS_TOKEN,
    traces: tracesOf(values),
    logLevel: values.VIDIMUS_LOG_LEVEL,
    role: values.VIDIMUS_ROLE,
    sandbox: values.VIDIMUS_SANDBOX ?? !production,
    haip: values.VIDIMUS_HAIP,
    forwardOnly: values.VIDIMUS_FORWARD_ONLY,
    registeredOnly: values.VIDIMUS_REGISTERED_ONLY,
    witnesses: values.VIDIMUS_WITNESSES,
    zkVerifier: values.VIDIMUS_ZK_VERIFIER,
    mail: mailOf(values),
    oidc: oidcOf(values),
  }
}

function tracesOf(values: Values): TraceSettings | null {
  const endpoint = values.OTEL_EXPORTER_OTLP_ENDPOINT
  if (endpoint === null) return null
  return { endpoint, headers: values.OTEL_EXPORTER_OTLP_HEADERS ?? {}, share: values.OTEL_TRACES_SAMPLER_ARG }
}

/** An empty variable counts as absent. An unreadable one is reported as a problem and treated as absent. */
function readVariables(env: Env, problems: ConfigProblem[]): Values {
  const read = ([variable, { read, absent }]: [string, Variable<unknown>]) => {
    const text = env[variable]
    if (!text) return [variable, absent]
    try {
      return [variable, read(text)]
    } catch (error) {
      if (!(error instanceof Misread)) throw error
      problems.push({ variable, problem: error.message })
      return [variable, absent]
    }
  }
  // Each name has the value that its own reader returned.
  return Object.fromEntries(Object.entries<Variable<unknown>>(VARIABLES).map(read)) as Values
}

function mailOf(values: Values): MailSettings | null {
  const { VIDIMUS_SMTP_URL: server, VIDIMUS_MAIL_FROM: from, VIDIMUS_SMTP_TLS: tls } = values
  if (server === null || from === null) return null
  const isOff = tls === null ? isLoopback(server.host) : tls === 'off'
  return { server, from, tls: server.implicitTls || !isOff }
}

function oidcOf(values: Values): OidcSettings | null {
  const {
    VIDIMUS_OIDC_ISSUER: issuer,
    VIDIMUS_OIDC_CLIENT_ID: clientId,
    VIDIMUS_OIDC_CLIENT_SECRET: clientSecret,
    VIDIMUS_OIDC_NAME: name,
  } = values
  if (issuer === null || clientId === null || clientSecret === null) return null
  return { issuer, clientId, clientSecret, name: name.slice(0, 60) }
}
