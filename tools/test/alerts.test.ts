// Tests that rules, dashboard and runbook name only existing metrics, and that every rule says what to do.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { parse } from 'yaml'
import { ALARMS } from '../../service/src/platform/metrics/metrics.ts'
import { documentedMetrics } from '../../service/test/observability/metric-text.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const read = (...path: string[]) => readFileSync(join(ROOT, ...path), 'utf8')
const documented = await documentedMetrics()

interface Rule {
  readonly alert: string
  readonly expr: string
  readonly for?: string
  readonly labels: { readonly severity: string }
  readonly annotations: { readonly summary: string; readonly runbook_url: string }
}
const rules = (parse(read('deploy', 'alerts.yaml')) as { groups: { name: string; rules: Rule[] }[] }).groups.flatMap(
  (group) => group.rules,
)

interface Panel {
  readonly id: number
  readonly type: string
  readonly title: string
  readonly gridPos: { readonly x: number; readonly w: number }
  readonly targets?: readonly { readonly refId: string; readonly expr: string; readonly legendFormat: string }[]
}
const dashboard = JSON.parse(read('deploy', 'grafana.json')) as { uid: string; panels: Panel[] }

/** Labels that Prometheus itself adds. */
const OF_PROMETHEUS = ['job', 'instance']
const FUNCTIONS = new Set(
  'sum min max count abs absent time rate increase topk histogram_quantile by and or unless on bool'.split(' '),
)

interface Use {
  readonly metric: string
  readonly labels: readonly string[]
}

/** Returns the metrics of an expression, with the labels that select and group them. */
const usesOf = (expr: string): Use[] => expr.split(' and on () ').flatMap(usesOfPart)

/** The labels of `by` belong to every metric of the part. */
function usesOfPart(expr: string): Use[] {
  const grouped = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, names = '']) => names.split(/,\s*/))
  const bare = expr
    .replaceAll(/"[^"]*"/g, '""')
    .replaceAll(/\b(?:by|on) \([^)]*\)/g, '')
    .replaceAll(/\[[^\]]*\]/g, '')
  const uses = [...bare.matchAll(/\b([a-z_]\w*)(?:\{([^}]*)\})?/gi)].flatMap(([, metric = '', chosen = '']) =>
    FUNCTIONS.has(metric) || /^e?\d/.test(metric)
      ? []
      : [{ metric, labels: [...grouped, ...[...chosen.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, l = '']) => l)] }],
  )
  return uses
}

function assertExists({ metric, labels }: Use, where: string): void {
  if (metric === 'up') return
  const [, base = metric, suffix] = /^(\w+?)_(bucket|sum|count)$/.exec(metric) ?? []
  const known = documented.get(metric) ?? documented.get(base)
  assert.ok(known !== undefined, `${where}: there is no ${metric}`)
  if (!documented.has(metric)) assert.equal(known.type, 'histogram', `${where}: ${metric}`)
  const allowed = [...known.labels, ...OF_PROMETHEUS, ...(suffix === 'bucket' ? ['le'] : [])]
  for (const label of labels) assert.ok(allowed.includes(label), `${where}: ${metric} has no label ${label}`)
}

/** Asserts that the labels in {{ }} of a text remain after the expression. */
function assertLeft(text: string, expr: string, where: string): void {
  const left = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, names = '']) => names.split(/,\s*/))
  for (const [, label = ''] of text.matchAll(/\{\{\s*(?:\$labels\.)?(\w+)\s*\}\}/g))
    assert.ok(left.includes(label) || label === 'instance', `${where}: ${label} is not left by ${expr}`)
}

it('the parser of expressions finds mistakes', () => {
  const wrong = [
    'sum(rate(vidimus_no_such_total[5m]))',
    'sum by (tenant) (vidimus_alarms_total)',
    'vidimus_http_requests_total{code="x"}',
    'vidimus_store_up_bucket',
    'sum by (le) (vidimus_http_request_seconds_sum)',
  ]
  for (const expr of wrong) {
    assert.throws(() => {
      for (const use of usesOf(expr)) assertExists(use, expr)
    }, expr)
  }
  assert.throws(() => assertLeft('{{ $labels.job }}', 'sum by (name) (x)', ''))
})

it('rules use only existing metrics and labels, and show only labels that their expression leaves', () => {
  assert.ok(rules.length > 20)
  for (const rule of rules) {
    const uses = usesOf(rule.expr)
    assert.ok(uses.length > 0, rule.alert)
    for (const use of uses) assertExists(use, rule.alert)
    assertLeft(rule.annotations.summary, rule.expr, rule.alert)
    assert.deepEqual(
      Object.keys(rule)
        .filter((name) => name !== 'for')
        .sort(),
      ['alert', 'annotations', 'expr', 'labels'],
    )
    assert.match(rule.for ?? '1m', /^\d+[smh]$/)
    assert.ok(['warning', 'critical'].includes(rule.labels.severity), rule.alert)
  }
  assert.equal(new Set(rules.map(({ alert }) => alert)).size, rules.length)
})

it('every rule has an entry in the runbook with symptom, cause and command, and every entry has a rule', () => {
  const [, ...entries] = read('docs', 'runbook.md').split(/^## /m)
  const titles = entries.map((entry) => entry.split('\n')[0] ?? '')
  assert.deepEqual(titles, [...rules.map(({ alert }) => alert), 'Alarms'])
  for (const entry of entries.slice(0, -1)) {
    for (const part of ['**Symptom:** ', '**Cause:** ', '**Do:**', '```sh\n'])
      assert.ok(entry.includes(part), `${entry.split('\n')[0]}: ${part}`)
  }
  for (const { alert, annotations } of rules)
    assert.equal(annotations.runbook_url, `https://verify.example.com/docs/runbook#${alert.toLowerCase()}`)
  const alarms = [...(entries.at(-1) ?? '').matchAll(/^\| `(\w+)` \|/gm)].map(([, name = '']) => name)
  assert.deepEqual(alarms.sort(), [...ALARMS].sort())
})

it('the dashboard uses only existing metrics and labels', () => {
  const panels = dashboard.panels.filter(({ type }) => type !== 'row')
  assert.ok(panels.length > 20)
  assert.equal(new Set(dashboard.panels.map(({ id }) => id)).size, dashboard.panels.length)
  for (const { title, targets = [], gridPos } of panels) {
    assert.ok(targets.length > 0 && gridPos.x + gridPos.w <= 24, title)
    for (const { expr, legendFormat } of targets) {
      for (const use of usesOf(expr.replaceAll('$__rate_interval', '5m'))) assertExists(use, title)
      assertLeft(legendFormat, expr, title)
    }
  }
})

it('every metric of ours is in a rule or on the dashboard', () => {
  const texts = [
    ...rules.map(({ expr }) => expr),
    ...dashboard.panels.flatMap((p) => (p.targets ?? []).map((t) => t.expr)),
  ]
  const used = new Set(texts.flatMap(usesOf).map(({ metric }) => metric.replace(/_(?:bucket|sum|count)$/, '')))
  const unseen = [...documented.keys()].filter((name) => name.startsWith('vidimus_') && !used.has(name))
  assert.deepEqual(unseen, [])
})

it('Prometheus itself accepts the rules, if promtool is installed', (t) => {
  const run = spawnSync('promtool', ['check', 'rules', join(ROOT, 'deploy', 'alerts.yaml')], { encoding: 'utf8' })
  if (run.error !== undefined)
    return t.diagnostic('promtool is not installed: the rules were held against our own table alone')
  assert.equal(run.status, 0, run.stdout + run.stderr)
  // The result of each rule for series that exist, are missing or gone.
  const cases = spawnSync('promtool', ['test', 'rules', join(import.meta.dirname, 'alert-cases.yaml')], {
    encoding: 'utf8',
  })
  assert.equal(cases.status, 0, cases.stdout + cases.stderr)
})
