// Lists the import rules of each folder of the platform, which knows nothing of credentials.

import {
  CHANCE,
  CLOCK,
  CONSOLE,
  ENVIRONMENT,
  FETCH,
  type ImportRule,
  importRule,
  PROCESS,
  PURE,
  sharedRules,
  TIMERS,
} from './rule.ts'

export const SERVICE = 'service/src'

/** Functions that divide work among turns of the event loop. */
const EVENT_LOOP = `${SERVICE}/platform/event-loop`

/** The pure part of the platform: values and rules that every layer may use. */
export const PLAIN = [
  'canonical-json.ts',
  'cidr.ts',
  'csv.ts',
  'diagnosis.ts',
  'errors.ts',
  'helper-address.ts',
  'ids.ts',
  'json-schema',
  'keys/key-provider.ts',
  'keys/key-reference.ts',
  'keys/signing-key.ts',
  'keys/stored-key.ts',
  'keys/wrapped-key.ts',
  'nearest.ts',
  'one-time-secret.ts',
  'owner-turns.ts',
  'rate.ts',
  'shares.ts',
  'signed-note.ts',
  'steps.ts',
  'store-unavailable.ts',
  'turns.ts',
  'verification-id.ts',
  'version.ts',
  'world.ts',
  'seal',
]
  .map((name) => `${SERVICE}/platform/${name}`)
  .concat(EVENT_LOOP)

/** The rules of the platform's folders. None may import core or a feature. */
export const PLATFORM: readonly ImportRule[] = [
  ...sharedRules(
    PLAIN.filter((module) => module !== EVENT_LOOP),
    { modules: PLAIN, types: ['engine/src', 'wire/values'], builtins: ['crypto', 'net'], bans: PURE },
  ),
  importRule(EVENT_LOOP, { bans: PURE.filter((ban) => ![CLOCK, PROCESS, TIMERS].includes(ban)) }),
  importRule(`${SERVICE}/platform`, {
    modules: PLAIN,
    packages: ['lru-cache'],
    builtins: ['events', 'fs', 'net'],
    bans: [FETCH, CHANCE, ENVIRONMENT, CONSOLE],
  }),
  ...platformRules({
    postgres: {
      packages: ['pg'],
      builtins: ['child_process', 'crypto', 'fs/promises', 'os', 'path', 'timers/promises', 'url', 'util'],
    },
    // Keys begin with a digest of the installation.
    budgets: { packages: ['@redis/client'], builtins: ['crypto'] },
    jobs: { builtins: ['timers/promises'] },
    cli: { packages: ['commander'], builtins: ['fs/promises'] },
    config: {},
    // Calls of PKCS #11 block, so they have their own threads.
    keys: {
      packages: ['aws4fetch', 'pkcs11js'],
      builtins: ['crypto', 'fs/promises', 'timers/promises', 'worker_threads'],
    },
    threads: { builtins: ['os', 'worker_threads'] },
    log: { packages: ['pino'] },
    metrics: { packages: ['prom-client'] },
    egress: { builtins: ['crypto', 'dns', 'http', 'net', 'stream', 'tls', 'worker_threads'] },
    traces: {
      packages: [
        '@opentelemetry/api',
        '@opentelemetry/exporter-trace-otlp-http',
        '@opentelemetry/resources',
        '@opentelemetry/sdk-trace',
      ],
      builtins: ['async_hooks'],
    },
    http: {
      modules: ['engine/src/json.ts', 'engine/src/form.ts'],
      packages: ['fastify', '@fastify/type-provider-typebox', 'ajv', 'ajv-formats', 'fast-json-stringify'],
      builtins: ['crypto', 'fs/promises', 'http', 'net', 'path', 'stream', 'zlib'],
    },
  }),
]

function platformRules(folders: Readonly<Record<string, Partial<Omit<ImportRule, 'module'>>>>): ImportRule[] {
  return Object.entries(folders).map(([name, open]) =>
    importRule(`${SERVICE}/platform/${name}`, {
      ...open,
      modules: [`${SERVICE}/platform`, ...(open.modules ?? [])],
      types: [`${SERVICE}/deps.ts`],
      bans: [FETCH, CHANCE, ENVIRONMENT, CONSOLE],
    }),
  )
}
