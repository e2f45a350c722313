// vidimus accept-epoch: a witness's operator decides whether the witness follows a log after its restore.

import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import type { CliWorld } from '../../../cli/world.ts'
import { answer, CliProblem } from '../../../platform/cli/print.ts'
import { isKeyName, readNoteKey } from '../../../platform/signed-note.ts'
import { type EpochStatement, lostIn } from '../domain/log/epoch.ts'
import { acceptEpoch } from '../usecases/accept-epoch.ts'

const MISTAKE = 2

interface Options {
  readonly name: string
  readonly log: string
  readonly folder: string
  readonly accept?: true
  readonly unproven?: true
}

export function addAcceptEpochCommand(program: Command, world: CliWorld): void {
  program
    .command('accept-epoch')
    .description(
      "for the operator of a witness: show a log's statement of a new epoch and, with --accept, let the witness cosign it",
    )
    .argument('<file>', 'the statement, as `vidimus log new-epoch` wrote it')
    .requiredOption('--name <name>', "the name of the witness's key")
    .requiredOption('--log <key>', 'the key of the log, as you gave it to the witness')
    .option('--folder <path>', "the witness's folder; the witness may be running", './witness')
    .option('--accept', 'the witness follows: it gives up the leaves that the statement names')
    .option('--unproven', 'also where the witness itself has not cosigned what the log goes back to')
    .action(async (file: string, options: Options, command: Command) => {
      const text = await readFile(file, 'utf8').catch(() => {
        throw new CliProblem(`the file ${file} cannot be read`, MISTAKE)
      })
      await accept(world, command, { text, options })
    })
}

async function accept(
  world: CliWorld,
  command: Command,
  { text, options }: { readonly text: string; readonly options: Options },
): Promise<void> {
  const key = readNoteKey(options.log)
  if (key === null || !isKeyName(options.name)) throw new CliProblem('--log or --name is not a valid key', MISTAKE)
  const isAccepting = options.accept === true
  const { folder, name } = options
  const witness = { folder, name, log: key }
  const statement = await acceptEpoch(witness, text, { isAccepting, isUnproven: options.unproven === true })
  if (typeof statement === 'string') throw new CliProblem(`not accepted: ${statement}`)
  const json = { epoch: statement.mark.number, accepted: isAccepting, reason: statement.reason }
  answer(world, command, { json, text: say(statement, isAccepting) })
}

const say = (statement: EpochStatement, isAccepted: boolean) =>
  [
    `${statement.origin}: leaves ${statement.restored.size} to ${statement.witnessed.size - 1} are ${lostIn(statement)}.`,
    isAccepted
      ? 'Accepted: the witness cosigns this statement when the log asks it.'
      : 'Nothing was accepted. Ask the operator of the log what happened; then run this again with --accept.',
  ].join('\n')
