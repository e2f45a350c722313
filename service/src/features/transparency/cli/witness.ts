// vidimus witness: cosigns checkpoints of logs, so that users need not trust the operator alone. A witness needs no store.

import type { Command } from 'commander'
import type { CliWorld } from '../../../cli/world.ts'
import { CliProblem } from '../../../platform/cli/print.ts'
import { isKeyName, type NoteKey, readNoteKey } from '../../../platform/signed-note.ts'

const WRONG_OPTIONS = 2

interface Options {
  readonly name: string
  readonly log: readonly string[]
  readonly folder: string
  readonly host: string
  readonly port: string
}

export function addWitnessCommand(program: Command, world: CliWorld): void {
  program
    .command('witness')
    .description(
      'cosign the checkpoints of logs that only grow; run it on a machine that the log operator cannot access',
    )
    .requiredOption('--name <name>', 'the name of its key, like witness.example.org/vidimus')
    .requiredOption('--log <key...>', 'keys of the logs, as their /log/key shows them')
    .option('--folder <path>', 'where it stores its key and the checkpoints it saw', './witness')
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--port <port>', 'port to listen on', '8090')
    .action(async (options: Options) => {
      const { folder, host } = options
      await world.serveWitness({
        name: checkName(options.name),
        logs: options.log.map(readLog),
        folder,
        host,
        port: checkPort(options.port),
      })
    })
}

function checkName(name: string): string {
  if (!isKeyName(name)) throw new CliProblem('--name must not contain spaces or "+"', WRONG_OPTIONS)
  return name
}

function readLog(text: string): NoteKey {
  const key = readNoteKey(text)
  if (key === null || key.type !== 0x01) throw new CliProblem(`this is not the key of a log: ${text}`, WRONG_OPTIONS)
  return key
}

function checkPort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN
  if (!(port <= 65_535)) throw new CliProblem(`--port must be a port, not '${text}'`, WRONG_OPTIONS)
  return port
}
