// vidimus serve | migrate

import type { Command } from 'commander'
import { answer } from '../platform/cli/print.ts'
import type { CliWorld, PlannedMigration } from './world.ts'

export function addServeCommands(program: Command, world: CliWorld): void {
  program
    .command('serve')
    .description('run the service until a stop signal')
    .option('--role <role>', 'all, api or worker')
    .action(async (options: { role?: string }) => {
      await world.serve(options)
    })
  program
    .command('migrate')
    .description('bring the schema of the store up to date')
    .option('--plan', 'show what would be done, without doing it')
    .action(async (options: { plan?: boolean }, command: Command) => {
      if (options.plan === true) return answer(world, command, renderPlan(await world.planMigration()))
      const { applied, waiting, store } = await world.migrate()
      const done =
        applied.length === 0 ? `The schema is up to date (${store}).` : `Applied ${applied.join(', ')} (${store}).`
      const json = { applied, waiting: waiting.map(jsonOfWaiting), store }
      answer(world, command, { json, text: [done, ...waiting.map(textOfWaiting)].join('\n') })
    })
}

const numberOf = (migration: number) => String(migration).padStart(4, '0')

const jsonOfWaiting = ({ name, readableFrom, olderProcesses }: PlannedMigration['waiting'][number]) => ({
  name,
  readable_from: readableFrom,
  older_processes: olderProcesses,
})

const textOfWaiting = ({ name, readableFrom, olderProcesses }: PlannedMigration['waiting'][number]) =>
  olderProcesses === 0
    ? `The late part of ${name} comes into force with the next \`vidimus migrate\`, or within five minutes.`
    : `The late part of ${name} waits for processes of releases before ${numberOf(readableFrom)}: ${olderProcesses} of them are connected.`

function renderPlan({ missing, waiting, ahead, store }: PlannedMigration) {
  const json = {
    store,
    ahead,
    missing: missing.map(({ name, compatibleFrom, late }) => ({
      name,
      compatible_from: compatibleFrom,
      late_from: late?.readableFrom ?? null,
    })),
    waiting: waiting.map(jsonOfWaiting),
  }
  const compatibility = (from: number | null) =>
    from === null
      ? 'older releases do not start on this schema'
      : `releases from migration ${numberOf(from)} on can run at the same time, and you can roll back to them`
  const then = (late: PlannedMigration['missing'][number]['late']) =>
    late === null
      ? ''
      : ` Its late part comes into force when no process of a release before ${numberOf(late.readableFrom)} is connected. After that you cannot roll back to such a release.`
  const lines = missing.map(
    ({ name, compatibleFrom, late }) => `Would apply ${name}: ${compatibility(compatibleFrom)}.${then(late)}`,
  )
  lines.push(...waiting.map(textOfWaiting))
  if (ahead !== null)
    lines.push(`A newer release has migrated the schema to ${ahead}. This release works with that, too.`)
  if (lines.length === 0) lines.push('The schema is up to date: nothing would be done.')
  return { json, text: [...lines, `(${store})`].join('\n') }
}
