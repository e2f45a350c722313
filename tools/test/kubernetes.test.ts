// Tests the files for Kubernetes and Compose as data: references resolve, and limits are consistent.

import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it, type TestContext } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { parse, parseAllDocuments } from 'yaml'
import { DEFAULT_PORTS } from '../../service/src/platform/egress/policy.ts'
import { reservePort } from '../../service/src/platform/reserved-port.ts'
import { once, waitUntil } from '../../service/test/harness/wait.ts'

const DEPLOY = join(import.meta.dirname, '..', '..', 'deploy')
const read = (name: string) => readFileSync(join(DEPLOY, name), 'utf8')

type Labels = Readonly<Record<string, string>>
interface Container {
  readonly args: readonly string[]
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[]
  readonly livenessProbe?: { readonly httpGet: { readonly path: string; readonly port: string } }
  readonly readinessProbe?: { readonly failureThreshold?: number; readonly timeoutSeconds?: number }
  readonly resources: { readonly limits: Labels; readonly requests: Labels }
}
interface Resource {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string; readonly namespace: string }
  readonly data?: Labels
  readonly spec?: {
    readonly selector?: Labels & { readonly matchLabels?: Labels }
    readonly podSelector?: { readonly matchLabels: Labels }
    readonly template?: {
      readonly metadata: { readonly labels: Labels }
      readonly spec: { readonly containers: Container[] }
    }
    readonly scaleTargetRef?: { readonly kind: string; readonly name: string }
    readonly replicas?: number
    readonly maxReplicas?: number
    readonly minReplicas?: number
    readonly minAvailable?: number
    readonly policyTypes?: readonly string[]
    readonly ingress?: readonly {
      readonly from: readonly unknown[]
      readonly ports: readonly { port: string | number }[]
    }[]
    readonly egress?: readonly { readonly to: readonly unknown[]; readonly ports: readonly { port: number }[] }[]
  }
}

/** The API version of each kind. Any other kind is mistyped, or missing in this table. */
const KINDS: Labels = {
  ConfigMap: 'v1',
  ServiceAccount: 'v1',
  Service: 'v1',
  Job: 'batch/v1',
  Deployment: 'apps/v1',
  PodDisruptionBudget: 'policy/v1',
  HorizontalPodAutoscaler: 'autoscaling/v2',
  NetworkPolicy: 'networking.k8s.io/v1',
}

const resources = resourcesOf(read('kubernetes.yaml'))
const specOf = (kind: string, name = 'vidimus-api') => {
  const found = resources.find((one) => one.kind === kind && one.metadata.name === name)?.spec
  assert.ok(found !== undefined, `${kind} ${name}`)
  return found
}

function resourcesOf(text: string): Resource[] {
  return parseAllDocuments(text).map((document) => {
    assert.deepEqual([...document.errors, ...document.warnings], [])
    return document.toJS() as Resource
  })
}

const fits = (selector: Labels, labels: Labels) =>
  Object.entries(selector).every(([name, value]) => labels[name] === value)
const pods = resources.flatMap(({ spec }) => (spec?.template === undefined ? [] : [spec.template]))

it('every resource has a known kind, and is in the namespace', () => {
  for (const { apiVersion, kind, metadata } of resources) {
    assert.equal(apiVersion, KINDS[kind], kind)
    assert.equal(metadata.namespace, 'vidimus', `${kind} ${metadata.name}`)
  }
  assert.deepEqual([...new Set(resources.map(({ kind }) => kind))].sort(), Object.keys(KINDS).sort())
})

it('every pod selector matches pods', () => {
  for (const { kind, spec = {} } of resources) {
    const { matchLabels, ...plain } = spec.selector ?? {}
    for (const selector of [matchLabels, kind === 'Service' ? plain : undefined, spec.podSelector?.matchLabels]) {
      if (selector === undefined) continue
      assert.ok(
        pods.some(({ metadata }) => fits(selector as Labels, metadata.labels)),
        kind,
      )
    }
  }
})

it('only the autoscaler sets the replicas of the API, and an eviction leaves one', () => {
  const { scaleTargetRef, minReplicas = 0 } = specOf('HorizontalPodAutoscaler')
  assert.equal(
    specOf(scaleTargetRef?.kind ?? '', scaleTargetRef?.name).replicas,
    undefined,
    'each apply would reset the number of replicas',
  )
  assert.ok(minReplicas > (specOf('PodDisruptionBudget').minAvailable ?? 0))
})

it('all processes together open fewer connections than PostgreSQL allows by default', () => {
  const config = resources.find(({ kind }) => kind === 'ConfigMap')?.data ?? {}
  const workers = specOf('Deployment', 'vidimus-worker').replicas ?? Number.NaN
  // During a rollout there is one more process of each kind. Each process has two more connections: to listen, and to probe the store.
  const processes = (specOf('HorizontalPodAutoscaler').maxReplicas ?? Number.NaN) + 1 + workers + 1
  assert.ok(processes * (Number(config.VIDIMUS_DATABASE_POOL) + 2) <= 97)
})

it('the network policy covers every pod in both directions, and allows incoming traffic only to the port', () => {
  const policy = specOf('NetworkPolicy', 'vidimus')
  assert.deepEqual(policy.policyTypes, ['Ingress', 'Egress'])
  for (const { metadata } of pods) assert.ok(fits(policy.podSelector?.matchLabels ?? { no: 'one' }, metadata.labels))
  for (const { from, ports } of policy.ingress ?? []) {
    assert.ok(from.length > 0)
    for (const { port } of ports) {
      for (const { spec } of pods.filter(({ spec }) => spec.containers[0]?.args[0] === 'serve'))
        assert.ok(
          spec.containers[0]?.ports?.some(({ name }) => name === port),
          String(port),
        )
    }
  }
  for (const { to, ports } of policy.egress ?? []) assert.ok(to.length > 0 && ports.length > 0)
})

it('pods reach every port on which the service calls public hosts', () => {
  const open = specOf('NetworkPolicy', 'vidimus').egress?.at(-1)
  assert.ok(JSON.stringify(open?.to).includes('0.0.0.0/0'))
  assert.deepEqual(
    open?.ports.map(({ port }) => port),
    DEFAULT_PORTS,
  )
})

it('every container has limits on memory and storage', () => {
  for (const { spec } of pods)
    for (const { resources: use } of spec.containers)
      for (const name of ['memory', 'ephemeral-storage']) assert.ok(name in use.limits, name)
})

interface ComposeService {
  readonly image: string
  readonly command?: readonly string[]
  readonly restart: string
  readonly logging?: { readonly options: Labels }
  readonly healthcheck?: { readonly test?: readonly string[]; readonly disable?: boolean }
}
const compose = parse(read('compose.yaml'), { merge: true }) as {
  services: Record<string, ComposeService>
  configs: { caddyfile: { content: string } }
}

it('compose: no log grows without limit', () => {
  for (const [name, { logging }] of Object.entries(compose.services)) {
    assert.match(logging?.options['max-size'] ?? '', /^\d+m$/, name)
    assert.match(logging?.options['max-file'] ?? '', /^\d+$/, name)
  }
})

it('compose: two processes serve, the proxy checks the readiness of both, and the upgrade replaces each', () => {
  const serving = Object.entries(compose.services).filter(
    ([, { command }]) => command?.join(' ') === 'serve --role api',
  )
  assert.equal(serving.length, 2)
  const { content } = compose.configs.caddyfile
  assert.match(content, /health_uri \/readyz/)
  const [, upgrade = ''] = /^# {3}for service in (.*); do$/m.exec(read('compose.yaml')) ?? []
  for (const [name, { healthcheck }] of serving) {
    assert.ok(content.includes(`${name}:8080`), name)
    assert.ok(upgrade.split(' ').includes(name), name)
    assert.match(healthcheck?.test?.join(' ') ?? '', /\/readyz/)
  }
  assert.ok(upgrade.split(' ').includes('worker'))
})

it("compose: every image that is not ours has a fixed release, Caddy's with its patch number", () => {
  for (const [name, { image }] of Object.entries(compose.services))
    if (image !== 'vidimus') assert.match(image, /^[\w/-]+:\d+(?:\.\d+)*(?:@sha256:[0-9a-f]{64})?$/, name)
  assert.match(compose.services.proxy?.image ?? '', /^caddy:2\.\d+\.\d+$/)
})

it('the liveness probes of Kubernetes use the separate thread for health checks', () => {
  const config = resources.find(({ kind }) => kind === 'ConfigMap')?.data ?? {}
  const probed = pods.flatMap(({ spec }) => spec.containers[0] ?? []).filter(({ livenessProbe }) => livenessProbe)
  assert.equal(probed.length, 2)
  for (const { livenessProbe, ports = [] } of probed) {
    assert.deepEqual(livenessProbe?.httpGet, { path: '/healthz', port: 'health' })
    assert.equal(String(ports.find(({ name }) => name === 'health')?.containerPort), config.VIDIMUS_HEALTH_PORT)
  }
})

it('neither the proxy nor Kubernetes takes a process out of service after one slow probe', () => {
  const { content } = compose.configs.caddyfile
  assert.ok(Number(/^ *health_fails (\d+)$/m.exec(content)?.[1]) >= 3)
  const readiness = pods.flatMap(({ spec }) => spec.containers[0]?.readinessProbe ?? [])
  assert.equal(readiness.length, 1)
  for (const { failureThreshold, timeoutSeconds } of readiness)
    assert.ok((failureThreshold ?? 0) >= 3 && (timeoutSeconds ?? 0) >= 3)
})

it("the proxy's log has nothing of a request", () => {
  const { content } = compose.configs.caddyfile
  const logs = [...content.matchAll(/^ *log\b.*$/gm)].map(([line]) => line.trim())
  // Caddy writes no access log unless a site has `log`. A failed request is in the default log, with all of it.
  assert.deepEqual(logs, ['log default {'])
  assert.match(content, /^\{\s+#.*\s+log default \{\s+format filter \{\s+request delete\s+\}\s+\}/)
})

/** Starts Caddy with the configuration of compose, in front of these two upstreams; null if none is installed. */
async function startCaddy(t: TestContext, [one, two]: readonly [string, string]) {
  const [, minor] = /^v2\.(\d+)\./.exec(spawnSync('caddy', ['version'], { encoding: 'utf8' }).stdout ?? '') ?? []
  // Older releases do not know `health_fails`.
  if (!(Number(minor) >= 8)) {
    t.diagnostic('no Caddy of a release that could be used is installed: its configuration was read and not run')
    return null
  }
  const reserved = await reservePort('127.0.0.1')
  const folder = mkdtempSync(join(tmpdir(), 'vidimus-caddy-'))
  const content = compose.configs.caddyfile.content
    .replace('api-1:8080', one)
    .replace('api-2:8080', two)
    .replace(/^:8080/m, `http://127.0.0.1:${reserved.port}`)
  writeFileSync(join(folder, 'Caddyfile'), content)
  await reserved.release()
  const env = { PATH: process.env.PATH ?? '', XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder, HOME: folder }
  const caddy = spawn('caddy', ['run', '--config', join(folder, 'Caddyfile')], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [caddy.stdout, caddy.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  t.after(async () => {
    caddy.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  })
  const send = (path: string, init: RequestInit = {}) =>
    fetch(`http://127.0.0.1:${reserved.port}${path}`, init).then(
      async (answer) => {
        await answer.text().catch(() => '')
        return answer.status
      },
      () => 0,
    )
  await waitUntil('Caddy serves', async () => (await send('/v1')) === 200)
  return { send, output: () => output }
}

/** Starts an HTTP server for this test. */
async function startUpstream(t: TestContext, answer: RequestListener) {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const stop = () => server.close().closeAllConnections()
  t.after(stop)
  return { host: `127.0.0.1:${(server.address() as AddressInfo).port}`, stop }
}

it('Caddy, if installed, still sends to both processes after one slow probe', async (t) => {
  let slow = 0
  const upstream = () =>
    startUpstream(t, (request, response) => {
      const answer = () => response.end(request.url)
      // The first probes answer more slowly than the timeout.
      if (request.url === '/readyz' && slow-- > 0) setTimeout(answer, 4_000).unref()
      else answer()
    })
  const caddy = await startCaddy(t, [(await upstream()).host, (await upstream()).host])
  if (caddy === null) return
  // One slow probe for each process. Both time out within three seconds.
  slow = 2
  const until = performance.now() + 5_000
  const statuses = new Set<number>()
  // bounded: by five seconds.
  while (performance.now() < until) {
    statuses.add(await caddy.send('/v1'))
    await delay(50)
  }
  assert.ok(slow <= 0, 'a process was not probed')
  assert.deepEqual([...statuses], [200])
  assert.doesNotMatch(caddy.output(), /no upstreams available/)
})

it('Caddy, if installed, logs failed requests without address, path, query and headers', async (t) => {
  const upstream = await startUpstream(t, (request, response) => {
    if (request.method === 'POST') request.socket.destroy()
    else if (request.url?.startsWith('/l/') !== true) response.end()
    else response.writeHead(200, { 'content-length': '9' }).write('part', () => response.destroy())
  })
  const caddy = await startCaddy(t, [upstream.host, upstream.host])
  if (caddy === null) return
  const headers = { 'x-forwarded-for': '203.0.113.77', 'user-agent': 'Wallet-of-Erika', cookie: 'of-Erika=1' }
  const body = 'response=of-Erika'
  assert.equal(await caddy.send('/wallet/response/ver_of-Erika', { method: 'POST', headers, body }), 502)
  await caddy.send('/l/of-Erika?lang=de', { headers })
  upstream.stop()
  const failed = await caddy.send('/oidc/ten_x/live/authorize?login_hint=erika%40example.com', { headers })
  assert.ok(failed === 502 || failed === 503, String(failed))
  const logged = /"status":502[\s\S]*aborting with incomplete response[\s\S]*"status":50[23]/
  await waitUntil('Caddy logs all three', () => logged.test(caddy.output()))
  assert.doesNotMatch(caddy.output(), /203\.0\.113\.77|erika|login_hint|\/wallet\/|\/l\/|\/oidc\/|ver_of|cookie/i)
})

it('every target of the scrape configuration is a process of compose or a pod', () => {
  const text = read('prometheus.yaml')
  const { rule_files, scrape_configs } = parse(text) as { rule_files: string[]; scrape_configs: { job_name: string }[] }
  assert.deepEqual(rule_files, ['alerts.yaml'])
  assert.deepEqual(
    scrape_configs.map(({ job_name }) => job_name),
    ['vidimus'],
  )
  const targets = [...text.matchAll(/"([\w-]+):8080"/g)].map(([, name = '']) => name)
  assert.ok(targets.length >= 3)
  for (const name of targets) assert.ok(compose.services[name]?.command?.[0] === 'serve', name)
})

it('kubectl, if installed, renders the base with kustomize', (t) => {
  const run = spawnSync('kubectl', ['kustomize', DEPLOY], { encoding: 'utf8' })
  if (run.error !== undefined) return t.diagnostic('kubectl is not installed: the base was not rendered')
  assert.equal(run.status, 0, run.stderr)
  const names = (all: readonly Resource[]) => all.map(({ kind, metadata }) => `${kind} ${metadata.name}`).sort()
  assert.deepEqual(names(resourcesOf(run.stdout)), names(resources))
})

it("kubeconform, if installed, accepts the files by Kubernetes' own schemas", (t) => {
  const run = spawnSync('kubeconform', ['-strict', join(DEPLOY, 'kubernetes.yaml')], { encoding: 'utf8' })
  if (run.error !== undefined) return t.diagnostic('kubeconform is not installed: our own table judged alone')
  assert.equal(run.status, 0, run.stdout + run.stderr)
})
