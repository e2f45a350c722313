// vidimus serve | migrate

import type { Command } from 'commander'
import { answer } from './print.ts'
import type { CliWorld } from './world.ts'

export function addServeCommands(program: Command, world: CliWorld): void {
  program
    .command('serve')
    .description('run the service until it is told to stop')
    .option('--role <role>', 'all, api or worker')
    .action(async (options: { role?: string }) => {
      await world.serve(options)
    })
  program
    .command('migrate')
    .description('bring the schema of the store up to date')
    .action(async (_options: unknown, command: Command) => {
      const { applied, store } = await world.migrate()
      const text =
        applied.length === 0 ? `The schema is up to date (${store}).` : `Applied ${applied.join(', ')} (${store}).`
      answer(world, command, { json: { applied, store }, text })
    })
}
