// Uses the PostgreSQL of a data folder in a separate process, and reports commits in JSON lines.

import { createInterface } from 'node:readline'
import { type Db, openDb } from '../../../src/platform/postgres/db.ts'
import { locate } from '../../../src/platform/postgres/embedded/location.ts'
import { startCluster } from '../../../src/platform/postgres/embedded/server.ts'
import { testSealer } from '../servers/master-key.ts'

const WRITERS = 4
const INSERT = { name: 'insert', text: 'insert into written (number) values ($1)' }

const [dataDir = '', systemDir] = process.argv.slice(2)
const began = performance.now()
const realm = await locate(dataDir, systemDir === undefined ? {} : { systemDir })
const postgres = await startCluster(realm)
const db = await openDb({ connection: postgres.connection, sealer: testSealer(), poolMax: WRITERS + 1 })
await db
  .query({ name: 'create', text: 'create table if not exists written (number int primary key)' })
  .catch((error) => {
    // Both processes may find the table missing; either catalogue index may report the conflict.
    if (!['23505', '42P07', '42710'].includes(error.code)) throw error
  })
say({
  event: 'ready',
  adopted: postgres.adopted,
  home: postgres.home,
  ms: Math.round(performance.now() - began),
  written: await written(db),
  admitsAny: await admitsAny(db),
})

let writing: Promise<unknown> | undefined
let stopping = false
for await (const line of createInterface({ input: process.stdin })) {
  const [command, argument = ''] = line.split(' ')
  if (command === 'write') writing = write(Number(argument))
  if (command === 'read') say({ event: 'read', written: await written(db).catch((error) => error.name) })
  if (command === 'stop') break
}
stopping = true
await writing
await db.close()
await postgres.stop()
say({ event: 'stopped' })
process.stdin.destroy()

async function write(from: number): Promise<void> {
  let next = from
  const writer = async () => {
    // bounded: by the process that started this one.
    while (!stopping) {
      const number = next++
      await db.query(INSERT, [number])
      say({ event: 'committed', number })
    }
  }
  await Promise.all(Array.from({ length: WRITERS }, writer))
}

async function written(from: Db): Promise<number[]> {
  const rows = await from.query<{ number: number }>({
    name: 'read',
    text: 'select number from written order by number',
  })
  return rows.map(({ number }) => number)
}

function say(message: object): void {
  process.stdout.write(`${JSON.stringify(message)}\n`)
}

/** Whether every login of the server may connect to the database. */
async function admitsAny(db: Db): Promise<boolean | undefined> {
  const text = `select has_database_privilege('public', current_database(), 'connect') as admitted`
  return (await db.query<{ admitted: boolean }>({ name: 'admits_any', text }))[0]?.admitted
}
