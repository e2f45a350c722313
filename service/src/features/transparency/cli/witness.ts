// vidimus witness: watches logs for people who do not want to trust the operator alone. It needs no store and no service.

import type { Command } from 'commander'
import type { CliWorld } from '../../../cli/world.ts'
import { CliProblem } from '../../../platform/cli/print.ts'
import { isKeyName, type NoteKey, readNoteKey } from '../../../platform/signed-note.ts'

const MISTAKE = 2

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
      'cosign the checkpoints of logs that only ever grow; run it where the operator of the log cannot reach',
    )
    .requiredOption('--name <name>', 'the name of its key, like witness.example.org/vidimus')
    .requiredOption('--log <key...>', 'keys of the logs, as their /log/key shows them')
    .option('--folder <path>', 'where it keeps its key and what it saw', './witness')
    .option('--host <address>', 'where it listens', '127.0.0.1')
    .option('--port <port>', 'where it listens', '8090')
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
  if (!isKeyName(name)) throw new CliProblem('--name has no spaces and no plus', MISTAKE)
  return name
}

function readLog(text: string): NoteKey {
  const key = readNoteKey(text)
  if (key === null || key.type !== 0x01) throw new CliProblem(`this is no key of a log: ${text}`, MISTAKE)
  return key
}

function checkPort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN
  if (!(port <= 65_535)) throw new CliProblem(`--port must be a port, not '${text}'`, MISTAKE)
  return port
}
