// Diagnoses store, schema, clock, keys and the OpenID provider for the operator, with remedies.

import { isContentOverdue } from '../../../core/verifications/usecases/forgetting/forget-due-content.ts'
import type { Deps } from '../../../deps.ts'
import type { Diagnosis } from '../../../platform/diagnosis.ts'
import { listWaitingParts, type WaitingPart } from '../../../platform/postgres/late-migrations.ts'
import { type MigrationState, migrationState } from '../../../platform/postgres/migrate.ts'
import { listLeftoverStatistics, readErrorVerbosity } from '../../../platform/postgres/statistics.ts'
import { requireRoom } from '../../../platform/postgres/writes.ts'
import { StoreUnavailable } from '../../../platform/store-unavailable.ts'
import { diagnoseTrails } from '../../audit/index.ts'
import { diagnoseMail } from '../../mail/index.ts'
import { diagnoseRegisters, diagnoseRegistrations, diagnoseRequests } from '../../registration/index.ts'
import { readDayPartitions } from '../../retention/index.ts'
import { canAskProvider } from '../../staff/index.ts'
import { diagnoseLog } from '../../transparency/index.ts'
import { diagnoseOrigins, diagnoseTrust } from '../../trust/index.ts'
import { tenantsWithPlainHttpWebhooks } from '../../webhooks/index.ts'
import { diagnoseKeys } from './diagnose-keys.ts'
import { diagnoseCopies } from './moving/delete-copies.ts'
import { diagnoseArrivals } from './moving/open-arrived-tenants.ts'
import { masterKeyIds } from './rotate-master-key.ts'

/** A clock that is off by more than this is a fault of the machine. Presentations are checked only to the minute. */
const CLOCK_OFFSET_MS_MAX = 2_000

/** The dependencies of all diagnoses. */
export type DiagnosedDeps = Parameters<typeof diagnoseStore>[0] &
  Parameters<typeof diagnoseTrails>[0] &
  Parameters<typeof diagnoseProvider>[0] &
  Parameters<typeof diagnoseTrust>[0] &
  Parameters<typeof diagnoseArrivals>[0] &
  Pick<Deps, 'clockOffsetMs' | 'budgets' | 'mail' | 'registrations'>

export async function diagnose(deps: DiagnosedDeps): Promise<Diagnosis[]> {
  return [
    ...(await diagnoseStore(deps)),
    await diagnoseTrails(deps),
    ...(await diagnoseLog(deps)),
    ...(await diagnoseContent(deps)),
    ...(await diagnoseDays(deps)),
    diagnoseClock(deps),
    ...diagnoseConfiguration(deps),
    ...diagnoseMasterKeys(deps),
    ...(await diagnoseKeys(deps)),
    ...(await diagnoseBudgets(deps)),
    ...(await diagnoseProvider(deps)),
    ...(await diagnoseMail(deps)),
    ...(await diagnoseTrust(deps)),
    ...(await diagnoseRegisters(deps)),
    ...(await diagnoseRegistrations(deps)),
    ...(await diagnoseRequests(deps)),
    ...(await diagnoseWebhooks(deps)),
    ...(await diagnoseOrigins(deps)),
    ...(await diagnoseArrivals(deps)),
    ...(await diagnoseCopies(deps)),
  ]
}

async function diagnoseStore(deps: Pick<Deps, 'db' | 'config' | 'storeShared'>): Promise<Diagnosis[]> {
  const where = deps.config.databaseUrl === null ? 'embedded' : 'DATABASE_URL'
  const store: Diagnosis = {
    area: 'store',
    status: 'ok',
    finding: `PostgreSQL ${deps.db.server.version} answers (${where})`,
  }
  const shared: Diagnosis = {
    area: 'store',
    status: 'warning',
    finding: 'the embedded PostgreSQL runs as the user "nobody": every process of that user can reach it',
    remedy: 'create a user for it (`useradd --system vidimus`) and start again, or set DATABASE_URL',
  }
  const schema = diagnoseSchema(await migrationState(deps.db))
  return [
    store,
    ...diagnoseHosts(deps),
    ...(deps.storeShared ? [shared] : []),
    ...(await diagnoseRoom(deps)),
    schema,
    ...(await listWaitingParts(deps.db)).map(describeWaiting),
    ...(await diagnoseStatistics(deps)),
    ...(await diagnoseErrorLog(deps)),
  ]
}

async function diagnoseRoom({ db }: Pick<Deps, 'db'>): Promise<Diagnosis[]> {
  try {
    await requireRoom(db)
    return []
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error
    const remedy = 'free space on the disk of PostgreSQL, or give it a larger one; acknowledged data is safe'
    return [{ area: 'store', status: 'problem', finding: `takes no writes: ${error.message}`, remedy }]
  }
}

/** If two servers are writable or one lags, opening the store already fails, and the command reports that error. */
function diagnoseHosts({ db }: Pick<Deps, 'db'>): Diagnosis[] {
  const { foreign, compared } = db.hosts()
  const strangers = foreign.map(
    (name): Diagnosis => ({
      area: 'store',
      status: 'problem',
      finding: `${name} belongs to another PostgreSQL cluster (another system identifier) and is not used`,
      remedy: 'list only a primary and its own standbys in DATABASE_URL',
    }),
  )
  const blind: Diagnosis = {
    area: 'store',
    status: 'warning',
    finding:
      'the role may not read system identifier and timeline, so a revived old primary cannot be distinguished from the new one',
    remedy:
      'grant execute on function pg_control_system(), pg_control_checkpoint(), pg_walfile_name(pg_lsn), pg_current_wal_lsn() to the role of DATABASE_URL',
  }
  return [...strangers, ...(compared ? [] : [blind])]
}

/** A migration removes these values if its role may do so and no lock delays it. */
async function diagnoseStatistics({ db }: Pick<Deps, 'db'>): Promise<Diagnosis[]> {
  const columns = await listLeftoverStatistics(db)
  if (columns.length === 0) return []
  const finding = `PostgreSQL's statistics still contain values of ${columns.join(', ')}, including values of erased rows`
  const remedy =
    'as a superuser: delete from pg_statistic s using pg_attribute a where a.attrelid = s.starelid and a.attnum = s.staattnum and a.attstattarget = 0'
  return [{ area: 'store', status: 'problem', finding, remedy }]
}

async function diagnoseErrorLog({ db }: Pick<Deps, 'db'>): Promise<Diagnosis[]> {
  const verbosity = await readErrorVerbosity(db)
  if (verbosity === 'terse') return []
  const finding = `PostgreSQL's log of errors can have values of rows (log_error_verbosity = ${verbosity})`
  const remedy = 'set log_error_verbosity = terse in the configuration of the server and reload it'
  return [{ area: 'store', status: 'warning', finding, remedy }]
}

function diagnoseSchema(found: MigrationState): Diagnosis {
  const remedies = { behind: 'run `vidimus migrate`', ahead: 'run the newer release everywhere' } as const
  if (found.state === 'refused')
    return {
      area: 'schema',
      status: 'problem',
      finding: found.reason,
      remedy: 'restore the migration files of this release',
    }
  const finding = `${found.applied} migrations applied, ${found.known} known to this release`
  if (found.state === 'current') return { area: 'schema', status: 'ok', finding }
  return {
    area: 'schema',
    status: found.state === 'behind' ? 'problem' : 'warning',
    finding,
    remedy: remedies[found.state],
  }
}

/** Waiting is not a problem: meanwhile, every release can read what is written. */
function describeWaiting({ name, readableFrom, olderProcesses }: WaitingPart): Diagnosis {
  const from = String(readableFrom).padStart(4, '0')
  return {
    area: 'schema',
    status: 'warning',
    finding:
      olderProcesses === 0
        ? `the late part of migration ${name} is not in force yet`
        : `the late part of migration ${name} waits: ${olderProcesses} connected processes have a release before ${from}`,
    remedy:
      olderProcesses === 0
        ? 'run `vidimus migrate`, or wait for the job apply-late-migrations'
        : 'run the same release everywhere. The late part is then in force within five minutes, and you can no longer go back to an earlier release',
  }
}

async function diagnoseContent(deps: Pick<Deps, 'db' | 'clock'>): Promise<Diagnosis[]> {
  if (!(await isContentOverdue(deps))) return []
  const finding = 'content that should have been forgotten is still in the store'
  const remedy =
    'make sure that a process with VIDIMUS_ROLE=all or worker runs, and check its log for the job forget-held-content'
  return [{ area: 'content', status: 'problem', finding, remedy }]
}

/** There are no partitions ahead if no worker has run yet. */
async function diagnoseDays(deps: Pick<Deps, 'db' | 'clock'>): Promise<Diagnosis[]> {
  const { ahead, unplanned } = await readDayPartitions(deps)
  if (unplanned === 0) return []
  const finding = `verifications of ${unplanned} days have no partition and are deleted one by one; ${ahead} days ahead have one`
  const remedy = 'check the log of the workers for the job make-days: it cannot work while a table stays locked'
  return [{ area: 'store', status: 'warning', finding, remedy }]
}

function diagnoseClock(deps: Pick<Deps, 'clockOffsetMs'>): Diagnosis {
  const offset = Math.round(deps.clockOffsetMs())
  if (Math.abs(offset) <= CLOCK_OFFSET_MS_MAX)
    return { area: 'clock', status: 'ok', finding: `${offset} ms from the store's` }
  return {
    area: 'clock',
    status: 'warning',
    finding: `this machine's clock is ${offset} ms from the store's`,
    remedy: 'run a time service such as chrony; until then, Vidimus follows the clock of the store',
  }
}

function diagnoseConfiguration(deps: Pick<Deps, 'config'>): Diagnosis[] {
  const { config } = deps
  const findings: Diagnosis[] = []
  if (!config.baseUrl.startsWith('https:')) {
    findings.push({
      area: 'base URL',
      status: config.production ? 'problem' : 'warning',
      finding: `${config.baseUrl} is not https: wallets other than the test wallet will refuse it`,
      remedy: 'set VIDIMUS_BASE_URL to the https address that a TLS proxy serves',
    })
  }
  if (config.egressAllow.length > 0) {
    findings.push({
      area: 'egress',
      status: 'warning',
      finding: 'VIDIMUS_EGRESS_ALLOW opens non-public addresses to outbound requests',
      remedy: 'unset it outside tests and development',
    })
  }
  return findings
}

/** While a leaked key is configured, the service still accepts what an attacker seals with it. */
function diagnoseMasterKeys(deps: Pick<Deps, 'db'>): Diagnosis[] {
  const [, ...earlier] = masterKeyIds(deps)
  if (earlier.length === 0) return []
  const finding = `earlier keys can still decrypt: ${earlier.join(', ')}`
  const remedy =
    'run `vidimus master-key rotate` until nothing is sealed with them, then remove them from VIDIMUS_MASTER_KEYS_READABLE'
  return [{ area: 'master key', status: 'warning', finding, remedy }]
}

async function diagnoseBudgets({ budgets }: Pick<Deps, 'budgets'>): Promise<Diagnosis[]> {
  const shared = await budgets.reach()
  if (shared === null) return []
  if (shared.isUp) return [{ area: 'Redis', status: 'ok', finding: 'answers: replicas share their rate budgets' }]
  return [
    {
      area: 'Redis',
      status: 'warning',
      finding: `does not answer (${shared.reason}): each replica has its own rate budgets, so together they allow more`,
      remedy: 'start it, or correct REDIS_URL; the service reconnects automatically',
    },
  ]
}

async function diagnoseProvider(deps: Pick<Deps, 'oidc' | 'config' | 'random'>): Promise<Diagnosis[]> {
  const reachable = await canAskProvider(deps)
  if (reachable === null) return []
  const { issuer, failure } = reachable
  if (failure === null) return [{ area: 'OpenID provider', status: 'ok', finding: `${issuer} answers` }]
  const finding = `${issuer} cannot be used: ${failure}`
  const remedy =
    'check VIDIMUS_OIDC_ISSUER, to the last character; a provider that is not public needs VIDIMUS_EGRESS_ALLOW'
  return [{ area: 'OpenID provider', status: 'problem', finding, remedy }]
}

async function diagnoseWebhooks(deps: Pick<Deps, 'db' | 'clock'>): Promise<Diagnosis[]> {
  return (await tenantsWithPlainHttpWebhooks(deps)).map((tenantId) => ({
    area: 'webhooks',
    status: 'warning',
    finding: `${tenantId}: live webhooks were sent over plain http within the last 30 days, where the network can read them`,
    remedy: `ask the tenant to move them to https, then run \`vidimus settings ${tenantId} --live-webhooks-https-only on\``,
  }))
}
