// Appends to the log in a process until a test kills it.

import { openWorld } from '../../../src/assemble.ts'
import { growLog } from '../../../src/features/transparency/usecases/grow-log.ts'
import { readConfig } from '../../../src/platform/config/config.ts'

const world = await openWorld(readConfig(process.env), (line) => void process.stderr.write(line))
await growLog(world.deps)
await world.close()
