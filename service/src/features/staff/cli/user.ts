// vidimus user invite

import type { Command } from 'commander'
import { ROLES } from '../../../../../wire/values/staff.ts'
import { type CliWorld, OPERATOR } from '../../../cli/world.ts'
import { answer, CliProblem } from '../../../platform/cli/print.ts'
import { renderInvitation } from '../domain/invitation.ts'
import { isRole, type Role } from '../domain/person.ts'
import { invite } from '../usecases/manage-team.ts'

export function addUserCommands(program: Command, world: CliWorld): void {
  const user = program.command('user').description('people at the dashboard')
  user
    .command('invite')
    .description(
      'create a link for one sign-in within 24 hours; using it replaces the password and passkeys of an existing account',
    )
    .requiredOption('--email <address>')
    .requiredOption('--tenant <id>')
    .option('--role <role>', ROLES.join(', '), 'admin')
    .action(async (options: { email: string; tenant: string; role: string }, command: Command) => {
      const { email, tenant: tenantId } = options
      const role = checkRole(options.role)
      const invited = await world.withDeps((deps) =>
        invite(deps, { tenantId, email, role, actor: OPERATOR, byOperator: true }),
      )
      if (invited === null) throw new CliProblem(`there is no tenant ${tenantId}`)
      answer(world, command, {
        json: { ...renderInvitation(invited), role, tenant_id: tenantId },
        text: `Give this link to ${invited.email} alone. It works once, until ${invited.expiresAt}:\n\n  ${invited.url}\n`,
      })
    })
}

function checkRole(text: string): Role {
  if (!isRole(text)) throw new CliProblem(`--role must be one of ${ROLES.join(', ')}, not '${text}'`)
  return text
}
