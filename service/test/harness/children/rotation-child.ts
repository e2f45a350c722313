// A process that changes the master key of a database, for a test that kills it: it says when each column is done.

import { randomBytes } from 'node:crypto'
import { rotateMasterKey } from '../../../src/features/operator/usecases/rotate-master-key.ts'
import { openDb } from '../../../src/platform/postgres/db.ts'
import { createSealer } from '../../../src/platform/seal/seal.ts'

const [url = '', next = '', old = ''] = process.argv.slice(2)
const random = (size: number) => new Uint8Array(randomBytes(size))
const db = await openDb({ connection: { url }, poolMax: 2, applicationName: 'vidimus test' })
const sealer = createSealer(Buffer.from(next, 'hex'), random, [Buffer.from(old, 'hex')])
const rotation = await rotateMasterKey({ db, sealer, clock: { now: () => Date.now() } }, (column, { resealed }) => {
  process.stdout.write(`${column} ${resealed}\n`)
})
process.stdout.write(`${rotation.outcome} ${rotation.left}\n`)
await db.close()
