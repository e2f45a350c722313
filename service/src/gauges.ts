// What /metrics asks the store each time it is read. While the store is away the others still count, and are needed most.

import type { Deps } from './deps.ts'
import { instantOf, millisecondsOf } from './domain/world.ts'
import type { Metrics } from './metrics.ts'
import { loadLogHead } from './store/log/log.ts'
import { measureQueueAcrossTenants } from './store/webhooks/deliveries.ts'
import { countUnguarded } from './usecases/audit/keep-checkpoints.ts'
import { readWitnesses } from './usecases/log/diagnose-log.ts'
import { countLooks } from './usecases/registration/look-at-register.ts'
import { secondsToFirstEnds } from './usecases/registration/watch-registrations.ts'
import { listCertificates } from './usecases/trust/manage-certificates.ts'

export function addGauges(metrics: Metrics, world: Pick<Deps, 'db' | 'clock' | 'config'>): void {
  addPool(metrics, world.db)
  addCertificates(metrics, world)
  addDeliveries(metrics, world)
  addTrails(metrics, world)
  addLog(metrics, world)
  addRegistrationEnds(metrics, world)
  addRegisterLooks(metrics, world)
}

/** Below zero it has ended. The least of all that are in use for a purpose, tenants' own included. */
function addCertificates(metrics: Metrics, { db, clock }: Pick<Deps, 'db' | 'clock'>): void {
  metrics.gaugeBy(
    'purpose',
    'vidimus_access_certificate_seconds_left',
    'Until the first certificate in use for a purpose ends',
    async () => {
      const left = new Map<string, number>()
      for (const { state, purpose, validUntil } of await listCertificates({ db }).catch(() => [])) {
        if (state !== 'current' || validUntil === null) continue
        const seconds = Math.floor((millisecondsOf(validUntil) - clock.now()) / 1000)
        left.set(purpose, Math.min(seconds, left.get(purpose) ?? seconds))
      }
      return left
    },
  )
}

function addRegistrationEnds(metrics: Metrics, input: Pick<Deps, 'db' | 'clock'>): void {
  const help = 'Until the first registration certificate in use in an environment ends'
  const name = 'vidimus_registration_certificate_seconds_left'
  metrics.gaugeBy('environment', name, help, () => secondsToFirstEnds(input))
}

function addRegisterLooks(metrics: Metrics, input: Pick<Deps, 'db'>): void {
  const help = 'Live entries of national registers by how the last look at them ended: same, drift, failed'
  metrics.gaugeBy('outcome', 'vidimus_register_looks', help, () => countLooks(input))
}

function addDeliveries(metrics: Metrics, { db, clock }: Pick<Deps, 'db' | 'clock'>): void {
  const unknown = { pending: Number.NaN, oldestDueSeconds: Number.NaN }
  const measure = () => measureQueueAcrossTenants(db, instantOf(clock.now())).catch(() => unknown)
  metrics.gauge('vidimus_webhooks_pending', 'Webhooks still to be delivered', async () => (await measure()).pending)
  metrics.gauge(
    'vidimus_webhooks_oldest_due_seconds',
    'How long the oldest due webhook has waited for a worker',
    async () => (await measure()).oldestDueSeconds,
  )
}

function addTrails(metrics: Metrics, input: Pick<Deps, 'db' | 'clock'>): void {
  const unknown = { withoutCheckpoint: Number.NaN, withoutMac: Number.NaN }
  const count = () => countUnguarded(input).catch(() => unknown)
  metrics.gauge(
    'vidimus_audit_chains_without_checkpoint',
    'Audit chains that have entries and should have a checkpoint, but have none',
    async () => (await count()).withoutCheckpoint,
  )
  metrics.gauge(
    'vidimus_audit_chains_without_seal',
    'Audit chains whose head has no MAC of this service',
    async () => (await count()).withoutMac,
  )
}

function addLog(metrics: Metrics, { db, config }: Pick<Deps, 'db' | 'config'>): void {
  const head = () => loadLogHead(db).catch(() => null)
  metrics.gauge('vidimus_log_leaves', 'Leaves of the public log', async () => (await head())?.size ?? Number.NaN)
  metrics.gauge('vidimus_log_halted', 'Whether the public log has stopped: 1 it has', async () => {
    const known = await head()
    return known === null ? Number.NaN : Number(known.halted !== null)
  })
  metrics.gaugeBy(
    'witness',
    'vidimus_log_witness_cosigned',
    'Whether a witness stands behind the newest checkpoint',
    async () => {
      const said = await readWitnesses({ db, config }).catch(() => [])
      return new Map(said.map(({ name, state }) => [name, Number(state === 'cosigned')]))
    },
  )
}

function addPool(metrics: Metrics, db: Pick<Deps['db'], 'stats'>): void {
  metrics.gauge('vidimus_store_connections', 'Connections to the store', () => db.stats().total)
  metrics.gauge('vidimus_store_connections_idle', 'Idle connections to the store', () => db.stats().idle)
  metrics.gauge('vidimus_store_waiting', 'Callers waiting for a connection', () => db.stats().waiting)
}
