// A process that lets the log grow, to be killed while it does.

import { readConfig } from '../../../src/config.ts'
import { growLog } from '../../../src/usecases/log/grow-log.ts'
import { openWorld } from '../../../src/wire.ts'

const world = await openWorld(readConfig(process.env), (line) => void process.stderr.write(line))
await growLog(world.deps)
await world.close()
