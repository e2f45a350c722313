// Starts a service on its own test server that aborts or delays creations in the middle of their commit.

import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { assembleDeps } from '../../src/assemble.ts'
import type { Deps } from '../../src/deps.ts'
import { buildApp } from '../../src/http-server.ts'
import { readConfig } from '../../src/platform/config/config.ts'
import type { App } from '../../src/platform/http/app.ts'
import { createLog } from '../../src/platform/log/log.ts'
import { openDb } from '../../src/platform/postgres/db.ts'
import { migrate } from '../../src/platform/postgres/migrate.ts'
import { testSealer } from '../harness/servers/master-key.ts'
import type { OwnPostgres } from '../harness/servers/own-postgres.ts'
import { GENEROUS } from '../harness/service.ts'

/**
 * `dies`: the connection ends before the commit is written. `waits`: the commit is written and waits for a missing
 * standby.
 */
export type AtCommit = 'passes' | 'dies' | 'waits'

export interface StallingService {
  readonly deps: Deps
  readonly app: App
  /** From the next creation on. */
  atCommit(mode: AtCommit): Promise<void>
  /** Returns the backends whose commit is written and waits. */
  waiting(): Promise<number[]>
  close(): Promise<void>
}

const DATABASE = 'stalled_commits'
const TRIGGER = `
  create table at_commit (mode text not null);
  insert into at_commit values ('passes');
  create function at_commit() returns trigger language plpgsql as $$ begin
    if (select mode from at_commit) = 'dies' then perform pg_terminate_backend(pg_backend_pid()); end if;
    if (select mode from at_commit) = 'waits' then perform set_config('synchronous_commit', 'on', true); end if;
    return null;
  end $$;
  create constraint trigger at_commit after insert on verifications deferrable initially deferred
    for each row execute function at_commit()`
/** Longer than even a busy machine takes. */
const PATIENT = { acquireTimeoutMs: 60_000, answers: { begin: 0, statement: 120_000, commit: 120_000 } }

export async function serviceWithStalledCommits(server: OwnPostgres): Promise<StallingService> {
  await server.ask(`create database ${DATABASE}`)
  const url = server.url.replace(/postgres$/, DATABASE)
  await migrate({ connection: { url } })
  await askAt(url, TRIGGER)
  // One connection, so that its settings apply to everything that the service writes.
  const db = await openDb({ connection: { url }, sealer: testSealer(), poolMax: 1, ...PATIENT })
  const { deps, close } = await assembleDeps({
    config: { ...readConfig({ VIDIMUS_BASE_URL: 'https://verify.example.com' }), ...GENEROUS },
    db,
    clock: { now: Date.now },
    clockOffsetMs: () => 0,
    random: (size) => new Uint8Array(randomBytes(size)),
    log: createLog('silent', () => undefined),
  })
  const app = buildApp(deps, 'at first use')
  await app.ready()
  return {
    deps,
    app,
    async atCommit(mode) {
      await nameStandby(server, null)
      await askAt(url, `update at_commit set mode = '${mode}'`)
      if (mode !== 'waits') return
      await db.query({ name: 'test_wait_for_nobody', text: 'set synchronous_commit = local' })
      await nameStandby(server, 'nobody')
    },
    async waiting() {
      const text = `select pid from pg_stat_activity where datname = '${DATABASE}' and wait_event = 'SyncRep'`
      return (await server.ask<{ pid: number }>(text)).map(({ pid }) => pid)
    },
    async close() {
      await nameStandby(server, null)
      await app.close()
      await close()
      await db.close()
    },
  }
}

/** The server applies it a moment later; then commits that wait for the removed standby continue. */
async function nameStandby(server: OwnPostgres, name: string | null): Promise<void> {
  const change = name === null ? 'reset synchronous_standby_names' : `set synchronous_standby_names = '${name}'`
  await server.ask(`alter system ${change}`)
  await server.ask('select pg_reload_conf()')
}

async function askAt(url: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(text)
  } finally {
    await client.end()
  }
}
