// Lists the variables that the service reads from its environment. docs/operating.md shows the table.

import { KEY_VARIABLES } from './key-variables.ts'
import { mailSender, mailServer } from './mail-settings.ts'
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
  masterKey,
  oneOf,
  onOrOff,
  optional,
  ports,
  readableKeys,
  share,
  urlOf,
  withDefault,
  witnesses,
} from './variable-readers.ts'

const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]
export const ROLES = ['all', 'api', 'worker'] as const
export type Role = (typeof ROLES)[number]

/** Every variable: its reader, default and meaning. docs/operating.md shows this table, and a test compares them. */
export const VARIABLES = {
  NODE_ENV: withDefault(
    oneOf(['development', 'test', 'production']),
    'development',
    '`production`, `development` or `test`: `production` demands `VIDIMUS_MASTER_KEY` with `DATABASE_URL` and refuses development exceptions',
  ),
  PORT: withDefault(integer(0, 65_535), '8080', 'port to listen on'),
  HOST: withDefault(anyText, '127.0.0.1', 'address to listen on; `0.0.0.0` for all'),
  VIDIMUS_HEALTH_PORT: optional(
    integer(0, 65_535),
    '(none)',
    'port on which a separate thread answers `/healthz` immediately, even if the process is busy; only for probes, not for the public',
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
    'your own PostgreSQL 15 or newer: `postgres://user:password@host/database`; several servers as `@first:5432,second:5432`: the service uses the one that takes writes',
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
    'further master keys, separated by commas, that only decrypt what they sealed: for a change of keys',
  ),
  ...KEY_VARIABLES,
  VIDIMUS_EGRESS_ALLOW: list(
    cidrs,
    'CIDRs that outbound requests may reach although they are not public, also by names without a dot (`localhost`); for tests and development',
  ),
  VIDIMUS_EGRESS_ALLOW_IN_PRODUCTION: optional(anyText, '(off)', '`yes` allows `VIDIMUS_EGRESS_ALLOW` in production'),
  VIDIMUS_EGRESS_PORTS: optional(
    ports,
    '80,443,8443',
    'ports that outbound requests may reach at public addresses, webhooks among them; your list replaces the default',
  ),
  VIDIMUS_TRUSTED_PROXIES: list(cidrs, 'CIDRs of reverse proxies whose `X-Forwarded-For` is trusted'),
  VIDIMUS_RATE_KEY: withDefault(
    budget,
    '50/100',
    'requests a second and burst for one API key or device, or one person in the dashboard',
  ),
  VIDIMUS_RATE_TENANT: optional(
    budget,
    '(10 × VIDIMUS_RATE_KEY)',
    'requests a second and burst for all keys, devices and OpenID clients of one tenant; longer bodies cost more; default: ten times VIDIMUS_RATE_KEY',
  ),
  VIDIMUS_RATE_ADDRESS: withDefault(budget, '500/1000', 'requests a second and burst of one address on all routes'),
  VIDIMUS_RATE_IP: withDefault(budget, '20/60', 'requests a second and burst for one address on routes without a key'),
  VIDIMUS_RATE_VERIFICATION: withDefault(
    budget,
    '5/30',
    "requests a second and burst for one verification's public and wallet routes",
  ),
  VIDIMUS_RATE_ENROLL: withDefault(budget, '0.1667/10', 'pairing attempts a second and burst from one address'),
  VIDIMUS_RATE_ENROLL_ALL: withDefault(
    budget,
    '5/300',
    'failed pairing attempts a second and burst from all addresses together',
  ),
  VIDIMUS_RATE_SIGN_IN: withDefault(
    budget,
    '1/60',
    'sign-ins a second and burst from one address at one OpenID client',
  ),
  VIDIMUS_RATE_CLIENT: withDefault(budget, '20/600', 'sign-ins a second and burst at one OpenID client in total'),
  VIDIMUS_REQUESTS_MAX: withDefault(
    integer(1, 1_000_000),
    '1000',
    'requests in progress at the same time; three times as many wait for a slot for at most 5 s, and further requests get 503',
  ),
  VIDIMUS_WAITING_PAGES_MAX: withDefault(
    integer(4, 1_000_000),
    '16000',
    'pages and tills that one process serves with a stream, each a connection and about 20 kB; further ones poll',
  ),
  VIDIMUS_DEVICES_MAX: withDefault(integer(1, 100_000), '1000', 'venue devices of one tenant and environment, at most'),
  VIDIMUS_TEMPLATES_MAX: withDefault(integer(1, 1_000), '200', 'own templates of one tenant and environment, at most'),
  VIDIMUS_HSTS_SUBDOMAINS: withDefault(
    onOrOff,
    'off',
    '`on` makes browsers require https for every subdomain of `VIDIMUS_BASE_URL`, too',
  ),
  VIDIMUS_METRICS_TOKEN: optional(
    anyText,
    '(none)',
    'bearer token for `/metrics`; without it only this machine may read metrics, and in production only if `VIDIMUS_TRUSTED_PROXIES` names a proxy on another machine',
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: optional(
    urlOf('http:', 'https:'),
    '(none)',
    'a collector of traces (OpenTelemetry, OTLP over HTTP) to which spans are sent; without it no tracing code is loaded',
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
    '`on` serves the sandbox issuer, the sandbox registrar and the test wallet, and trusts the first two in the test environment',
  ),
  VIDIMUS_HAIP: withDefault(onOrOff, 'off', '`on` holds every tenant to the HAIP 1.0 profile'),
  VIDIMUS_FORWARD_ONLY: withDefault(
    onOrOff,
    'off',
    '`on` deletes the content of every result once the merchant has received it (`content` is `forward`), for all tenants',
  ),
  VIDIMUS_REGISTERED_ONLY: withDefault(
    onOrOff,
    'off',
    '`on` refuses live requests of a tenant without a registration certificate; test gets a warning',
  ),
  VIDIMUS_WITNESSES: list(
    witnesses,
    'the witnesses that cosign the public log, separated by commas: for each the key as `vidimus witness` prints it, a space and the address',
  ),
  VIDIMUS_ZK_VERIFIER: optional(
    helperAddress,
    '(none)',
    'the helper that checks zero-knowledge proofs about documents: `unix:` and the path of a socket, or a command with its full path; without it no proofs are requested',
  ),
  VIDIMUS_SMTP_URL: optional(
    mailServer,
    '(mail is off)',
    'the mail server that invitations and links for lost passwords are sent through: `smtps://user:password@host` (TLS, port 465) or `smtp://user:password@host` (STARTTLS, port 587); needs `VIDIMUS_MAIL_FROM`',
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
    'issuer of the OpenID provider that staff may sign in through; needs `VIDIMUS_OIDC_CLIENT_ID` and `VIDIMUS_OIDC_CLIENT_SECRET`',
  ),
  VIDIMUS_OIDC_CLIENT_ID: optional(anyText, '(none)', 'the client id of Vidimus at the provider'),
  VIDIMUS_OIDC_CLIENT_SECRET: optional(anyText, '(none)', 'the client secret of Vidimus at the provider'),
  VIDIMUS_OIDC_NAME: withDefault(anyText, 'OpenID', 'what the button on the sign-in page calls the provider'),
  VIDIMUS_LOG_LEVEL: withDefault(oneOf(LOG_LEVELS), 'info', '`debug`, `info`, `warn`, `error` or `silent`'),
}
export type VariableName = keyof typeof VARIABLES
export type Values = { readonly [N in VariableName]: (typeof VARIABLES)[N]['absent'] }
