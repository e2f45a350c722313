// Lists the import rules: what each module may import, and which words it may not use. Unused entries are refused, too.

import { PLAIN, PLATFORM, SERVICE } from './platform.ts'
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
} from './rule.ts'

/** The subjects of core. Each may use the other subjects. None imports a feature. */
const CORE: Readonly<Record<string, readonly string[]>> = {
  channels: [],
  quota: [],
  registrations: [],
  'result-keys': [],
  templates: [],
  tenants: [],
  transactions: [],
  verifications: [],
}

/** Which features each feature may use, through their index.ts, in addition to core and platform. */
const FEATURES: Readonly<Record<string, readonly string[]>> = {
  alerts: ['mail', 'pages', 'webhooks'],
  audit: ['staff', 'transparency'],
  certificates: ['pages', 'staff', 'transparency'],
  conformance: ['oidc', 'trust'],
  dashboard: ['alerts', 'devices', 'figures', 'pages', 'registration', 'staff', 'trust', 'webhooks'],
  devices: ['pages', 'trust'],
  docs: ['pages', 'webhooks'],
  evidence: ['transparency'],
  figures: ['devices', 'staff'],
  mail: [],
  links: ['mail', 'pages', 'staff', 'webhooks'],
  oidc: ['pages', 'staff', 'webhooks'],
  operator: [
    'alerts',
    'audit',
    'devices',
    'evidence',
    'mail',
    'links',
    'oidc',
    'registration',
    'retention',
    'staff',
    'transparency',
    'trust',
    'webhooks',
  ],
  pages: ['staff'],
  registration: ['figures', 'staff', 'trust', 'webhooks'],
  retention: ['audit'],
  sandbox: ['pages', 'trust'],
  setup: ['trust', 'webhooks'],
  staff: ['audit', 'mail'],
  transparency: ['audit', 'staff', 'trust'],
  trust: ['staff'],
  webhooks: ['audit', 'mail', 'staff'],
}

type Layer = 'domain' | 'store' | 'outbound' | 'usecases' | 'http' | 'openapi' | 'jobs' | 'cli'

interface LayerRule {
  /** The layers that it may import, of its own subject and of other subjects. */
  readonly layers: readonly Layer[]
  readonly platform: readonly string[]
  readonly open: Partial<Omit<ImportRule, 'module'>>
}

const LAYER_NAMES: readonly Layer[] = ['domain', 'store', 'outbound', 'usecases', 'http', 'openapi', 'jobs', 'cli']
const FONT_PACKAGES = ['inter', 'nunito', 'source-serif-4', 'atkinson-hyperlegible-next'].map(
  (name) => `@fontsource-variable/${name}`,
)
const IN_PLATFORM = (names: readonly string[]) => names.map((name) => `${SERVICE}/platform/${name}`)
const PORTS = `${SERVICE}/core/ports`
const DEPS = [`${SERVICE}/deps.ts`]

/** What each layer of a subject may import, and which words it may not use. */
const LAYERS: Readonly<Record<Layer, LayerRule>> = {
  domain: {
    layers: ['domain'],
    platform: PLAIN,
    open: {
      modules: [
        'engine/src/channels/web-address.ts',
        'engine/src/claims.ts',
        'engine/src/formats.ts',
        'engine/src/json.ts',
        'engine/src/rsa-key.ts',
        'engine/src/xml/parse.ts',
        'wire/values',
      ],
      types: ['engine/src', 'wire', 'labels'],
      builtins: ['crypto', 'url', 'zlib'],
      bans: PURE,
    },
  },
  store: {
    layers: ['domain', 'store'],
    platform: [...PLAIN, ...IN_PLATFORM(['postgres', 'cache.ts'])],
    open: {
      modules: ['wire/values'],
      builtins: ['crypto', 'fs/promises', 'path', 'util'],
      bans: [FETCH, CHANCE, ENVIRONMENT, CONSOLE],
    },
  },
  outbound: {
    layers: ['domain', 'outbound'],
    platform: [...PLAIN, ...IN_PLATFORM(['egress', 'threads', 'cache.ts'])],
    open: {
      modules: ['engine/src/limits.ts', 'engine/src/rsa-key.ts'],
      types: ['engine/src', ...IN_PLATFORM(['config'])],
      packages: ['nodemailer', 'oauth4webapi'],
      builtins: ['child_process', 'crypto', 'net', 'os', 'stream', 'tls', 'url', 'worker_threads'],
      bans: [FETCH, CHANCE, ENVIRONMENT, CONSOLE],
    },
  },
  usecases: {
    layers: ['domain', 'store', 'outbound', 'usecases'],
    platform: [...PLAIN, ...IN_PLATFORM(['postgres', 'egress', 'jobs', 'budgets', 'cache.ts'])],
    open: {
      modules: ['engine/src', 'wire/values'],
      types: [...DEPS, ...IN_PLATFORM(['config', 'metrics', 'log']), 'labels'],
      packages: ['@simplewebauthn/server'],
      builtins: ['crypto'],
      bans: PURE,
    },
  },
  http: {
    layers: ['domain', 'usecases', 'http', 'openapi'],
    platform: [...PLAIN, ...IN_PLATFORM(['http', 'metrics'])],
    open: {
      modules: ['engine/src/json.ts', 'engine/src/form.ts', 'engine/src/formats.ts', 'labels', 'wire'],
      types: [...DEPS, ...IN_PLATFORM(['config', 'log', 'traces'])],
      packages: ['fastify', 'typebox', 'qr', ...FONT_PACKAGES],
      builtins: ['crypto', 'fs/promises', 'http', 'net', 'path', 'stream', 'util', 'zlib'],
      bans: [FETCH, CLOCK, CHANCE, ENVIRONMENT, CONSOLE],
    },
  },
  openapi: {
    layers: ['domain', 'usecases', 'http', 'openapi'],
    platform: [...PLAIN, ...IN_PLATFORM(['http'])],
    open: { modules: ['wire'], types: DEPS, bans: [FETCH, CLOCK, CHANCE, ENVIRONMENT, CONSOLE] },
  },
  jobs: {
    layers: ['domain', 'usecases', 'jobs'],
    platform: [...PLAIN, ...IN_PLATFORM(['jobs'])],
    open: {
      types: [...DEPS, ...IN_PLATFORM(['config', 'log'])],
      builtins: ['timers/promises'],
      bans: [FETCH, CLOCK, CHANCE, ENVIRONMENT, CONSOLE],
    },
  },
  cli: {
    layers: ['domain', 'usecases', 'cli'],
    platform: [...PLAIN, ...IN_PLATFORM(['cli', 'config'])],
    open: {
      modules: [
        'engine/src/formats.ts',
        `${SERVICE}/cli`,
        `${SERVICE}/features/sandbox`,
        'sdk/typescript/src',
        'wire/values',
      ],
      types: [...DEPS, ...IN_PLATFORM(['log'])],
      packages: ['commander', 'yaml'],
      builtins: ['fs/promises', 'path'],
      bans: [FETCH, CLOCK, CHANCE],
    },
  },
}

/** A rule for each layer of each subject, and one for a feature's index. */
function subjectRules(area: 'core' | 'features', subjects: Readonly<Record<string, readonly string[]>>): ImportRule[] {
  return Object.entries(subjects).flatMap(([name, uses]) => {
    const own = [
      `${area}/${name}`,
      'core',
      ...uses.filter((other) => isHalf(name, other)).map((other) => `features/${other}`),
    ]
    const indexes = uses.filter((other) => !isHalf(name, other)).map(indexOf)
    const layers = LAYER_NAMES.map((layer) => {
      const rule = layerOf(layer, own)
      return importRule(`${SERVICE}/${area}/${name}/${layer}`, { ...rule, modules: [...rule.modules, ...indexes] })
    })
    return area === 'core'
      ? layers
      : [...layers, importRule(indexOf(name), { modules: [`${SERVICE}/features/${name}`] })]
  })
}

const indexOf = (feature: string) => `${SERVICE}/features/${feature}/index.ts`

/** Audit and transparency may import all layers of each other, because the log contains heads of audit trails and verifies them. */
const isHalf = (one: string, other: string) =>
  ['audit', 'transparency'].includes(one) && ['audit', 'transparency'].includes(other)

/** Returns what a layer may import from these subjects. */
function layerOf(layer: Layer, subjects: readonly string[]): Omit<ImportRule, 'module'> {
  const { layers, platform, open } = LAYERS[layer]
  const folders = subjects.flatMap((subject) =>
    subject === 'core' ? [...Object.keys(CORE).map((name) => `core/${name}`)] : [subject],
  )
  const modules = folders.flatMap((folder) => layers.map((other) => `${SERVICE}/${folder}/${other}`))
  const shared = layers.includes('http') ? [`${SERVICE}/core/http`] : []
  return {
    modules: [PORTS, ...modules, ...shared, `${SERVICE}/core/channels`, ...platform, ...(open.modules ?? [])],
    types: open.types ?? [],
    packages: open.packages ?? [],
    builtins: open.builtins ?? [],
    bans: open.bans ?? [],
  }
}

const PARTS = ['platform', 'core', 'features'].map((part) => `${SERVICE}/${part}`)

/** The files that put platform, core and features together. */
const PROCESS_FILES = [
  'cli',
  'dashboard-routes.ts',
  'features.ts',
  'gauges.ts',
  'health-port.ts',
  'health-thread.ts',
  'http-server.ts',
  'inspection.ts',
  'job-table.ts',
  'master-key.ts',
  'merchant-routes.ts',
  'open-parts.ts',
  'open-store.ts',
  'running-service.ts',
  'serve-witness.ts',
  'serve.ts',
  'store-guard.ts',
  'instrumentation.ts',
  'welcome.ts',
  'assemble.ts',
].map((file) => `${SERVICE}/${file}`)

export const IMPORT_RULES: readonly ImportRule[] = [
  importRule('engine/src', { builtins: ['buffer', 'crypto', 'zlib'], bans: PURE }),

  ...PLATFORM,
  // The table of channels: facts, for every layer.
  importRule(`${SERVICE}/core/channels`, { types: ['engine/src'], bans: PURE }),
  ...subjectRules('core', CORE),
  ...subjectRules('features', FEATURES),

  // What core needs from features: signing, checks of proofs, owners of tokens, the audit trail.
  importRule(PORTS, {
    modules: PLAIN,
    types: ['engine/src', ...Object.keys(CORE).map((name) => `${SERVICE}/core/${name}/domain`)],
    bans: PURE,
  }),
  // Schemas and checks that every route of core shares.
  importRule(`${SERVICE}/core/http`, layerOf('http', ['core'])),
  // A thread that reads lists: it gets bytes and returns their content.
  importRule(`${SERVICE}/features/trust/outbound/list-worker.ts`, {
    modules: ['engine/src', `${SERVICE}/platform/threads/thread-priority.ts`],
    types: [`${SERVICE}/features/trust/outbound`],
    builtins: ['worker_threads'],
    bans: PURE,
  }),
  // A thread that parses trust lists, with the facts of their certificates.
  importRule(`${SERVICE}/features/trust/outbound/trust-list-worker.ts`, {
    modules: [
      'engine/src',
      `${SERVICE}/features/trust/domain/anchor-facts.ts`,
      `${SERVICE}/platform/threads/thread-priority.ts`,
    ],
    types: [`${SERVICE}/features/trust/outbound`, `${SERVICE}/platform/threads/thread-turns.ts`],
    builtins: ['crypto', 'worker_threads'],
    bans: PURE,
  }),
  // A separate thread that writes evidence bundles and encrypts them to the merchant.
  importRule(`${SERVICE}/features/evidence/outbound/bundle-worker.ts`, {
    modules: [
      `${SERVICE}/core/result-keys/usecases/merchant-jwe.ts`,
      `${SERVICE}/features/evidence/domain`,
      `${SERVICE}/platform/threads/thread-priority.ts`,
    ],
    types: [`${SERVICE}/features/evidence/outbound`, `${SERVICE}/platform/threads/thread-turns.ts`],
    builtins: ['crypto', 'worker_threads'],
    bans: PURE,
  }),
  // Markdown is parsed in one file, loaded when /docs is opened.
  importRule(`${SERVICE}/features/docs/http/markdown.ts`, {
    modules: [`${SERVICE}/features/docs/http`, `${SERVICE}/platform/http`],
    packages: ['marked'],
    bans: PURE,
  }),
  // The sandbox issuer and the test wallet; loaded only if the sandbox is on.
  importRule(`${SERVICE}/features/sandbox`, {
    ...layerOf('usecases', []),
    modules: ['wallet/src', indexOf('trust'), ...layerOf('usecases', ['core', 'features/sandbox']).modules],
    // The wallet gets its function for requests to the verifier under the name fetch.
    bans: [CLOCK, CHANCE, ENVIRONMENT, CONSOLE],
  }),

  ...sharedRules(PROCESS_FILES, {
    modules: [...PARTS, ...PROCESS_FILES, 'engine/src', 'sdk/typescript/src'],
    types: [`${SERVICE}/deps.ts`],
    packages: ['commander', 'fastify', '@fastify/type-provider-typebox'],
    builtins: ['crypto', 'events', 'fs/promises', 'net', 'path', 'timers/promises', 'worker_threads'],
    bans: [FETCH, CHANCE],
  }),
  importRule(`${SERVICE}/main.ts`, { modules: [SERVICE], builtins: ['crypto'], bans: [FETCH, CHANCE] }),
  importRule(`${SERVICE}/deps.ts`, { types: ['engine/src', ...PARTS], bans: PURE }),

  // Wire has only schemas, and the lists and limits that they share with the service. Importing just a list loads no TypeBox.
  importRule('wire', { modules: ['wire/values'], packages: ['typebox'], bans: PURE }),
  importRule('wire/values', { bans: PURE }),

  importRule('labels', { types: ['wire'], bans: PURE }),
  importRule('sdk/typescript/src', { types: ['wire'], builtins: ['fs/promises'], bans: [CHANCE, PROCESS] }),
  importRule('wallet/src', {
    packages: ['@hpke/core', 'asn1js', 'cbor2', 'jose'],
    builtins: ['crypto', 'zlib'],
    bans: [CHANCE],
  }),
  importRule('dashboard', {
    // Its build also creates the element's script.
    modules: ['sdk/typescript/src', 'labels', 'tools/build-element.ts'],
    types: ['wire'],
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
    ],
    bans: [CHANCE, PROCESS],
  }),
  importRule('till', {
    modules: ['sdk/typescript/src', 'labels'],
    types: ['wire'],
    packages: ['qr', 'vite'],
    builtins: ['crypto', 'fs', 'path'],
    bans: [CHANCE, PROCESS],
  }),
]
