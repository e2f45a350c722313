// Changes the master key of a database in a process that a test kills, and reports each finished column.

import { readDerivedKeys } from '../../../src/features/operator/usecases/keep-derived-keys.ts'
import { rotateMasterKey } from '../../../src/features/operator/usecases/rotate-master-key.ts'
import { openDb } from '../../../src/platform/postgres/db.ts'
import { NO_REMOTE_KEYS } from '../keys/no-remote-keys.ts'
import { testSealer } from '../servers/master-key.ts'

const [url = '', next = '', old = ''] = process.argv.slice(2)
const sealer = testSealer(Buffer.from(next, 'hex'), [Buffer.from(old, 'hex')])
const db = await openDb({ connection: { url }, sealer, poolMax: 2, applicationName: 'vidimus test ~9999' })
await readDerivedKeys({ db, remoteKeys: NO_REMOTE_KEYS })
const rotation = await rotateMasterKey({ db, clock: { now: () => Date.now() } }, (column, { resealed }) => {
  process.stdout.write(`${column} ${resealed}\n`)
})
process.stdout.write(`${rotation.outcome} ${rotation.left}\n`)
await db.close()
