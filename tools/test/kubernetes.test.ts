// The files for Kubernetes and Compose as data: what refers to something finds it, and bounds fit together.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { parse, parseAllDocuments } from 'yaml'

const DEPLOY = join(import.meta.dirname, '..', '..', 'deploy')
const read = (name: string) => readFileSync(join(DEPLOY, name), 'utf8')

type Labels = Readonly<Record<string, string>>
interface Container {
  readonly args: readonly string[]
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[]
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

/** Which version of a kind there is; whatever else is written was mistyped, or belongs in this table. */
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

it('every resource is of a kind that there is, and in the namespace', () => {
  for (const { apiVersion, kind, metadata } of resources) {
    assert.equal(apiVersion, KINDS[kind], kind)
    assert.equal(metadata.namespace, 'vidimus', `${kind} ${metadata.name}`)
  }
  assert.deepEqual([...new Set(resources.map(({ kind }) => kind))].sort(), Object.keys(KINDS).sort())
})

it('whatever selects pods finds some', () => {
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

it('the autoscaler has the replicas of the API, and an eviction leaves one', () => {
  const { scaleTargetRef, minReplicas = 0 } = specOf('HorizontalPodAutoscaler')
  assert.equal(
    specOf(scaleTargetRef?.kind ?? '', scaleTargetRef?.name).replicas,
    undefined,
    'each apply would set it back',
  )
  assert.ok(minReplicas > (specOf('PodDisruptionBudget').minAvailable ?? 0))
})

it('as many connections as all processes may open are below what PostgreSQL has as it comes', () => {
  const config = resources.find(({ kind }) => kind === 'ConfigMap')?.data ?? {}
  const workers = specOf('Deployment', 'vidimus-worker').replicas ?? Number.NaN
  // One more of each while it rolls; of each process one listens for notifications.
  const processes = (specOf('HorizontalPodAutoscaler').maxReplicas ?? Number.NaN) + 1 + workers + 1
  assert.ok(processes * (Number(config.VIDIMUS_DATABASE_POOL) + 1) <= 97)
})

it('the network policy covers every pod and both directions, and lets nothing in but to the port', () => {
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

it('what a container may use is bounded', () => {
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

it('compose: no log grows without end', () => {
  for (const [name, { logging }] of Object.entries(compose.services)) {
    assert.match(logging?.options['max-size'] ?? '', /^\d+m$/, name)
    assert.match(logging?.options['max-file'] ?? '', /^\d+$/, name)
  }
})

it('compose: two processes serve, the proxy asks both whether they are ready, and the upgrade replaces each', () => {
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

it('kustomize renders the base, where kubectl is installed', (t) => {
  const run = spawnSync('kubectl', ['kustomize', DEPLOY], { encoding: 'utf8' })
  if (run.error !== undefined) return t.diagnostic('kubectl is not installed: the base was not rendered')
  assert.equal(run.status, 0, run.stderr)
  const names = (all: readonly Resource[]) => all.map(({ kind, metadata }) => `${kind} ${metadata.name}`).sort()
  assert.deepEqual(names(resourcesOf(run.stdout)), names(resources))
})

it("Kubernetes' own schemas take them, where kubeconform is installed", (t) => {
  const run = spawnSync('kubeconform', ['-strict', join(DEPLOY, 'kubernetes.yaml')], { encoding: 'utf8' })
  if (run.error !== undefined) return t.diagnostic('kubeconform is not installed: our own table judged alone')
  assert.equal(run.status, 0, run.stdout + run.stderr)
})
