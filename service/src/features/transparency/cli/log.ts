// vidimus log new-epoch: continues the public log after a restore, with a statement of what was lost.

import { readFile, writeFile } from 'node:fs/promises'
import type { Command } from 'commander'
import type { CliWorld } from '../../../cli/world.ts'
import { answer, CliProblem } from '../../../platform/cli/print.ts'
import { lostIn } from '../domain/log/epoch.ts'
import { type EpochState, goOnWithEpoch, prepareEpoch } from '../usecases/open-epoch.ts'

interface Options {
  readonly reason?: string
  readonly checkpoint?: readonly string[]
  readonly epoch?: readonly string[]
  readonly replace?: true
  readonly out?: string
}

const WAITS = 2

export function addLogCommands(program: Command, world: CliWorld): Command {
  const log = program.command('log').description('the public log: new-epoch, use-key')
  log
    .command('new-epoch')
    .description(
      'after a restore: have witnesses cosign what was lost, then continue the log; without --reason, ask the witnesses again',
    )
    .option('--reason <text>', 'why, in one line; public, like the statement itself')
    .option('--checkpoint <file...>', 'stored checkpoints of the log from before the restore')
    .option('--epoch <file...>', 'statements of epochs that began after the backup was made')
    .option('--replace', 'replace a waiting statement that no witness has cosigned')
    .option('--out <file>', "where the statement is written, for the witnesses' operators")
    .action(async (options: Options, command: Command) => {
      const kept = await Promise.all((options.checkpoint ?? []).map(textOf))
      const epochs = await Promise.all((options.epoch ?? []).map(textOf))
      const state = await world.withDeps(async (deps) => {
        if (options.reason === undefined) return (await goOnWithEpoch(deps)) ?? 'no epoch waits: --reason makes one'
        return prepareEpoch(deps, { reason: options.reason, kept, epochs, isReplacing: options.replace === true })
      })
      if (typeof state === 'string') throw new CliProblem(state)
      if (options.out !== undefined) await writeFile(options.out, state.text)
      conclude(world, command, state)
    })
  return log
}

function conclude(world: CliWorld, command: Command, { statement, text, cosigned, waiting, isOpen }: EpochState): void {
  const { mark, restored, witnessed } = statement
  const lost = `Leaves ${restored.size} to ${witnessed.size - 1} are ${lostIn(statement)}.`
  const witnesses = cosigned.length === 0 ? [] : [`Cosigned by ${cosigned.join(', ')}.`]
  const next = isOpen
    ? [`Epoch ${mark.number} is open: the log continues.`]
    : [
        `Waiting for ${waiting.join(', ')}: their operators run \`vidimus accept-epoch\` with this statement.`,
        'The service asks them every minute and opens the epoch once all have cosigned; `vidimus log new-epoch` asks now.',
      ]
  const json = {
    epoch: mark.number,
    is_open: isOpen,
    lost_from: restored.size,
    lost_to: witnessed.size,
    cosigned,
    waiting,
    statement: text,
  }
  answer(world, command, { json, text: [lost, ...witnesses, ...next, '', text.trimEnd()].join('\n') })
  if (!isOpen) throw new CliProblem('the log is still halted', WAITS)
}

async function textOf(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => {
    throw new CliProblem(`the file ${path} cannot be read`)
  })
}
