// `vidimus usage`: prints a tenant's usage.

import type { Command } from 'commander'
import type { CliWorld } from '../../../cli/world.ts'
import { findTenant } from '../../../core/tenants/usecases/manage-tenants.ts'
import { readUsage } from '../../../core/verifications/usecases/reading/read-usage.ts'
import { answer, CliProblem, table } from '../../../platform/cli/print.ts'

export function addUsageCommand(program: Command, world: CliWorld): void {
  program
    .command('usage')
    .description("print a tenant's usage today and on the last days")
    .requiredOption('--tenant <id>')
    .action(async (options: { tenant: string }, command: Command) => {
      const usage = await world.withDeps(async (deps) => {
        if ((await findTenant(deps, options.tenant)) === null)
          throw new CliProblem(`there is no tenant ${options.tenant}`)
        return readUsage(deps, options.tenant)
      })
      const head = `${usage.day}: ${usage.verifications_created} of ${usage.daily_quota} spent, ${usage.remaining} left.`
      const rows = usage.recent.map((row) => [row.day, String(row.verifications_created)])
      answer(world, command, {
        json: usage,
        text: rows.length === 0 ? head : `${head}\n${table(['DAY', 'CREATED'], rows)}`,
      })
    })
}
