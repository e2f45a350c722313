// Commands for the master key: `vidimus master-key rotate | show | wrap`.

import type { Command } from 'commander'
import type { CliWorld } from '../../../cli/world.ts'
import { answer, CliProblem } from '../../../platform/cli/print.ts'
import { REFERENCE_SHAPE } from '../../../platform/keys/key-reference.ts'
import {
  countOtherProcesses,
  countUnpreparedProcesses,
  masterKeyIds,
  type Rotation,
  type RotationProgress,
  rotateMasterKey,
} from '../usecases/rotate-master-key.ts'

export function addMasterKeyCommands(program: Command, world: CliWorld): void {
  const masterKey = program.command('master-key').description('the key that seals secrets at rest: rotate, show, wrap')
  masterKey
    .command('show')
    .description('print the names of the master keys in use; they are not secret')
    .action(async (_options: unknown, command: Command) => {
      const [sealing, ...opening] = await world.withDeps(async (deps) => masterKeyIds(deps))
      const also = opening.length === 0 ? '' : `\nThese only open: ${opening.join(', ')}.`
      answer(world, command, { json: { seals: sealing, opens: opening }, text: `${sealing} seals.${also}` })
    })
  masterKey
    .command('wrap')
    .description(
      'encrypt the master key with a key in your HSM or key service: the text for VIDIMUS_MASTER_KEY_WRAPPED',
    )
    .requiredOption(
      '--with <reference>',
      `the key that encrypts it, created there if it does not exist: ${REFERENCE_SHAPE}`,
    )
    .option('--new', 'wrap a new master key instead of the current one; it never exists in plain text on disk')
    .action(async (options: { readonly with: string; readonly new?: boolean }, command: Command) => {
      const wrapped = await world.wrapMasterKey({ reference: options.with, isNew: options.new === true })
      answer(world, command, { json: { wrapped }, text: wrapped })
    })
  masterKey
    .command('rotate')
    .description('reseal all values with the current master key; can be interrupted and repeated')
    .option('--new', 'first create a new key in the data directory; the service must be stopped')
    .action(async (options: { new?: boolean }, command: Command) => {
      if (options.new === true) await addKey(world)
      const rotation = await world.withDeps(async (deps) => {
        const unprepared = await countUnpreparedProcesses(deps)
        if (unprepared > 0) throw new CliProblem(UNPREPARED, 1)
        return rotateMasterKey(deps, createProgress(world))
      })
      // Backups contain values under the old key, so its file is renamed and not deleted.
      const isOver = rotation.outcome === 'done' && rotation.pairingCodesUntil === null
      const retired = isOver ? ((await world.masterKeyFile?.retire()) ?? null) : null
      answer(world, command, { json: { ...rotation, retired }, text: describe(rotation, retired) })
      if (rotation.outcome !== 'done') throw new CliProblem('not everything is sealed with the current key yet', 1)
    })
}

const UNPREPARED =
  'a running process cannot decrypt values of the current master key: give every process both keys first (docs/operating.md)'

/** Only for a key in our own file. Does nothing while a rotation is in progress. */
async function addKey(world: CliWorld): Promise<void> {
  const file = world.masterKeyFile
  if (file === undefined) {
    throw new CliProblem('the master key comes from the environment: set a new one there (docs/operating.md)')
  }
  const { keys, running } = await world.withDeps(async (deps) => ({
    keys: masterKeyIds(deps).length,
    running: await countOtherProcesses(deps),
  }))
  if (keys > 1) return
  if (running > 0) throw new CliProblem('the service is running and would not know the new key: stop it first', 1)
  await file.add()
}

const REPORT_EVERY = 10_000

/** Reports a column when it is done, and every 10,000 values before. Skips columns without changes. */
function createProgress(world: CliWorld): RotationProgress {
  let reported = 0
  return (column, { resealed }, isDone) => {
    if (isDone && resealed > 0) world.err(`${column}: ${resealed} sealed again\n`)
    if (!isDone && resealed >= reported + REPORT_EVERY) world.err(`${column}: ${resealed} sealed again so far\n`)
    reported = isDone ? 0 : Math.floor(resealed / REPORT_EVERY) * REPORT_EVERY
  }
}

function describe(rotation: Rotation, retired: string | null): string {
  const { keyId, resealed, left, columns, otherWriters, pairingCodesUntil } = rotation
  const current = Object.values(columns).reduce((all, { current }) => all + current, 0)
  const lines = [`Sealed ${resealed} values again with ${keyId}.`]
  if (left === 0)
    lines.push(`Nothing is left under another key: ${current} values in ${Object.keys(columns).length} columns.`)
  else lines.push(`${left} values are not sealed with it yet:`)
  for (const [name, { unreadable }] of Object.entries(columns))
    for (const [id, many] of Object.entries(unreadable))
      lines.push(`  ${name}: ${many} under ${id}, which is not available`)
  if (otherWriters > 0)
    lines.push('A running process still seals with another key: restart it with this one, then run this again.')
  if (pairingCodesUntil !== null)
    lines.push(`Open pairing codes may be of an earlier key: keep that key until ${pairingCodesUntil}.`)
  if (retired !== null) lines.push(`The earlier keys are in ${retired} now: only earlier backups need them.`)
  return lines.join('\n')
}
