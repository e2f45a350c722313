// Runs a witness as a process: a folder, a key and a port, without the service.

import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { WitnessOptions } from './cli/world.ts'
import { createWitnessServer } from './features/transparency/http/witness-server.ts'
import { openWitnessFiles } from './features/transparency/store/witness-files.ts'
import { createCosigning } from './features/transparency/usecases/cosign-checkpoint.ts'
import { processOf } from './platform/running-process.ts'
import { noteSigner, renderNoteKey } from './platform/signed-note.ts'
import { untilAborted, watchStopSignals } from './platform/stop-signals.ts'

const randomOf = (size: number) => new Uint8Array(randomBytes(size))

/** Stops at the first signal. Everything that the witness has seen is already on disk. */
export async function serveWitness({ name, logs, folder, host, port }: WitnessOptions): Promise<void> {
  const stopping = watchStopSignals()
  const self = processOf(process.pid) ?? { pid: process.pid, begin: '' }
  const files = await openWitnessFiles(folder, { random: randomOf, self, processOf })
  const signer = noteSigner(name, 0x04, files.seed)
  const clock = { now: () => Date.now() }
  const server = createWitnessServer(createCosigning({ clock, files, signer, logs }))
  try {
    server.listen(port, host)
    await once(server, 'listening')
    const { port: listening } = server.address() as AddressInfo
    process.stdout.write(`${renderNoteKey(signer)}\nlistening on http://${host}:${listening}\n`)
    await untilAborted(stopping)
    server.close()
    server.closeAllConnections()
  } finally {
    await files.close()
  }
}
