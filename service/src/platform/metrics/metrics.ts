// Defines the metrics for the operator's Prometheus. Labels are few and bounded: route patterns, methods, statuses. Never an id.

import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { MISSING } from '../errors.ts'
import { VERSION } from '../version.ts'

/** Events that the operator should examine; docs/runbook.md has the remedy for each. */
export const ALARMS = [
  'access_certificate_names_another_host',
  'access_certificate_not_valid',
  'audit_chain_changed',
  'audit_checkpoint_missing',
  'budget_store_unavailable',
  'device_refresh_reuse',
  'forgetting_not_recorded',
  'job_failed',
  'key_wrong_signature',
  'log_halted',
  'metric_not_read',
  'register_drift',
  'registration_not_good',
  'retention_not_applied',
  'webhook_destination_disabled',
  'webhook_destination_failing',
] as const
export type Alarm = (typeof ALARMS)[number]

export interface Metrics {
  readonly registry: Registry
  readonly requests: Counter<'route' | 'method' | 'status'>
  readonly latency: Histogram<'route' | 'method'>
  readonly inFlight: Gauge
  readonly bufferedBytes: Gauge
  /** Sets the source that the two gauges above read at a scrape. Setting the gauges at every step of a request would cost more. */
  readServing(serving: Serving): void
  readonly rateLimited: Counter<'budget'>
  /** By the code of the response, from a closed set. */
  readonly refusals: Counter<'code'>
  /** The 503 responses among the refusals, by what was missing. */
  readonly unavailable: Counter<'cause'>
  /** Connections that we closed: pipelined, unread, late_body, tiny_chunks, malformed, too_many. */
  readonly connectionsClosed: Counter<'reason'>
  /** Examined wallet responses: completed, or the failure code. */
  readonly presentations: Counter<'outcome'>
  readonly webhookAttempts: Counter<'outcome'>
  /** By outcome: sent, refused, deferred, login_failed, tls_failed, connect_failed, timeout, protocol_error. */
  readonly mailAttempts: Counter<'outcome'>
  /** Signatures by keys outside of this process: signed, or why not. */
  readonly keySignatures: Counter<'provider' | 'outcome'>
  readonly keySignatureSeconds: Histogram<'provider'>
  readonly created: Counter<'environment'>
  /** Batches that could not be written from memory, by reason: stale, failed. */
  readonly batchRetries: Counter<'batch' | 'reason'>
  /** Verifications without a response in time, counted by the replica that runs the job. */
  readonly expired: Counter
  /** By the kind of actor. */
  readonly erased: Counter<'by'>
  /** Status list requests by outcome: fresh, stale, unavailable. */
  readonly statusAnswers: Counter<'outcome'>
  readonly statusListAge: Histogram
  /** Not labelled `job`: Prometheus uses that name for the scrape target. */
  readonly jobEvery: Gauge<'name'>
  /** Only if traces are on. */
  readonly spans: Counter<'outcome'>
  /** Called for every statement, and faster than a lookup by labels. */
  noteStatement(name: string, seconds: number): void
  /** Failures that must not stay silent (`ALARMS`). */
  readonly alarms: Omit<Counter<'alarm'>, 'inc'> & { inc(labels: { readonly alarm: Alarm }): void }
  /** A value that is read when metrics are scraped. */
  gauge(name: string, help: string, read: () => number | Promise<number>): void
  /** One value per value of a label. A value disappears if `read` no longer returns its label. */
  gaugeBy(label: string, name: string, help: string, read: () => Promise<ReadonlyMap<string, number>>): void
}

interface Serving {
  inFlight(): number
  bufferedBytes(): number
}

export function createMetrics(): Metrics {
  let serving: Serving = { inFlight: () => 0, bufferedBytes: () => 0 }
  const registry = new Registry()
  const registers = [registry]
  const statements = new Histogram({
    name: 'vidimus_store_statement_seconds',
    help: 'Time from a statement to its answer, by the name of the statement',
    labelNames: ['statement'],
    buckets: [0.001, 0.005, 0.025, 0.1, 1],
    registers,
  })
  const byStatement = new Map<string, Histogram.Internal<'statement'>>()
  const info = new Gauge({
    name: 'vidimus_build_info',
    help: 'Which release runs, and on which Node: always 1',
    labelNames: ['version', 'node'],
    registers,
  })
  info.set({ version: VERSION, node: process.version }, 1)
  return {
    registry,
    alarms: fromZero('alarm', ALARMS, {
      name: 'vidimus_alarms_total',
      help: 'Events that an operator should examine',
      registers,
    }),
    noteStatement(name, seconds) {
      let child = byStatement.get(name)
      if (child === undefined) {
        child = statements.labels(name)
        byStatement.set(name, child)
      }
      child.observe(seconds)
    },
    mailAttempts: new Counter({
      name: 'vidimus_mail_attempts_total',
      help: 'Attempts to hand a mail to the mail server, by outcome',
      labelNames: ['outcome'],
      registers,
    }),
    keySignatures: new Counter({
      name: 'vidimus_key_signatures_total',
      help: 'Signatures requested from keys outside of the process, by kind of place and outcome',
      labelNames: ['provider', 'outcome'],
      registers,
    }),
    keySignatureSeconds: new Histogram({
      name: 'vidimus_key_signature_seconds',
      help: 'Time that a key outside of the process took for a signature, with the wait for a slot',
      labelNames: ['provider'],
      buckets: [0.002, 0.01, 0.05, 0.2, 1, 2],
      registers,
    }),
    created: new Counter({
      name: 'vidimus_verifications_created_total',
      help: 'Verifications created',
      labelNames: ['environment'],
      registers,
    }),
    batchRetries: new Counter({
      name: 'vidimus_batch_retries_total',
      help: 'Batches of creations and endings that were written after reading, because writing them from memory was refused (stale) or failed',
      labelNames: ['batch', 'reason'],
      registers,
    }),
    expired: new Counter({
      name: 'vidimus_verifications_expired_total',
      help: 'Verifications that expired without an answer',
      registers,
    }),
    erased: new Counter({
      name: 'vidimus_verifications_erased_total',
      help: 'Verifications erased, by the kind of actor',
      labelNames: ['by'],
      registers,
    }),
    statusAnswers: new Counter({
      name: 'vidimus_status_answers_total',
      help: 'Status lists and revocation lists requested, by outcome: fresh, stale, unavailable, over_budget',
      labelNames: ['outcome'],
      registers,
    }),
    statusListAge: new Histogram({
      name: 'vidimus_status_list_age_seconds',
      help: 'Age of a status list when it was used',
      buckets: [60, 300, 3_600, 21_600, 86_400],
      registers,
    }),
    spans: new Counter({
      name: 'vidimus_spans_total',
      help: 'Spans of traces, by whether the collector accepted them',
      labelNames: ['outcome'],
      registers,
    }),
    jobEvery: new Gauge({
      name: 'vidimus_job_every_seconds',
      help: 'How often a periodic job is due',
      labelNames: ['name'],
      registers,
    }),
    unavailable: fromZero('cause', MISSING, {
      name: 'vidimus_unavailable_total',
      help: 'Requests answered 503, by what was missing',
      registers,
    }),
    requests: new Counter({
      name: 'vidimus_http_requests_total',
      help: 'HTTP requests answered',
      labelNames: ['route', 'method', 'status'],
      registers,
    }),
    latency: new Histogram({
      name: 'vidimus_http_request_seconds',
      help: 'Time from request to answer',
      labelNames: ['route', 'method'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
      registers,
    }),
    readServing(read) {
      serving = read
    },
    inFlight: new Gauge({
      name: 'vidimus_http_requests_in_flight',
      help: 'HTTP requests being answered',
      registers,
      collect() {
        this.set(serving.inFlight())
      },
    }),
    bufferedBytes: new Gauge({
      name: 'vidimus_http_held_bytes',
      help: 'Bytes of bodies that have arrived and of answers that are not read',
      registers,
      collect() {
        this.set(serving.bufferedBytes())
      },
    }),
    rateLimited: new Counter({
      name: 'vidimus_rate_limited_total',
      help: 'Requests refused by a rate budget',
      labelNames: ['budget'],
      registers,
    }),
    refusals: fromZero('code', ['internal_error'], {
      name: 'vidimus_refusals_total',
      help: 'Requests refused or failed, by the code of the answer',
      registers,
    }),
    connectionsClosed: new Counter({
      name: 'vidimus_http_connections_cut_total',
      help: 'Connections closed by us: pipelined or unread responses, late or tiny bodies, malformed HTTP, or too many',
      labelNames: ['reason'],
      registers,
    }),
    presentations: new Counter({
      name: 'vidimus_presentations_total',
      help: 'Wallet responses judged',
      labelNames: ['outcome'],
      registers,
    }),
    webhookAttempts: new Counter({
      name: 'vidimus_webhook_attempts_total',
      help: 'Attempts to deliver a webhook',
      labelNames: ['outcome'],
      registers,
    }),
    gauge(name, help, read) {
      const gauge: Gauge = new Gauge({
        name,
        help,
        registers,
        async collect() {
          gauge.set(await read())
        },
      })
    },
    gaugeBy(label, name, help, read) {
      const gauge: Gauge = new Gauge({
        name,
        help,
        labelNames: [label],
        registers,
        async collect() {
          const values = await read()
          gauge.reset()
          for (const [value, number] of values) gauge.set({ [label]: value }, number)
        },
      })
    },
  }
}

/** Starts each counter at 0: Prometheus sees no increase when a counter first appears, so it misses that event. */
function fromZero<Label extends string>(
  label: Label,
  values: readonly string[],
  terms: { readonly name: string; readonly help: string; readonly registers: Registry[] },
): Counter<Label> {
  const counter = new Counter<string>({ ...terms, labelNames: [label] })
  for (const value of values) counter.inc({ [label]: value }, 0)
  return counter
}

/** Each sample wakes the process. At the library's default of 10 ms, that was most of the work of an idle one. */
const SAMPLE_LOOP_EVERY_MS = 100

/**
 * CPU, memory, file descriptors, event loop and garbage collection, under the names that every Node.js dashboard knows.
 * Call once per process.
 */
export function addProcessMetrics({ registry }: Pick<Metrics, 'registry'>): void {
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: SAMPLE_LOOP_EVERY_MS })
}
