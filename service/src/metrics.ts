// What an operator's Prometheus reads. Labels are few and bounded: route patterns, methods, statuses; never an id.

import { Counter, Gauge, Histogram, Registry } from 'prom-client'

export interface Metrics {
  readonly registry: Registry
  readonly requests: Counter<'route' | 'method' | 'status'>
  readonly latency: Histogram<'route' | 'method'>
  readonly inFlight: Gauge
  readonly heldBytes: Gauge
  readonly rateLimited: Counter<'budget'>
  /** By the code of the answer: a closed set. */
  readonly refusals: Counter<'code'>
  /** Connections ended by us: pipelined, unread, late_body, tiny_chunks, malformed, too_many. */
  readonly connectionsCut: Counter<'reason'>
  /** Wallets' answers that were judged: completed, or the code they failed with. */
  readonly presentations: Counter<'outcome'>
  readonly webhookAttempts: Counter<'outcome'>
  /** Failures of what must not fail silently: budget store, key invalidation, audit checkpoints. */
  readonly alarms: Counter<'alarm'>
  /** A value read when metrics are scraped. */
  gauge(name: string, help: string, read: () => number | Promise<number>): void
  /** The same by a label; a value that is not read again is no longer shown. */
  gaugeBy(label: string, name: string, help: string, read: () => Promise<ReadonlyMap<string, number>>): void
}

export function createMetrics(): Metrics {
  const registry = new Registry()
  const registers = [registry]
  return {
    registry,
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
    inFlight: new Gauge({ name: 'vidimus_http_requests_in_flight', help: 'HTTP requests being answered', registers }),
    heldBytes: new Gauge({
      name: 'vidimus_http_held_bytes',
      help: 'Bytes of bodies that have arrived and of answers that are not read',
      registers,
    }),
    rateLimited: new Counter({
      name: 'vidimus_rate_limited_total',
      help: 'Requests refused by a rate budget',
      labelNames: ['budget'],
      registers,
    }),
    refusals: new Counter({
      name: 'vidimus_refusals_total',
      help: 'Requests refused or failed, by the code of the answer',
      labelNames: ['code'],
      registers,
    }),
    connectionsCut: new Counter({
      name: 'vidimus_http_connections_cut_total',
      help: 'Connections ended because they asked too much before reading, did not read, spoke no HTTP, or were too many',
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
    alarms: new Counter({
      name: 'vidimus_alarms_total',
      help: 'Conditions that an operator should look at',
      labelNames: ['alarm'],
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
