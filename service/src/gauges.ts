// Gauges that query the store at each read of /metrics. Other metrics work without the store.

import type { Deps } from './deps.ts'
import { addTrailGauges } from './features/audit/usecases/watch-trails.ts'
import { countChecks } from './features/registration/usecases/check-registers.ts'
import { secondsToFirstEnds } from './features/registration/usecases/watch-registrations.ts'
import { readDayPartitions } from './features/retention/usecases/make-days.ts'
import { loadLog } from './features/transparency/store/log.ts'
import { readWitnesses } from './features/transparency/usecases/diagnose-log.ts'
import { needsProviders, type TrustList } from './features/trust/domain/anchor.ts'
import { listTrustLists } from './features/trust/store/trust-lists.ts'
import { listCertificates } from './features/trust/usecases/manage-certificates.ts'
import { measureQueueAcrossTenants } from './features/webhooks/store/deliveries.ts'
import { listLastRuns } from './platform/jobs/job-leases.ts'
import type { Log } from './platform/log/log.ts'
import type { Metrics } from './platform/metrics/metrics.ts'
import { requireRoomForWrites } from './platform/postgres/writes.ts'
import { STORE_REFUSALS, type StoreRefusal, StoreUnavailable } from './platform/store-unavailable.ts'
import { instantOf, millisecondsOf } from './platform/world.ts'

export function addGauges(
  own: Metrics,
  world: Pick<Deps, 'db' | 'clock' | 'clockOffsetMs' | 'config'> & { readonly log: Log },
): void {
  const metrics = readApart(own, world.log)
  addRole(metrics, world)
  addStore(metrics, world)
  addJobs(metrics, world)
  addTrustLists(metrics, world)
  addCertificates(metrics, world)
  addDeliveries(metrics, world)
  addDays(metrics, world)
  addTrailGauges(metrics, world)
  addLog(metrics, world)
  addRegistrationEnds(metrics, world)
  addRegisterChecks(metrics, world)
}

/** A gauge that cannot be read has no value, and the others are still reported. */
function readApart(metrics: Metrics, log: Log): Metrics {
  const without =
    <T>(name: string, none: T) =>
    (error: unknown): T => {
      // `vidimus_store_up` reports an unavailable store.
      if (error instanceof StoreUnavailable) return none
      metrics.alarms.inc({ alarm: 'metric_not_read' })
      log.fault(`the metric ${name} could not be read`, error)
      return none
    }
  return {
    ...metrics,
    gauge: (name, help, read) => metrics.gauge(name, help, () => Promise.try(read).catch(without(name, Number.NaN))),
    gaugeBy: (label, name, help, read) =>
      metrics.gaugeBy(label, name, help, () => read().catch(without(name, new Map()))),
  }
}

/** The minimum over all certificates in use for a purpose, including those of tenants. Negative once expired. */
function addCertificates(metrics: Metrics, { db, clock }: Pick<Deps, 'db' | 'clock'>): void {
  metrics.gaugeBy(
    'purpose',
    'vidimus_access_certificate_seconds_left',
    'Seconds until the first certificate in use for a purpose expires',
    async () => {
      const left = new Map<string, number>()
      for (const { state, purpose, validUntil } of await listCertificates({ db })) {
        if (state !== 'current' || validUntil === null) continue
        const seconds = Math.floor((millisecondsOf(validUntil) - clock.now()) / 1000)
        left.set(purpose, Math.min(seconds, left.get(purpose) ?? seconds))
      }
      return left
    },
  )
}

function addRegistrationEnds(metrics: Metrics, input: Pick<Deps, 'db' | 'clock'>): void {
  const help = 'Seconds until the first registration certificate in use in an environment expires'
  const name = 'vidimus_registration_certificate_seconds_left'
  metrics.gaugeBy('environment', name, help, () => secondsToFirstEnds(input))
}

function addRegisterChecks(metrics: Metrics, input: Pick<Deps, 'db'>): void {
  const help = 'Live entries of national registers by the outcome of the last check: same, drift, failed'
  metrics.gaugeBy('outcome', 'vidimus_register_looks', help, () => countChecks(input))
}

function addDeliveries(metrics: Metrics, { db, clock }: Pick<Deps, 'db' | 'clock'>): void {
  const measure = () => measureQueueAcrossTenants(db, instantOf(clock.now()))
  metrics.gauge('vidimus_webhooks_pending', 'Webhooks still to be delivered', async () => (await measure()).pending)
  metrics.gauge(
    'vidimus_webhooks_oldest_due_seconds',
    'How long the oldest due webhook has waited for a worker',
    async () => (await measure()).oldestDueSeconds,
  )
}

function addDays(metrics: Metrics, world: Pick<Deps, 'db' | 'clock'>): void {
  const read = () => readDayPartitions(world)
  metrics.gauge(
    'vidimus_day_partitions_ahead',
    'How many days ahead, without a gap, have a partition for their verifications',
    async () => (await read()).ahead,
  )
  metrics.gauge(
    'vidimus_unplanned_days',
    'Days with verifications but no partition: their verifications are deleted one by one',
    async () => (await read()).unplanned,
  )
}

/** Whether a list is read again. A file is read only once. */
const isReadAgain = ({ source }: TrustList) => /^https?:/.test(source)

function addLog(metrics: Metrics, { db, config }: Pick<Deps, 'db' | 'config'>): void {
  metrics.gauge('vidimus_log_leaves', 'Leaves of the public log', async () => (await loadLog(db)).size)
  metrics.gauge('vidimus_log_halted', 'Whether the public log has stopped: 1 it has', async () =>
    Number((await loadLog(db)).halted !== null),
  )
  metrics.gaugeBy(
    'witness',
    'vidimus_log_witness_cosigned',
    'Whether a configured witness cosigned the newest checkpoint; 0 also if it never answered',
    async () => {
      const witnesses = await readWitnesses({ db, config })
      const cosigned = new Set(witnesses.filter(({ state }) => state === 'cosigned').map(({ name }) => name))
      // A witness that never answered, or was never asked, also reports 0.
      return new Map(config.witnesses.map(({ key }) => [key.name, Number(cosigned.has(key.name))]))
    },
  )
}

function addRole(metrics: Metrics, { config }: Pick<Deps, 'config'>): void {
  metrics.gaugeBy('role', 'vidimus_role', 'What this process does (api, worker, all): always 1', async () => {
    return new Map([[config.role, 1]])
  })
}

function addStore(metrics: Metrics, { db, clockOffsetMs }: Pick<Deps, 'db' | 'clockOffsetMs'>): void {
  metrics.gauge('vidimus_store_up', 'Whether the store answers, takes writes and has room for them: 1 it does', () =>
    requireRoomForWrites(db.probe).then(
      () => 1,
      () => 0,
    ),
  )
  metrics.gaugeBy(
    'reason',
    'vidimus_store_refused',
    'Whether a store that answers is refused, by reason: two_writers, old_timeline, foreign_server, set_back',
    async () => {
      const { refused, foreign } = db.hosts()
      const isSo = (reason: StoreRefusal) =>
        refused?.refusal === reason || (reason === 'foreign_server' && foreign.length > 0)
      return new Map(STORE_REFUSALS.map((reason) => [reason, Number(isSo(reason))]))
    },
  )
  metrics.gauge('vidimus_store_connections', 'Connections to the store', () => db.stats().total)
  metrics.gauge('vidimus_store_connections_idle', 'Idle connections to the store', () => db.stats().idle)
  metrics.gauge('vidimus_store_waiting', 'Callers waiting for a connection', () => db.stats().waiting)
  metrics.gauge(
    'vidimus_clock_offset_seconds',
    'How far the clock of this machine is behind the store, whose clock is used; negative if it is ahead',
    () => clockOffsetMs() / 1000,
  )
}

function addJobs(metrics: Metrics, { db }: Pick<Deps, 'db'>): void {
  const metric = 'vidimus_job_last_success_timestamp_seconds'
  metrics.gaugeBy('name', metric, 'When the last successful run of a periodic job began, on any replica', async () => {
    const runs = await listLastRuns(db)
    return new Map(runs.map(({ name, ranAt }) => [name, millisecondsOf(ranAt) / 1000]))
  })
}

/** One value per owner. A list that the operator imported applies to all tenants. */
function addTrustLists(metrics: Metrics, { db, clock }: Pick<Deps, 'db' | 'clock'>): void {
  const each = (name: string, help: string, pick: (lists: readonly TrustList[], nowMs: number) => number) =>
    metrics.gaugeBy('owner', name, help, async () => {
      const lists = await listTrustLists(db)
      const owners = Map.groupBy(lists, ({ tenantId }) => (tenantId === null ? 'operator' : 'tenants'))
      return new Map([...owners].map(([owner, own]) => [owner, pick(own, clock.now())]))
    })
  each(
    'vidimus_trust_list_age_seconds',
    'Time since the last read of the trust list that was read longest ago',
    (lists, nowMs) =>
      Math.max(
        0,
        ...lists
          .filter(isReadAgain)
          .map(({ loadedAt, createdAt }) => (nowMs - millisecondsOf(loadedAt ?? createdAt)) / 1000),
      ),
  )
  each(
    'vidimus_trust_list_seconds_left',
    'Seconds until the first trust list expires, which ends the trust in its issuers',
    (lists, nowMs) =>
      Math.min(
        ...lists.map(({ nextUpdateAt }) => (nextUpdateAt === null ? 0 : (millisecondsOf(nextUpdateAt) - nowMs) / 1000)),
      ),
  )
  each(
    'vidimus_trust_lists_failing',
    'Trust lists whose last read failed',
    (lists) => lists.filter(({ failure }) => failure !== null).length,
  )
  each(
    'vidimus_trust_lists_mismatched',
    'Trust lists whose kind is unknown or not the one that was imported, or whose issuers lost their trust',
    (lists) => lists.filter(needsProviders).length,
  )
}
