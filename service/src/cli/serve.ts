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
    .option('--plan', 'say what would be done, and do nothing')
    .action(async (options: { plan?: boolean }, command: Command) => {
      if (options.plan === true) return answer(world, command, renderPlan(await world.planMigration()))
      const { applied, store } = await world.migrate()
      const text =
        applied.length === 0 ? `The schema is up to date (${store}).` : `Applied ${applied.join(', ')} (${store}).`
      answer(world, command, { json: { applied, store }, text })
    })
}

function renderPlan({ missing, ahead, store }: PlannedMigration) {
  const json = {
    store,
    ahead,
    missing: missing.map(({ name, compatibleFrom }) => ({ name, compatible_from: compatibleFrom })),
  }
  const compatibility = (from: number | null) =>
    from === null
      ? 'older releases do not start beside it'
      : `releases from migration ${String(from).padStart(4, '0')} on work beside it, and can be gone back to`
  const lines = missing.map(({ name, compatibleFrom }) => `Would apply ${name}: ${compatibility(compatibleFrom)}.`)
  if (ahead !== null) lines.push(`A newer release has brought it to ${ahead}; this one works beside it.`)
  if (lines.length === 0) lines.push('The schema is up to date: nothing would be done.')
  return { json, text: [...lines, `(${store})`].join('\n') }
}
