// Delivers webhooks in a worker process until it is killed, with a clock of configurable speed.

import { randomBytes } from 'node:crypto'
import { createAudit } from '../../../src/features/audit/usecases/audit.ts'
import { readDerivedKeys } from '../../../src/features/operator/usecases/keep-derived-keys.ts'
import { startDeliveries } from '../../../src/features/webhooks/jobs/deliveries.ts'
import { readConfig } from '../../../src/platform/config/config.ts'
import { makeEgress } from '../../../src/platform/egress/client.ts'
import { makePolicy } from '../../../src/platform/egress/policy.ts'
import { createBatcher } from '../../../src/platform/event-loop/batch.ts'
import { createLog } from '../../../src/platform/log/log.ts'
import { createMetrics } from '../../../src/platform/metrics/metrics.ts'
import { openDb } from '../../../src/platform/postgres/db.ts'
import { NO_REMOTE_KEYS } from '../keys/no-remote-keys.ts'
import { testSealer } from '../servers/master-key.ts'

export interface WorkerOrder {
  readonly databaseUrl: string
  /** The time of the fast clock at `realMs`. */
  readonly nowMs: number
  readonly realMs: number
  /** How many milliseconds the clock advances per real millisecond. */
  readonly speed: number
}

if (import.meta.main) {
  const order: WorkerOrder = JSON.parse(process.argv[2] ?? '')
  const config = readConfig({ VIDIMUS_EGRESS_ALLOW: '127.0.0.1/32', VIDIMUS_BASE_URL: 'https://verify.example.com' })
  const random = (size: number) => new Uint8Array(randomBytes(size))
  const egress = makeEgress({ policy: makePolicy({ environment: 'test', allow: config.egressAllow }) })
  const db = await openDb({ connection: { url: order.databaseUrl }, sealer: testSealer(), poolMax: 3 })
  const clock = { now: () => order.nowMs + (Date.now() - order.realMs) * order.speed }
  const deps = {
    batcher: createBatcher(),
    config,
    db,
    clock,
    random,
    audit: createAudit({ random, derivedKeys: await readDerivedKeys({ db, remoteKeys: NO_REMOTE_KEYS }) }),
    egress: { test: egress, live: egress },
    log: createLog('silent', () => undefined),
    metrics: createMetrics(),
    traces: null,
  }
  // If the parent has ended, nothing else stops this process.
  process.once('disconnect', () => process.exit())
  process.once('message', () => void startDeliveries(deps, 20))
  process.send?.('ready')
}
