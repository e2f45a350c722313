// Commands for API keys: `vidimus key create | list | revoke`.

import type { Command } from 'commander'
import { KEY_LIFETIMES_DAYS, SCOPES } from '../../../../../wire/values/keys.ts'
import { NAME_LENGTH_MAX } from '../../../../../wire/values/names.ts'
import { type CliWorld, checkEnvironment, OPERATOR } from '../../../cli/world.ts'
import { type ApiKey, DEFAULT_SCOPES, isScope, renderKey, type Scope } from '../../../core/tenants/domain/api-key.ts'
import { isLine } from '../../../core/tenants/domain/names.ts'
import { createKey, listKeys, revokeKey } from '../../../core/tenants/usecases/manage-keys.ts'
import { answer, CliProblem, table } from '../../../platform/cli/print.ts'

export function addKeyCommands(program: Command, world: CliWorld): void {
  const key = program.command('key').description('API keys: create, list, revoke')
  key
    .command('create')
    .description('create an API key; it is shown only once')
    .requiredOption('--tenant <id>')
    .option('--environment <environment>', 'test or live', 'test')
    .option('--name <name>', 'what it is for', 'command line')
    .option('--scope <scope...>', `${SCOPES.join(', ')} (default: all but verifications:delete)`)
    .option('--expires-in-days <days>', `${KEY_LIFETIMES_DAYS.join(', ')} (default: no deadline)`)
    .action(async (options: CreateOptions, command: Command) => {
      const input = {
        tenantId: options.tenant,
        environment: checkEnvironment(options.environment),
        name: checkName(options.name),
        scopes: checkScopes(options.scope),
        expiresInDays: checkLifetime(options.expiresInDays),
        actor: OPERATOR,
      }
      const created = await world.withDeps((deps) => createKey(deps, input))
      if (created === null) throw new CliProblem(`there is no tenant ${options.tenant}`)
      answer(world, command, {
        json: { ...renderKey(created.apiKey), key: created.key },
        text: `Created ${created.apiKey.id}. The key is shown this once:\n\n  ${created.key}\n`,
      })
    })
  key
    .command('list')
    .description('list the API keys of a tenant, without their secrets')
    .requiredOption('--tenant <id>')
    .action(async (options: { tenant: string }, command: Command) => {
      const keys = await world.withDeps((deps) => listKeys(deps, options.tenant))
      const rows = keys.map((row) => [
        row.id,
        row.name,
        `${row.prefix}…`,
        row.scopes.join(' '),
        stateOf(row),
        row.lastUsedAt ?? 'never',
      ])
      answer(world, command, {
        json: { data: keys.map(renderKey) },
        text:
          rows.length === 0
            ? 'This tenant has no key.'
            : table(['ID', 'NAME', 'KEY', 'SCOPES', 'STATE', 'LAST USED'], rows),
      })
    })
  key
    .command('revoke')
    .description('revoke an API key immediately')
    .argument('<key>', 'its id')
    .requiredOption('--tenant <id>')
    .action(async (keyId: string, options: { tenant: string }, command: Command) => {
      const revoked = await world.withDeps((deps) =>
        revokeKey(deps, { tenantId: options.tenant, keyId, actor: OPERATOR }),
      )
      if (revoked === null) throw new CliProblem(`tenant ${options.tenant} has no key ${keyId}`)
      answer(world, command, { json: renderKey(revoked), text: `Revoked ${revoked.id} at ${revoked.revokedAt}.` })
    })
}

interface CreateOptions {
  tenant: string
  environment: string
  name: string
  scope?: string[]
  expiresInDays?: string
}

function stateOf(key: ApiKey): string {
  if (key.revokedAt !== null) return `revoked ${key.revokedAt}`
  return key.expiresAt === null ? 'no deadline' : `until ${key.expiresAt}`
}

function checkName(name: string): string {
  if (isLine(name, NAME_LENGTH_MAX)) return name
  throw new CliProblem(`--name must have 1 to ${NAME_LENGTH_MAX} characters and no control characters`)
}

function checkScopes(scopes: readonly string[] | undefined): readonly Scope[] {
  const unknown = scopes?.find((scope) => !isScope(scope))
  if (unknown !== undefined) throw new CliProblem(`--scope must be one of ${SCOPES.join(', ')}, not '${unknown}'`)
  return scopes === undefined ? DEFAULT_SCOPES : [...new Set(scopes.filter(isScope))]
}

function checkLifetime(days: string | undefined): number | null {
  if (days === undefined) return null
  const found = KEY_LIFETIMES_DAYS.find((allowed) => String(allowed) === days)
  if (found === undefined)
    throw new CliProblem(`--expires-in-days must be ${KEY_LIFETIMES_DAYS.join(', ')}, not '${days}'`)
  return found
}
