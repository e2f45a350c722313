// Defines the commands for national registers: `vidimus register look | list | pin | import`.

import type { Command } from 'commander'
import { type CliWorld, checkEnvironment, OPERATOR, type OwnerOptions, ownerOf, withOwner } from '../../../cli/world.ts'
import { checkPlan } from '../../../core/tenants/cli/tenant.ts'
import { renderTenant } from '../../../core/tenants/domain/tenant.ts'
import { answer, CliProblem, table } from '../../../platform/cli/print.ts'
import { type RegisterCheck, renderRegisterCheck } from '../domain/drift.ts'
import { pinRegisterKeys } from '../usecases/ask-register.ts'
import { checkRegister, readChecksWithFindings } from '../usecases/check-registers.ts'
import { importParty } from '../usecases/import-party.ts'

interface RegisterOptions {
  readonly environment: string
}

interface PinOptions extends RegisterOptions {
  readonly keys: string
  readonly thumbprint?: string[]
}

interface ImportOptions extends RegisterOptions {
  readonly identifier: string
  readonly registryUri?: string
  readonly plan: string
}

export function addRegisterCommands(program: Command, world: CliWorld): void {
  const register = program
    .command('register')
    .description('national registers of relying parties: compare them with your registrations, import merchants')
  withOwner(register.command('look'), "the operator's own entry")
    .description('query the register now, as the nightly job does')
    .action(async (options: OwnerOptions, command: Command) => {
      const result = await world.withDeps((deps) => checkRegister(deps, ownerOf(options)))
      if (result === null) throw new CliProblem('no identity is set: see `vidimus registration identity`')
      answer(world, command, { json: renderRegisterCheck(result), text: checkText(result) })
    })
  register
    .command('list')
    .description('list the checks with findings')
    .action(async (_options: unknown, command: Command) => {
      const results = await world.withDeps(readChecksWithFindings)
      const rows = results.flatMap(({ tenantId, environment, findings, checkedAt }) =>
        findings.map(({ code, detail }) => [tenantId ?? 'operator', environment, checkedAt, code, detail]),
      )
      const json = results.map((result) => ({
        tenant_id: result.tenantId,
        environment: result.environment,
        ...renderRegisterCheck(result),
      }))
      const text =
        rows.length === 0 ? 'Nothing was found.' : table(['OWNER', 'ENVIRONMENT', 'CHECKED', 'CODE', 'FOUND'], rows)
      answer(world, command, { json: { data: json }, text })
    })
  register
    .command('pin')
    .description('pin the keys of a register that no trusted list names; other keys are refused from then on')
    .argument('<registry-uri>', 'the address of the register, as stored with identities')
    .requiredOption('--environment <environment>', 'test or live')
    .requiredOption('--keys <address>', 'where it publishes its keys, on the same origin')
    .option(
      '--thumbprint <thumbprint...>',
      'of each key (RFC 7638), from a source you trust; without it the published ones are shown',
    )
    .action(async (registryUri: string, options: PinOptions, command: Command) => {
      const input = {
        registryUri: withoutSlash(registryUri),
        environment: checkEnvironment(options.environment),
        keysUri: options.keys,
        expected: options.thumbprint ?? [],
      }
      const done = await world.withDeps((deps) => pinRegisterKeys(deps, input))
      if (done.outcome === 'refused') throw new CliProblem(`not pinned: ${done.problem}`)
      answer(world, command, {
        json: { thumbprints: done.thumbprints },
        text: `Pinned ${done.thumbprints.join(', ')}.`,
      })
    })
  register
    .command('import')
    .description('create a tenant from a register: its identity, and a template in test for each intended use')
    .requiredOption('--identifier <identifier>', 'such as VATDE-DE123456789')
    .requiredOption(
      '--environment <environment>',
      'the environment whose trusted lists and pinned keys verify the answer',
    )
    .option('--registry-uri <address>', 'address of the register (default: the sandbox, if it is on)')
    .option('--plan <plan>', 'plan of the tenant', 'free')
    .action(async (options: ImportOptions, command: Command) => {
      const done = await world.withDeps((deps) => {
        const registryUri = options.registryUri ?? deps.sandbox?.registrar.base
        if (registryUri === undefined) throw new CliProblem('--registry-uri is missing')
        return importParty(deps, {
          registryUri: withoutSlash(registryUri),
          environment: checkEnvironment(options.environment),
          identifier: options.identifier,
          plan: checkPlan(options.plan),
          actor: OPERATOR,
        })
      })
      if (done.outcome === 'refused') throw new CliProblem(`not imported: ${done.problem}`)
      const { tenant, templates, left } = done
      const without = left.map(({ intendedUse, problem }) => `\nLeft out: ${intendedUse}: ${problem}`).join('')
      const json = {
        tenant: renderTenant(tenant),
        templates,
        left: left.map(({ intendedUse, problem }) => ({ intended_use: intendedUse, problem })),
      }
      const text = `Created tenant ${tenant.id} (${tenant.name}) with ${templates.length} templates in test.${without}`
      answer(world, command, { json, text })
    })
}

const withoutSlash = (address: string) => address.replace(/\/+$/, '')

function checkText({ outcome, findings }: RegisterCheck): string {
  if (outcome === 'same') return 'The register matches.'
  return findings.map(({ code, detail }) => `${code}: ${detail}`).join('\n')
}
