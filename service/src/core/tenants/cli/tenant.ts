// vidimus tenant create | list | update

import type { Command } from 'commander'
import { type CliWorld, OPERATOR } from '../../../cli/world.ts'
import { answer, CliProblem, table, wholeNumber } from '../../../platform/cli/print.ts'
import { isLine, TENANT_NAME_LENGTH_MAX } from '../domain/names.ts'
import { dailyQuotaOf, isPlan, PLANS, type Plan, renderTenant } from '../domain/tenant.ts'
import { changeTenant, createTenant, listTenants } from '../usecases/manage-tenants.ts'

export function addTenantCommands(program: Command, world: CliWorld): Command {
  const tenant = program.command('tenant').description('merchants: create, list, update, move')
  tenant
    .command('create')
    .description('add a merchant')
    .requiredOption('--name <name>', 'the merchant, as staff will see it')
    .option('--plan <plan>', Object.keys(PLANS).join(', '), 'free')
    .option('--daily-quota <n>', "verifications a day, instead of the plan's")
    .action(async (options: { name: string; plan: string; dailyQuota?: string }, command: Command) => {
      const input = {
        name: checkName(options.name),
        plan: checkPlan(options.plan),
        dailyQuota: checkQuota(options.dailyQuota) ?? null,
      }
      const created = await world.withDeps((deps) => createTenant(deps, { ...input, actor: OPERATOR }))
      answer(world, command, {
        json: renderTenant(created),
        text: `Created tenant ${created.id} (${created.name}, ${created.plan}).`,
      })
    })
  tenant
    .command('list')
    .description('every merchant with plan and quota')
    .action(async (_options: unknown, command: Command) => {
      const tenants = await world.withDeps(listTenants)
      const rows = tenants.map((row) => [row.id, row.name, row.plan, String(dailyQuotaOf(row)), row.createdAt])
      answer(world, command, {
        json: { data: tenants.map(renderTenant) },
        text:
          rows.length === 0 ? 'There is no tenant yet.' : table(['ID', 'NAME', 'PLAN', 'QUOTA/DAY', 'CREATED'], rows),
      })
    })
  tenant
    .command('update')
    .description('change name, plan or quota of a merchant')
    .argument('<tenant>', 'its id')
    .option('--name <name>')
    .option('--plan <plan>', Object.keys(PLANS).join(', '))
    .option('--daily-quota <n>', "verifications a day, or 'plan' for the plan's")
    .action(
      async (tenantId: string, options: { name?: string; plan?: string; dailyQuota?: string }, command: Command) => {
        const dailyQuota = checkQuota(options.dailyQuota)
        const change = {
          ...(options.name === undefined ? {} : { name: checkName(options.name) }),
          ...(options.plan === undefined ? {} : { plan: checkPlan(options.plan) }),
          ...(dailyQuota === undefined ? {} : { dailyQuota }),
        }
        const changed = await world.withDeps((deps) => changeTenant(deps, { tenantId, change, actor: OPERATOR }))
        if (changed === null) throw new CliProblem(`there is no tenant ${tenantId}`)
        answer(world, command, {
          json: renderTenant(changed),
          text: `Updated ${changed.id}: ${changed.name}, ${changed.plan}, ${dailyQuotaOf(changed)} a day.`,
        })
      },
    )
  return tenant
}

function checkName(name: string): string {
  const trimmed = name.trim()
  if (isLine(trimmed, TENANT_NAME_LENGTH_MAX)) return trimmed
  throw new CliProblem(`--name must have 1 to ${TENANT_NAME_LENGTH_MAX} characters and no control characters`)
}

export function checkPlan(plan: string): Plan {
  if (!isPlan(plan)) throw new CliProblem(`--plan must be one of ${Object.keys(PLANS).join(', ')}, not '${plan}'`)
  return plan
}

function checkQuota(quota: string | undefined): number | null | undefined {
  if (quota === undefined) return undefined
  return quota === 'plan' ? null : wholeNumber(quota, '--daily-quota')
}
