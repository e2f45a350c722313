// Configuration: read once from the environment, typed, every problem reported at once.

import { type Cidr, parseCidr } from './domain/cidr.ts'
import type { Budget } from './domain/rate.ts'
import { HOW_TO_MAKE_ONE, parseMasterKey, weaknessOf } from './domain/seal/master-key.ts'
import type { OidcSettings } from './domain/staff/oidc.ts'

export interface Config {
  readonly production: boolean
  readonly host: string
  readonly port: number
  readonly baseUrl: string
  readonly dataDir: string
  /** null: the PostgreSQL that Vidimus brings along. */
  readonly databaseUrl: string | null
  readonly databasePoolMax: number
  /** null: rate budgets are kept in this process. */
  readonly redisUrl: string | null
  /** null: made in the data directory at first start. */
  readonly masterKey: Uint8Array | null
  /** Further master keys that open and never seal: while the master key changes. */
  readonly masterKeysReadable: readonly Uint8Array[]
  readonly egressAllow: readonly Cidr[]
  /** null: the ports of decision 6. */
  readonly egressPorts: readonly number[] | null
  readonly trustedProxies: readonly Cidr[]
  readonly rates: {
    readonly key: Budget
    readonly address: Budget
    readonly ip: Budget
    readonly verification: Budget
    readonly enroll: Budget
    readonly enrollAll: Budget
  }
  readonly requestsInFlightMax: number
  /** Of one tenant and environment, revoked ones included. */
  readonly devicesMax: number
  /** Of one tenant and environment, built-in ones not counted. */
  readonly templatesMax: number
  /** Whether browsers shall ask for https at every name below ours too. */
  readonly hstsSubdomains: boolean
  readonly metricsToken: string | null
  readonly logLevel: LogLevel
  readonly role: Role
  /** The sandbox issuer and the web test wallet, for the test environment. */
  readonly sandbox: boolean
  /** HAIP 1.0 for every tenant, whatever its own setting. */
  readonly haip: boolean
  /** null: nobody signs in to the dashboard through a provider. */
  readonly oidc: OidcSettings | null
}

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]
export const ROLES = ['all', 'api', 'worker'] as const
export type Role = (typeof ROLES)[number]

export interface ConfigProblem {
  readonly variable: string
  readonly problem: string
}

export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly problems: readonly ConfigProblem[]

  constructor(problems: readonly ConfigProblem[]) {
    super(problems.map(({ variable, problem }) => `${variable}: ${problem}`).join('\n'))
    this.problems = problems
  }
}

type Env = Readonly<Record<string, string | undefined>>

/** Name, default and meaning of every variable: docs/operating.md shows this table, and a test compares them. */
export const VARIABLES = {
  NODE_ENV: {
    fallback: 'development',
    meaning: '`production` demands `VIDIMUS_MASTER_KEY` with `DATABASE_URL` and refuses development exceptions',
  },
  PORT: { fallback: '8080', meaning: 'port to listen on' },
  HOST: { fallback: '127.0.0.1', meaning: 'address to listen on; `0.0.0.0` for all' },
  VIDIMUS_BASE_URL: {
    fallback: 'http://localhost:<PORT>',
    meaning: 'the public address of the service, without a trailing slash',
  },
  VIDIMUS_DATA_DIR: { fallback: './data', meaning: 'where the embedded store and generated keys live' },
  VIDIMUS_ROLE: { fallback: 'all', meaning: '`api` serves requests, `worker` runs jobs, `all` does both' },
  DATABASE_URL: {
    fallback: '(embedded)',
    meaning: 'your own PostgreSQL 15 or newer: `postgres://user:password@host/database`',
  },
  VIDIMUS_DATABASE_POOL: { fallback: '20', meaning: 'connections to the store, at most' },
  REDIS_URL: { fallback: '(in process)', meaning: 'Redis or Valkey that replicas share their rate budgets in' },
  VIDIMUS_MASTER_KEY: {
    fallback: '(generated)',
    meaning: '32 bytes in base64 or hex that seal secrets at rest; generated into the data directory when absent',
  },
  VIDIMUS_MASTER_KEYS_READABLE: {
    fallback: '(none)',
    meaning:
      'further master keys, separated by commas, that open what they sealed and seal nothing: for a change of keys',
  },
  VIDIMUS_EGRESS_ALLOW: {
    fallback: '(none)',
    meaning: 'CIDRs that outbound requests may reach although they are not public; for tests and development',
  },
  VIDIMUS_EGRESS_ALLOW_IN_PRODUCTION: {
    fallback: '(off)',
    meaning: '`yes` lets `VIDIMUS_EGRESS_ALLOW` stand in production',
  },
  VIDIMUS_EGRESS_PORTS: {
    fallback: '80,443,8443',
    meaning:
      'ports that outbound requests may reach at public addresses, webhooks among them; the list replaces this one',
  },
  VIDIMUS_TRUSTED_PROXIES: {
    fallback: '(none)',
    meaning: 'CIDRs of reverse proxies whose `X-Forwarded-For` is believed',
  },
  VIDIMUS_RATE_KEY: { fallback: '50/100', meaning: 'requests a second and burst for one API key or device' },
  VIDIMUS_RATE_ADDRESS: { fallback: '500/1000', meaning: 'the same for one address on all routes together' },
  VIDIMUS_RATE_IP: { fallback: '20/60', meaning: 'the same for one address on routes without a key' },
  VIDIMUS_RATE_VERIFICATION: { fallback: '5/30', meaning: "the same for one verification's public and wallet routes" },
  VIDIMUS_RATE_ENROLL: { fallback: '0.1667/10', meaning: 'the same for pairing attempts from one address' },
  VIDIMUS_RATE_ENROLL_ALL: { fallback: '5/300', meaning: 'the same for failed pairing attempts in all' },
  VIDIMUS_REQUESTS_MAX: { fallback: '1000', meaning: 'requests in flight, beyond which new ones get 503' },
  VIDIMUS_DEVICES_MAX: { fallback: '1000', meaning: 'venue devices of one tenant and environment, at most' },
  VIDIMUS_TEMPLATES_MAX: { fallback: '200', meaning: 'own templates of one tenant and environment, at most' },
  VIDIMUS_HSTS_SUBDOMAINS: {
    fallback: 'off',
    meaning: '`on` has browsers demand https of every name below that of `VIDIMUS_BASE_URL` as well',
  },
  VIDIMUS_METRICS_TOKEN: {
    fallback: '(none)',
    meaning: 'bearer token for `/metrics`; without it only this machine may read them',
  },
  VIDIMUS_SANDBOX: {
    fallback: 'on, off in production',
    meaning: '`on` trusts the sandbox issuer in the test environment and serves the test wallet; `off` has neither',
  },
  VIDIMUS_HAIP: { fallback: 'off', meaning: '`on` holds every tenant to the HAIP 1.0 profile' },
  VIDIMUS_OIDC_ISSUER: {
    fallback: '(none)',
    meaning: 'issuer of the OpenID provider that staff may sign in through; with the next two',
  },
  VIDIMUS_OIDC_CLIENT_ID: { fallback: '(none)', meaning: 'what the provider calls Vidimus' },
  VIDIMUS_OIDC_CLIENT_SECRET: { fallback: '(none)', meaning: 'the secret it gave Vidimus' },
  VIDIMUS_OIDC_NAME: { fallback: 'OpenID', meaning: 'what the button on the sign-in page calls the provider' },
  VIDIMUS_LOG_LEVEL: { fallback: 'info', meaning: '`debug`, `info`, `warn`, `error` or `silent`' },
} as const satisfies Record<string, { fallback: string; meaning: string }>
export type Variable = keyof typeof VARIABLES

/** Throws a ConfigError that names every bad variable and what it should look like. */
export function readConfig(env: Env): Config {
  const read = new Reader(env)
  const production = env.NODE_ENV === 'production'
  const port = read.integer('PORT', { fallback: 8080, min: 0, max: 65_535 })
  const databaseUrl = read.url('DATABASE_URL', ['postgres:', 'postgresql:'])
  const masterKey = read.key('VIDIMUS_MASTER_KEY')
  if (production && databaseUrl !== null && masterKey === null && !read.hasProblem('VIDIMUS_MASTER_KEY')) {
    read.report('VIDIMUS_MASTER_KEY', `required in production with DATABASE_URL: 32 random bytes; ${HOW_TO_MAKE_ONE}`)
  }
  if (production && !read.hasProblem('VIDIMUS_BASE_URL') && !(env.VIDIMUS_BASE_URL ?? '').startsWith('https://')) {
    read.report(
      'VIDIMUS_BASE_URL',
      'in production the public https address that wallets and merchants reach, like https://verify.example.com',
    )
  }
  const egressAllow = read.cidrs('VIDIMUS_EGRESS_ALLOW')
  if (production && egressAllow.length > 0 && env.VIDIMUS_EGRESS_ALLOW_IN_PRODUCTION !== 'yes') {
    read.report(
      'VIDIMUS_EGRESS_ALLOW',
      'not in production: it opens the inside to outbound requests; set VIDIMUS_EGRESS_ALLOW_IN_PRODUCTION=yes if you mean it',
    )
  }
  const config: Config = {
    production,
    host: env.HOST || '127.0.0.1',
    port,
    baseUrl: read.baseUrl('VIDIMUS_BASE_URL', `http://localhost:${port}`),
    dataDir: env.VIDIMUS_DATA_DIR || './data',
    databaseUrl,
    databasePoolMax: read.integer('VIDIMUS_DATABASE_POOL', { fallback: 20, min: 2, max: 1000 }),
    redisUrl: read.url('REDIS_URL', ['redis:', 'rediss:']),
    masterKey,
    masterKeysReadable: read.readableKeys('VIDIMUS_MASTER_KEYS_READABLE'),
    egressAllow,
    egressPorts: read.ports('VIDIMUS_EGRESS_PORTS'),
    trustedProxies: read.cidrs('VIDIMUS_TRUSTED_PROXIES'),
    rates: {
      key: read.budget('VIDIMUS_RATE_KEY', { perSecond: 50, burst: 100 }),
      address: read.budget('VIDIMUS_RATE_ADDRESS', { perSecond: 500, burst: 1000 }),
      ip: read.budget('VIDIMUS_RATE_IP', { perSecond: 20, burst: 60 }),
      verification: read.budget('VIDIMUS_RATE_VERIFICATION', { perSecond: 5, burst: 30 }),
      enroll: read.budget('VIDIMUS_RATE_ENROLL', { perSecond: 10 / 60, burst: 10 }),
      enrollAll: read.budget('VIDIMUS_RATE_ENROLL_ALL', { perSecond: 5, burst: 300 }),
    },
    requestsInFlightMax: read.integer('VIDIMUS_REQUESTS_MAX', { fallback: 1000, min: 1, max: 1_000_000 }),
    devicesMax: read.integer('VIDIMUS_DEVICES_MAX', { fallback: 1000, min: 1, max: 100_000 }),
    templatesMax: read.integer('VIDIMUS_TEMPLATES_MAX', { fallback: 200, min: 1, max: 1000 }),
    hstsSubdomains: read.oneOf('VIDIMUS_HSTS_SUBDOMAINS', ['on', 'off'], 'off') === 'on',
    metricsToken: env.VIDIMUS_METRICS_TOKEN || null,
    logLevel: read.oneOf('VIDIMUS_LOG_LEVEL', LOG_LEVELS, 'info'),
    role: read.oneOf('VIDIMUS_ROLE', ROLES, 'all'),
    sandbox: read.oneOf('VIDIMUS_SANDBOX', ['on', 'off'], production ? 'off' : 'on') === 'on',
    haip: read.oneOf('VIDIMUS_HAIP', ['on', 'off'], 'off') === 'on',
    oidc: readOidc(env, read, production),
  }
  if (read.problems.length > 0) throw new ConfigError(read.problems)
  return config
}

/** All of it or nothing: half a provider is a mistake. */
function readOidc(env: Env, read: Reader, production: boolean): OidcSettings | null {
  const issuer = read.issuer('VIDIMUS_OIDC_ISSUER', production)
  const { VIDIMUS_OIDC_CLIENT_ID: clientId, VIDIMUS_OIDC_CLIENT_SECRET: clientSecret } = env
  const named = [env.VIDIMUS_OIDC_ISSUER, clientId, clientSecret]
  if (!named.some(Boolean)) return null
  for (const [at, variable] of OIDC_VARIABLES.entries()) {
    if (!named[at]) read.report(variable, `required where another of ${OIDC_VARIABLES.join(', ')} is set`)
  }
  if (issuer === null || !clientId || !clientSecret) return null
  return { issuer, clientId, clientSecret, name: (env.VIDIMUS_OIDC_NAME || 'OpenID').slice(0, 60) }
}

const OIDC_VARIABLES = ['VIDIMUS_OIDC_ISSUER', 'VIDIMUS_OIDC_CLIENT_ID', 'VIDIMUS_OIDC_CLIENT_SECRET'] as const

/** Reads single variables and collects what is wrong with them. An empty variable counts as absent. */
class Reader {
  readonly problems: ConfigProblem[] = []
  readonly #env: Env

  constructor(env: Env) {
    this.#env = env
  }

  report(variable: Variable, problem: string): void {
    this.problems.push({ variable, problem })
  }

  hasProblem(variable: Variable): boolean {
    return this.problems.some((known) => known.variable === variable)
  }

  integer(variable: Variable, range: { fallback: number; min: number; max: number }): number {
    const text = this.#env[variable]
    if (!text) return range.fallback
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
    if (value >= range.min && value <= range.max) return value
    this.report(variable, `a whole number from ${range.min} to ${range.max}, not '${text}'`)
    return range.fallback
  }

  oneOf<T extends string>(variable: Variable, allowed: readonly T[], fallback: T): T {
    const text = this.#env[variable]
    if (!text) return fallback
    const found = allowed.find((value) => value === text)
    if (found === undefined) this.report(variable, `one of ${allowed.join(', ')}, not '${text}'`)
    return found ?? fallback
  }

  url(variable: Variable, protocols: readonly string[]): string | null {
    const text = this.#env[variable]
    if (!text) return null
    // Not parsed as a URL: a PostgreSQL address may name a socket and have no host at all.
    if (protocols.some((protocol) => text.startsWith(`${protocol}//`))) return text
    // The value may hold a password: it is not repeated.
    this.report(variable, `a URL that begins with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`)
    return null
  }

  baseUrl(variable: Variable, fallback: string): string {
    const text = this.#env[variable]
    if (!text) return fallback
    const url = URL.canParse(text) ? new URL(text) : null
    const plain = url !== null && url.search === '' && url.hash === '' && url.username === '' && !text.endsWith('/')
    if (plain && ['http:', 'https:'].includes(url.protocol)) return text
    this.report(
      variable,
      "an http(s) address without query, fragment, user or trailing slash, like 'https://verify.example.com'",
    )
    return fallback
  }

  /** OpenID Connect Discovery 1.0 §3: https, without query or fragment. Plain http for the own machine alone. */
  issuer(variable: Variable, production: boolean): string | null {
    const text = this.#env[variable]
    if (!text) return null
    const url = URL.canParse(text) ? new URL(text) : null
    const plain = url !== null && url.search === '' && url.hash === '' && url.username === '' && url.password === ''
    const onLoopback = !production && url?.protocol === 'http:' && /^(?:127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname)
    if (plain && (url.protocol === 'https:' || onLoopback)) return text
    this.report(
      variable,
      "the provider's https address without query, fragment or user; outside production also http://127.0.0.1:<port>",
    )
    return null
  }

  /** The value is a secret: it is not repeated. */
  key(variable: Variable): Uint8Array | null {
    const text = this.#env[variable]
    if (!text) return null
    const key = parseMasterKey(text)
    const weakness = key === null ? 'is not 32 bytes in base64 or hex' : weaknessOf(key)
    if (weakness === null) return key
    this.report(variable, `this key ${weakness}; ${HOW_TO_MAKE_ONE}`)
    return null
  }

  /** A weak one may still open what it sealed: how else could it be replaced? */
  readableKeys(variable: Variable): Uint8Array[] {
    const keys = this.#parts(variable).map(parseMasterKey)
    if (keys.includes(null)) this.report(variable, 'keys of 32 bytes in base64 or hex, separated by commas')
    return keys.filter((key) => key !== null)
  }

  budget(variable: Variable, fallback: Budget): Budget {
    const text = this.#env[variable]
    if (!text) return fallback
    const match = /^(\d+(?:\.\d+)?)\/(\d{1,9})$/.exec(text)
    const budget = { perSecond: Number(match?.[1]), burst: Number(match?.[2]) }
    if (match !== null && budget.perSecond > 0 && budget.burst >= 1) return budget
    this.report(variable, `perSecond/burst like '50/100', not '${text}'`)
    return fallback
  }

  ports(variable: Variable): number[] | null {
    if (!this.#env[variable]) return null
    const parts = this.#parts(variable)
    const bad = parts.filter((part) => !(/^[1-9]\d{0,4}$/.test(part) && Number(part) <= 65_535))
    if (bad.length === 0 && parts.length > 0) return parts.map(Number)
    this.report(
      variable,
      `ports separated by commas like '80,443,8443'; not understood: ${bad.join(', ') || 'nothing'}`,
    )
    return null
  }

  cidrs(variable: Variable): Cidr[] {
    const parts = this.#parts(variable)
    const parsed = parts.map((part) => ({ part, cidr: parseCidr(part) }))
    const bad = parsed.filter(({ cidr }) => cidr === null).map(({ part }) => part)
    if (bad.length > 0)
      this.report(variable, `CIDRs separated by commas like '10.0.0.0/8,fd00::/8'; not understood: ${bad.join(', ')}`)
    return parsed.flatMap(({ cidr }) => (cidr === null ? [] : [cidr]))
  }

  #parts(variable: Variable): string[] {
    return (this.#env[variable] ?? '')
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '')
  }
}
