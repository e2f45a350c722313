// Commands for a restored backup: `vidimus restore check`, `vidimus audit replay-erasures`.

import type { Command } from 'commander'
import type { CliWorld } from '../../../cli/world.ts'
import { linesOf, readable } from '../../../platform/cli/files.ts'
import { answer, CliProblem } from '../../../platform/cli/print.ts'
import { checkRestore } from '../usecases/check-restore.ts'
import { closeMovedAway } from '../usecases/moving/moved-away.ts'
import { type Replay, replayErasures } from '../usecases/replay-erasures.ts'

const WRONG_OPTIONS = 3
/** The exit code of `vidimus audit` for a signature or key that does not match. */
const UNTRUSTED = 4

export function addReplayErasures(audit: Command, world: CliWorld): void {
  audit
    .command('replay-erasures')
    .description('after restoring a backup: repeat the erasures and revocations of a newer export')
    .requiredOption('--export <file>', 'as `vidimus audit export` wrote it')
    .action(async (options: { export: string }, command: Command) => {
      await readable(options.export)
      const replay = await world.withDeps(async (deps) => {
        const replayed = await replayErasures(deps, () => linesOf(options.export))
        if (replayed.outcome === 'replayed' && replayed.movedTo !== null)
          await closeMovedAway(deps, replayed.realm.tenantId, replayed.movedTo)
        return replayed
      })
      if (replay.outcome === 'refused') throw new CliProblem(`nothing was erased: ${replay.problem}`, UNTRUSTED)
      answer(world, command, { json: jsonOf(replay), text: textOf(replay) })
    })
}

type Replayed = Extract<Replay, { outcome: 'replayed' }>

const jsonOf = ({ erased, forgotten, alreadyGone, revoked, unknown, unpaired, byHand, movedTo }: Replayed) => ({
  erased,
  forgotten,
  already_gone: alreadyGone,
  revoked,
  unknown,
  unpaired,
  by_hand: byHand,
  moved_to: movedTo,
})

const textOf = ({ erased, forgotten, alreadyGone, revoked, unknown, unpaired, byHand, movedTo }: Replayed) =>
  [
    `Erased ${erased} again and forgot the content of ${forgotten}; ${alreadyGone} were gone already.`,
    `${revoked} revocations, removals and other endings are repeated; ${unknown} are of what is not in the backup.`,
    ...(unpaired === 0
      ? []
      : [`${unpaired} devices must be paired again: make new pairing codes for them at the dashboard.`]),
    ...(movedTo === null ? [] : [`The tenant has moved to ${movedTo}: it is closed here.`]),
    ...byHand.map((what) => `By hand: ${what}.`),
  ].join('\n')

/** Events without a tenant are on no trail. */
const NOT_EXPORTED =
  'All staff are signed out. No export has what you removed for all tenants (trust anchors and lists, certificates): do that again.'

/** Checks all exports at once, and lists the tenants without an export. */
export function addRestoreCommands(program: Command, world: CliWorld): void {
  program
    .command('restore')
    .description('after restoring a backup: check')
    .command('check')
    .description('repeat the erasures and revocations of exports, and list tenants without an export')
    .option('--export <file...>', 'as `vidimus audit export` wrote them, newer than the backup')
    .option('--accept', 'let the store serve although something is left, or without exports')
    .action(async (options: { export?: readonly string[]; accept?: true }, command: Command) => {
      const { export: files = [] } = options
      const acceptsRest = options.accept === true
      if (files.length === 0 && !acceptsRest)
        throw new CliProblem('--export is needed; use --accept if there is none', WRONG_OPTIONS)
      for (const file of files) await readable(file)
      const exports = files.map((name) => ({ name, lines: () => linesOf(name) }))
      const checked = await world.withDeps((deps) => checkRestore(deps, { exports, acceptsRest }))
      const { replays, uncovered, left, isChecked } = checked
      const lines = replays.map(({ name, replay }) =>
        replay.outcome === 'refused' ? `${name}: nothing was done: ${replay.problem}` : `${name}: ${textOf(replay)}`,
      )
      const json = {
        exports: replays.map(({ name, replay }) => ({
          name,
          ...(replay.outcome === 'refused' ? { refused: replay.problem } : jsonOf(replay)),
        })),
        uncovered,
        is_checked: isChecked,
      }
      const missing = uncovered.map((realm) => `There is no export of ${realm}: what it erased or revoked may be back.`)
      const verdict = isChecked
        ? 'The store is checked and may serve.'
        : 'The store is not checked, and a restored store does not serve until it is. Do what is left and run this again, or add --accept.'
      answer(world, command, { json, text: [...lines, ...missing, NOT_EXPORTED, verdict].join('\n') })
      if (!isChecked) throw new CliProblem(`${left} left to do`, 1)
    })
}
