// The doors of the house: what each room may import and which words it may not use. ARCHITECTURE.md draws the same picture.
// Whatever is not listed is shut: a new package or builtin is added here, where a reader sees it.

export interface Door {
  /** A folder or one file; the longest that fits a file is its room. */
  readonly room: string
  /** Rooms it may import; its own is always open. */
  readonly rooms: readonly string[]
  /** Rooms of which it may import types, and nothing that runs. */
  readonly types: readonly string[]
  readonly packages: readonly string[]
  readonly builtins: readonly string[]
  readonly bans: readonly Ban[]
}

export interface Ban {
  readonly word: string
  readonly pattern: RegExp
  readonly why: string
}

const FETCH: Ban = {
  word: 'fetch',
  // A member of that name, given another way to the network, is no use of this one.
  pattern: /(?<![\w$.])(?:fetch|XMLHttpRequest|WebSocket|EventSource)\b(?!\s*:)/,
  why: 'only service/outbound speaks to the network',
}
const CLOCK: Ban = {
  word: 'Date.now',
  pattern: /\bDate\.now\b|\bnew Date\(\s*\)|(?<![\w$.])Date\(\)|(?<![\w$.])performance\b/,
  why: 'time comes in as an argument',
}
const CHANCE: Ban = {
  word: 'Math.random',
  pattern: /\bMath\.random\b/,
  why: 'randomness comes in as an argument, from a cryptographic source',
}
const PROCESS: Ban = {
  word: 'process',
  pattern: /(?<![\w$.])process\b(?!\s*[:(])/,
  why: 'it knows no process and no environment',
}
const ENVIRONMENT: Ban = {
  word: 'process.env',
  pattern: /\bprocess\.env\b/,
  why: 'the environment is read once, by config.ts',
}
const TIMERS: Ban = {
  word: 'setTimeout',
  pattern: /(?<![\w$.])set(?:Timeout|Interval|Immediate)\b/,
  why: 'it does not wait',
}
const CONSOLE: Ban = { word: 'console', pattern: /(?<![\w$.])console\b/, why: 'it reports by what it returns' }

const PURE = [FETCH, CLOCK, CHANCE, PROCESS, TIMERS, CONSOLE]
const SERVICE = 'service/src'

export const DOORS: readonly Door[] = [
  door('engine/src', { builtins: ['buffer', 'crypto', 'zlib'], bans: PURE }),

  door(`${SERVICE}/domain`, {
    rooms: ['engine/src/rsa-key.ts'],
    types: ['engine/src'],
    builtins: ['crypto', 'net', 'zlib'],
    bans: PURE,
  }),
  door(`${SERVICE}/platform`, { packages: ['lru-cache'], bans: [FETCH, CLOCK, CHANCE, ENVIRONMENT, CONSOLE] }),
  door(`${SERVICE}/store`, {
    rooms: [`${SERVICE}/domain`, `${SERVICE}/platform`],
    packages: ['pg', '@redis/client'],
    builtins: ['child_process', 'crypto', 'fs/promises', 'os', 'path', 'timers/promises', 'url', 'util'],
    bans: [FETCH, CHANCE, ENVIRONMENT, CONSOLE],
  }),
  door(`${SERVICE}/outbound`, {
    rooms: [`${SERVICE}/domain`, 'engine/src/rsa-key.ts'],
    types: ['engine/src'],
    packages: ['oauth4webapi'],
    builtins: [
      'child_process',
      'crypto',
      'dns',
      'dns/promises',
      'http',
      'https',
      'net',
      'os',
      'stream',
      'stream/promises',
      'timers/promises',
      'tls',
      'worker_threads',
      'zlib',
    ],
    bans: [FETCH, CHANCE, ENVIRONMENT, CONSOLE],
  }),
  door(`${SERVICE}/outbound/trust/list-worker.ts`, {
    // A thread of its own that reads lists: it is handed bytes and hands back what they say.
    rooms: ['engine/src'],
    types: [`${SERVICE}/outbound`],
    builtins: ['worker_threads'],
    bans: PURE,
  }),
  door(`${SERVICE}/usecases`, {
    rooms: [`${SERVICE}/domain`, `${SERVICE}/store`, `${SERVICE}/outbound`, 'engine/src'],
    types: [`${SERVICE}/deps.ts`, `${SERVICE}/config.ts`, `${SERVICE}/metrics.ts`],
    packages: ['@simplewebauthn/server'],
    builtins: ['crypto'],
    bans: [FETCH, CLOCK, CHANCE, PROCESS, TIMERS, CONSOLE],
  }),
  door(`${SERVICE}/http`, {
    rooms: [
      `${SERVICE}/usecases`,
      `${SERVICE}/domain`,
      `${SERVICE}/metrics.ts`,
      'engine/src/json.ts',
      'engine/src/form.ts',
      'labels',
    ],
    types: [`${SERVICE}/deps.ts`, `${SERVICE}/config.ts`, `${SERVICE}/log.ts`, `${SERVICE}/traces.ts`],
    packages: ['fastify', 'typebox', '@fastify/type-provider-typebox', 'ajv', 'ajv-formats', 'qr'],
    builtins: ['crypto', 'fs/promises', 'http', 'net', 'path', 'stream', 'url', 'util', 'zlib'],
    bans: [FETCH, CLOCK, CHANCE, ENVIRONMENT, CONSOLE],
  }),
  door(`${SERVICE}/jobs`, {
    rooms: [`${SERVICE}/usecases`, `${SERVICE}/domain`],
    types: [`${SERVICE}/deps.ts`, `${SERVICE}/config.ts`, `${SERVICE}/log.ts`],
    builtins: ['timers/promises'],
    bans: [FETCH, CLOCK, CHANCE, ENVIRONMENT, CONSOLE],
  }),
  door(`${SERVICE}/cli`, {
    rooms: [
      `${SERVICE}/usecases`,
      `${SERVICE}/domain`,
      `${SERVICE}/sandbox`,
      `${SERVICE}/config.ts`,
      `${SERVICE}/config-problems.ts`,
      'sdk/typescript/src',
    ],
    types: [`${SERVICE}/deps.ts`, `${SERVICE}/log.ts`, `${SERVICE}/running-service.ts`],
    packages: ['commander', 'yaml'],
    builtins: ['fs/promises', 'path', 'readline/promises', 'util'],
    bans: [FETCH, CLOCK, CHANCE],
  }),
  door(`${SERVICE}/sandbox`, {
    rooms: ['wallet/src', `${SERVICE}/usecases`, `${SERVICE}/domain`],
    types: [`${SERVICE}/deps.ts`, `${SERVICE}/config.ts`],
    builtins: ['crypto'],
    // The wallet is handed its way to the verifier under that name.
    bans: [CLOCK, CHANCE, ENVIRONMENT, CONSOLE],
  }),

  door(`${SERVICE}/tracing`, {
    rooms: [`${SERVICE}/domain`],
    types: [`${SERVICE}/config.ts`, `${SERVICE}/traces.ts`],
    packages: [
      '@opentelemetry/api',
      '@opentelemetry/exporter-trace-otlp-http',
      '@opentelemetry/resources',
      '@opentelemetry/sdk-trace',
    ],
    builtins: ['async_hooks'],
    bans: [FETCH, CHANCE, ENVIRONMENT, CONSOLE],
  }),
  door(`${SERVICE}/traces.ts`, { bans: PURE }),
  door(`${SERVICE}/watch.ts`, {
    rooms: [`${SERVICE}/tracing`],
    types: ['config.ts', 'log.ts', 'metrics.ts', 'traces.ts', 'outbound'].map((room) => `${SERVICE}/${room}`),
    bans: PURE,
  }),

  door(`${SERVICE}/main.ts`, { rooms: [SERVICE], builtins: ['crypto'], bans: [FETCH, CHANCE] }),
  door(`${SERVICE}/serve.ts`, {
    rooms: [
      'http',
      'jobs',
      'usecases',
      'config-problems.ts',
      'health-port.ts',
      'metrics.ts',
      'running-service.ts',
      'stop-signals.ts',
      'store-guard.ts',
      'welcome.ts',
      'wire.ts',
    ].map((room) => `${SERVICE}/${room}`),
    types: [`${SERVICE}/config.ts`, `${SERVICE}/held-port.ts`],
    bans: [FETCH, CLOCK, CHANCE, ENVIRONMENT],
  }),
  door(`${SERVICE}/health-port.ts`, { builtins: ['events', 'worker_threads'], bans: [FETCH, CHANCE, ENVIRONMENT] }),
  door(`${SERVICE}/health-thread.ts`, {
    types: [`${SERVICE}/health-port.ts`],
    builtins: ['http', 'net', 'worker_threads'],
    bans: [FETCH, CHANCE, ENVIRONMENT],
  }),
  door(`${SERVICE}/store-guard.ts`, {
    rooms: ['domain', 'store', 'usecases'].map((room) => `${SERVICE}/${room}`),
    types: [`${SERVICE}/deps.ts`],
    builtins: ['timers/promises'],
    bans: [FETCH, CLOCK, CHANCE, ENVIRONMENT],
  }),
  door(`${SERVICE}/held-port.ts`, { builtins: ['events', 'net'], bans: PURE }),
  door(`${SERVICE}/serve-witness.ts`, {
    rooms: ['http', 'usecases', 'domain', 'store', 'running-process.ts', 'stop-signals.ts'].map(
      (room) => `${SERVICE}/${room}`,
    ),
    types: [`${SERVICE}/cli`],
    builtins: ['crypto', 'events', 'net'],
    bans: [FETCH, CHANCE, ENVIRONMENT],
  }),
  door(`${SERVICE}/wire.ts`, {
    // The sandbox is opened here where it is on, and the engine's memory of certificate chains.
    rooms: [
      'engine/src',
      ...[
        'domain',
        'store',
        'outbound',
        'usecases',
        'sandbox',
        'log.ts',
        'metrics.ts',
        'master-key.ts',
        'open-store.ts',
        'config.ts',
        'gauges.ts',
        'watch.ts',
      ].map((room) => `${SERVICE}/${room}`),
    ],
    types: [`${SERVICE}/deps.ts`, `${SERVICE}/traces.ts`],
    builtins: ['crypto'],
    bans: [FETCH, CHANCE, ENVIRONMENT],
  }),
  door(`${SERVICE}/open-store.ts`, {
    rooms: ['domain', 'store', 'config-problems.ts'].map((room) => `${SERVICE}/${room}`),
    types: [`${SERVICE}/config.ts`],
    bans: [FETCH, CLOCK, CHANCE, ENVIRONMENT, CONSOLE],
  }),
  door(`${SERVICE}/inspection.ts`, {
    rooms: ['domain', 'store', 'usecases', 'log.ts', 'metrics.ts', 'master-key.ts', 'open-store.ts', 'wire.ts'].map(
      (room) => `${SERVICE}/${room}`,
    ),
    types: [`${SERVICE}/config.ts`],
    builtins: ['crypto'],
    bans: [FETCH, CLOCK, CHANCE, ENVIRONMENT, CONSOLE],
  }),
  door(`${SERVICE}/gauges.ts`, {
    rooms: ['domain', 'store', 'usecases'].map((room) => `${SERVICE}/${room}`),
    types: [`${SERVICE}/deps.ts`, `${SERVICE}/metrics.ts`],
    bans: PURE,
  }),
  door(`${SERVICE}/master-key.ts`, {
    rooms: [`${SERVICE}/domain`],
    types: [`${SERVICE}/config.ts`],
    builtins: ['fs/promises', 'path'],
    bans: [FETCH, CLOCK, CHANCE, ENVIRONMENT, CONSOLE],
  }),
  door(`${SERVICE}/running-service.ts`, {
    types: [`${SERVICE}/config.ts`],
    builtins: ['fs/promises', 'path'],
    bans: [FETCH, CLOCK, CHANCE, ENVIRONMENT, CONSOLE],
  }),
  door(`${SERVICE}/running-process.ts`, { builtins: ['fs'], bans: [FETCH, CLOCK, CHANCE, ENVIRONMENT, CONSOLE] }),
  door(`${SERVICE}/stop-signals.ts`, { bans: [FETCH, CHANCE, ENVIRONMENT, CONSOLE] }),
  door(`${SERVICE}/welcome.ts`, {
    types: [`${SERVICE}/domain`, `${SERVICE}/usecases`, `${SERVICE}/wire.ts`],
    bans: PURE,
  }),
  door(`${SERVICE}/config.ts`, {
    rooms: ['domain', 'variable-readers.ts', 'config-problems.ts'].map((room) => `${SERVICE}/${room}`),
    bans: PURE,
  }),
  door(`${SERVICE}/config-problems.ts`, {
    rooms: [`${SERVICE}/domain`, `${SERVICE}/variable-readers.ts`],
    bans: PURE,
  }),
  door(`${SERVICE}/variable-readers.ts`, { rooms: [`${SERVICE}/domain`], bans: PURE }),
  door(`${SERVICE}/deps.ts`, {
    types: [
      'engine/src',
      ...['domain', 'store', 'outbound', 'config.ts', 'log.ts', 'metrics.ts', 'traces.ts'].map(
        (room) => `${SERVICE}/${room}`,
      ),
    ],
    bans: PURE,
  }),
  door(`${SERVICE}/log.ts`, {
    rooms: [`${SERVICE}/domain`],
    types: [`${SERVICE}/config.ts`],
    packages: ['pino'],
    bans: [FETCH, CHANCE, ENVIRONMENT],
  }),
  door(`${SERVICE}/metrics.ts`, {
    rooms: [`${SERVICE}/domain`],
    packages: ['prom-client'],
    bans: [FETCH, CHANCE, ENVIRONMENT],
  }),

  door('labels', { bans: PURE }),
  door('sdk/typescript/src', { builtins: ['crypto', 'fs/promises'], bans: [CHANCE, PROCESS] }),
  door('wallet/src', {
    packages: [
      '@owf/mdoc',
      '@sd-jwt/core',
      '@sd-jwt/sd-jwt-vc',
      '@sd-jwt/crypto-nodejs',
      '@peculiar/x509',
      'jose',
      'cbor-x',
    ],
    builtins: ['buffer', 'crypto', 'fs/promises', 'path', 'process', 'url', 'util', 'zlib'],
    bans: [CHANCE],
  }),
  door('dashboard', {
    rooms: ['sdk/typescript/src', 'labels'],
    packages: [
      'react',
      'react-dom',
      'react-router',
      '@tanstack/react-query',
      '@simplewebauthn/browser',
      'qr',
      'vite',
      '@vitejs/plugin-react',
      '@tailwindcss/vite',
      'tailwindcss',
    ],
    bans: [CHANCE, PROCESS],
  }),
  door('till', {
    rooms: ['sdk/typescript/src', 'labels'],
    packages: ['qr', 'vite'],
    builtins: ['crypto', 'fs', 'path'],
    bans: [CHANCE, PROCESS],
  }),
]

function door(room: string, open: Partial<Omit<Door, 'room'>>): Door {
  return { room, rooms: [], types: [], packages: [], builtins: [], bans: [], ...open }
}
