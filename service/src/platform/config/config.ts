// Configuration: read once from the environment, typed, every problem reported at once.

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
import { absolutePath, type KeySettings, keyReference, wrappedKeys } from './key-settings.ts'
import { isLoopback, type MailSettings, mailSender, mailServer } from './mail-settings.ts'
import type { OidcSettings } from './oidc-settings.ts'
import {
  anyText,
  baseUrl,
  budget,
  cidrs,
  databaseUrl,
  headerPairs,
  helperAddress,
  integer,
  issuer,
  list,
  Misread,
  masterKey,
  oneOf,
  onOrOff,
  optional,
  ports,
  readableKeys,
  share,
  urlOf,
  type Variable,
  withDefault,
  witnesses,
} from './variable-readers.ts'
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
  /** null: created in the data directory at first start. */
  readonly masterKey: Uint8Array | null
  /** Further master keys that decrypt and never seal, while the master key changes. */
  readonly masterKeysReadable: readonly Uint8Array[]
  /** Keys outside of this process. */
  readonly keys: KeySettings
  readonly egressAllow: readonly Cidr[]
  /** null: the ports of decision 6. */
  readonly egressPorts: readonly number[] | null
  readonly trustedProxies: readonly Cidr[]
  readonly rates: {
    readonly key: Budget
    /** All keys and devices of a tenant together. */
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
  /** HAIP 1.0 for every tenant, whatever its own setting. */
  readonly haip: boolean
  /** Content is never kept, whatever a tenant's own setting. */
  readonly forwardOnly: boolean
  /** No tenant may ask real holders without a registration certificate. */
  readonly registeredOnly: boolean
  /** The witnesses that receive the checkpoints of the public log. */
  readonly witnesses: readonly Witness[]
  /** Verifies zero-knowledge proofs about documents; null: no verifier, and none are requested. */
  readonly zkVerifier: HelperAddress | null
  /** null: no mail is sent. */
  readonly mail: MailSettings | null
  /** null: no sign-in to the dashboard through a provider. */
  readonly oidc: OidcSettings | null
}

export interface TraceSettings {
  /** The collector's URL; spans go to `/v1/traces` below it. */
  readonly endpoint: string
  readonly headers: Readonly<Record<string, string>>
  /** The share of traces that is recorded, of those that begin here. */
  readonly share: number
}

const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]
export const ROLES = ['all', 'api', 'worker'] as const
export type Role = (typeof ROLES)[number]

type Env = Readonly<Record<string, string | undefined>>

/** Every variable: its reader, default and meaning. docs/operating.md shows this table, and a test compares them. */
export const VARIABLES = {
  NODE_ENV: withDefault(
    anyText,
    'development',
    '`production` demands `VIDIMUS_MASTER_KEY` with `DATABASE_URL` and refuses development exceptions',
  ),
  PORT: withDefault(integer(0, 65_535), '8080', 'port to listen on'),
  HOST: withDefault(anyText, '127.0.0.1', 'address to listen on; `0.0.0.0` for all'),
  VIDIMUS_HEALTH_PORT: optional(
    integer(0, 65_535),
    '(none)',
    'port on which a thread of its own answers `/healthz`: at once, however busy the process is; for probes alone, not for the public',
  ),
  VIDIMUS_BASE_URL: optional(
    baseUrl,
    'http://localhost:<PORT>',
    'the public address of the service, without a trailing slash',
  ),
  VIDIMUS_DATA_DIR: withDefault(anyText, './data', 'where the embedded store and generated keys live'),
  VIDIMUS_ROLE: withDefault(oneOf(ROLES), 'all', '`api` serves requests, `worker` runs jobs, `all` does both'),
  DATABASE_URL: optional(
    databaseUrl,
    '(embedded)',
    'your own PostgreSQL 15 or newer: `postgres://user:password@host/database`; several servers as `@first:5432,second:5432`, of which the one that takes writes is used',
  ),
  VIDIMUS_DATABASE_POOL: withDefault(integer(2, 1000), '20', 'connections to the store, at most'),
  REDIS_URL: optional(
    urlOf('redis:', 'rediss:'),
    '(in process)',
    'Redis or Valkey that replicas share their rate budgets in',
  ),
  VIDIMUS_MASTER_KEY: optional(
    masterKey,
    '(generated)',
    '32 bytes in base64 or hex that seal secrets at rest; generated into the data directory when absent',
  ),
  VIDIMUS_MASTER_KEYS_READABLE: list(
    readableKeys,
    'further master keys, separated by commas, that open what they sealed and seal nothing: for a change of keys',
  ),
  VIDIMUS_MASTER_KEY_WRAPPED: list(
    wrappedKeys,
    'instead of `VIDIMUS_MASTER_KEY`: what `vidimus master-key wrap` printed; several, separated by commas, for a change of keys: the first seals',
  ),
  VIDIMUS_PKCS11_MODULE: optional(
    absolutePath,
    '(none)',
    'the PKCS #11 module of your HSM, a full path; with the next one ([keys outside](keys-outside.md))',
  ),
  VIDIMUS_PKCS11_PIN_FILE: optional(absolutePath, '(none)', 'the file that holds the PIN of the token, a full path'),
  VIDIMUS_OIDC_KEYS: optional(
    keyReference,
    '(sealed in the store)',
    'where the service creates the keys of ID tokens: the beginning of their names, like `pkcs11:token=vidimus;object=oidc`',
  ),
  VIDIMUS_EGRESS_ALLOW: list(
    cidrs,
    'CIDRs that outbound requests may reach although they are not public, also by names without a dot (`localhost`); for tests and development',
  ),
  VIDIMUS_EGRESS_ALLOW_IN_PRODUCTION: optional(anyText, '(off)', '`yes` allows `VIDIMUS_EGRESS_ALLOW` in production'),
  VIDIMUS_EGRESS_PORTS: optional(
    ports,
    '80,443,8443',
    'ports that outbound requests may reach at public addresses, webhooks among them; the list replaces this one',
  ),
  VIDIMUS_TRUSTED_PROXIES: list(cidrs, 'CIDRs of reverse proxies whose `X-Forwarded-For` is believed'),
  VIDIMUS_RATE_KEY: withDefault(budget, '50/100', 'requests a second and burst for one API key or device'),
  VIDIMUS_RATE_TENANT: optional(
    budget,
    '(10 × VIDIMUS_RATE_KEY)',
    'the same for all keys and devices of one tenant; longer bodies cost more; without it ten times VIDIMUS_RATE_KEY',
  ),
  VIDIMUS_RATE_ADDRESS: withDefault(budget, '500/1000', 'the same for one address on all routes together'),
  VIDIMUS_RATE_IP: withDefault(budget, '20/60', 'the same for one address on routes without a key'),
  VIDIMUS_RATE_VERIFICATION: withDefault(budget, '5/30', "the same for one verification's public and wallet routes"),
  VIDIMUS_RATE_ENROLL: withDefault(budget, '0.1667/10', 'the same for pairing attempts from one address'),
  VIDIMUS_RATE_ENROLL_ALL: withDefault(budget, '5/300', 'the same for failed pairing attempts in all'),
  VIDIMUS_RATE_SIGN_IN: withDefault(
    budget,
    '1/60',
    'the same for sign-ins that one address begins at one OpenID client',
  ),
  VIDIMUS_RATE_CLIENT: withDefault(budget, '20/600', 'the same for all sign-ins begun at one OpenID client'),
  VIDIMUS_REQUESTS_MAX: withDefault(
    integer(1, 1_000_000),
    '1000',
    'requests worked on at once; as many thrice over wait for a slot, at most 5 s, and further ones get 503',
  ),
  VIDIMUS_WAITING_PAGES_MAX: withDefault(
    integer(4, 1_000_000),
    '16000',
    'pages and tills that wait on a stream of one process; the others ask now and then. Each is a connection and about 20 kB',
  ),
  VIDIMUS_DEVICES_MAX: withDefault(integer(1, 100_000), '1000', 'venue devices of one tenant and environment, at most'),
  VIDIMUS_TEMPLATES_MAX: withDefault(integer(1, 1_000), '200', 'own templates of one tenant and environment, at most'),
  VIDIMUS_HSTS_SUBDOMAINS: withDefault(
    onOrOff,
    'off',
    '`on` has browsers demand https of every name below that of `VIDIMUS_BASE_URL` as well',
  ),
  VIDIMUS_METRICS_TOKEN: optional(
    anyText,
    '(none)',
    'bearer token for `/metrics`; without it only this machine may read them, in production only where `VIDIMUS_TRUSTED_PROXIES` names a proxy elsewhere',
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: optional(
    urlOf('http:', 'https:'),
    '(none)',
    'a collector of traces (OpenTelemetry, OTLP over HTTP) to which spans are sent; without it nothing of the kind is loaded',
  ),
  OTEL_EXPORTER_OTLP_HEADERS: optional(
    headerPairs,
    '(none)',
    'headers for the collector, such as its token: `name=value`, separated by commas',
  ),
  OTEL_TRACES_SAMPLER_ARG: withDefault(
    share,
    '1',
    'how many of the traces that begin here are sent: `0.01` is one in a hundred',
  ),
  VIDIMUS_SANDBOX: optional(
    onOrOff,
    'on, off in production',
    '`on` trusts the sandbox issuer and registrar in the test environment and serves them and the test wallet; `off` has none of them',
  ),
  VIDIMUS_HAIP: withDefault(onOrOff, 'off', '`on` holds every tenant to the HAIP 1.0 profile'),
  VIDIMUS_FORWARD_ONLY: withDefault(
    onOrOff,
    'off',
    '`on` forgets the content of every result once its merchant has it (`content` is `forward`), for all tenants',
  ),
  VIDIMUS_REGISTERED_ONLY: withDefault(
    onOrOff,
    'off',
    '`on` refuses to ask in live for a tenant without a registration certificate; test is warned',
  ),
  VIDIMUS_WITNESSES: list(
    witnesses,
    'who cosigns the public log: for each, its key as `vidimus witness` prints it, a space and its address; separated by commas',
  ),
  VIDIMUS_ZK_VERIFIER: optional(
    helperAddress,
    '(none)',
    'who checks zero-knowledge proofs about documents: `unix:` and the path of a socket, or a command with its full path; without it none are asked for',
  ),
  VIDIMUS_SMTP_URL: optional(
    mailServer,
    '(mail is off)',
    'the mail server that invitations and links for lost passwords are sent through: `smtps://user:password@host` (TLS, port 465) or `smtp://user:password@host` (STARTTLS, port 587); with the next one',
  ),
  VIDIMUS_MAIL_FROM: optional(
    mailSender,
    '(none)',
    'the sender of every mail: `no-reply@example.com`, or `Name <no-reply@example.com>`',
  ),
  VIDIMUS_SMTP_TLS: optional(
    oneOf(['required', 'off']),
    'required, off on loopback',
    '`off` sends mails, and the password for the mail server, without encryption',
  ),
  VIDIMUS_OIDC_ISSUER: optional(
    issuer,
    '(none)',
    'issuer of the OpenID provider that staff may sign in through; with the next two',
  ),
  VIDIMUS_OIDC_CLIENT_ID: optional(anyText, '(none)', 'what the provider calls Vidimus'),
  VIDIMUS_OIDC_CLIENT_SECRET: optional(anyText, '(none)', 'the secret it gave Vidimus'),
  VIDIMUS_OIDC_NAME: withDefault(anyText, 'OpenID', 'what the button on the sign-in page calls the provider'),
  VIDIMUS_LOG_LEVEL: withDefault(oneOf(LOG_LEVELS), 'info', '`debug`, `info`, `warn`, `error` or `silent`'),
}
type VariableName = keyof typeof VARIABLES
type Values = { readonly [N in VariableName]: (typeof VARIABLES)[N]['absent'] }

/**
 * Kubernetes sets variables for every service in every container, also for a service named vidimus:
 * `VIDIMUS_PORT=tcp://10.0.0.1:8080`.
 */
function isOfKubernetes(name: string, value: string): boolean {
  if (/_SERVICE_(HOST|PORT)(_|$)|_PORT_\d+_/.test(name)) return true
  return name.endsWith('_PORT') && /^\w+:\/\//.test(value)
}

/**
 * Variables with our prefix that no setting reads: probably misspelt. Not an error, because after a rollback the older
 * release may find a variable of the newer one.
 */
export function unreadVariables(env: Env): string[] {
  const isRead = (name: string) => name in VARIABLES || name === 'VIDIMUS_API_KEY'
  const named = Object.entries(env).filter(([name]) => name.startsWith('VIDIMUS_') && !isRead(name))
  return named.flatMap(([name, value = '']) => (isOfKubernetes(name, value) ? [] : [name])).sort()
}

/** A tenant reaches its own rate only when ten of its keys are at theirs. */
const tenfold = ({ perSecond, burst }: Budget): Budget => ({ perSecond: 10 * perSecond, burst: 10 * burst })

/** Throws a ConfigError that names every bad variable and what it should look like. */
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
    keys: keysOf(values),
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

function keysOf(values: Values): KeySettings {
  const { VIDIMUS_PKCS11_MODULE: module, VIDIMUS_PKCS11_PIN_FILE: pinFile } = values
  return {
    pkcs11: module === null || pinFile === null ? null : { module, pinFile },
    idTokens: values.VIDIMUS_OIDC_KEYS,
    wrappedMasterKeys: values.VIDIMUS_MASTER_KEY_WRAPPED,
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
