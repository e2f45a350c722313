// `vidimus evidence <tenant>`: shows, sets or removes the legal basis of a tenant's evidence bundles.

import type { Command } from 'commander'
import { type CliWorld, OPERATOR } from '../../../cli/world.ts'
import { findTenant } from '../../../core/tenants/usecases/manage-tenants.ts'
import { answer, CliProblem } from '../../../platform/cli/print.ts'
import { BASIS_LENGTH } from '../domain/bundle.ts'
import { changeEvidence, type EvidenceProblem, readEvidenceBasis } from '../usecases/manage-evidence.ts'

export function addEvidenceCommand(program: Command, world: CliWorld): void {
  program
    .command('evidence')
    .description(
      'evidence bundles of a tenant that must keep what was presented: show, turn on with a legal basis, or off',
    )
    .argument('<tenant>', 'its id')
    .option('--basis <text>', 'turn on: the legal basis for storing evidence; it is recorded on the audit trail')
    .option('--off', 'switch off')
    .action(async (tenantId: string, options: { basis?: string; off?: true }, command: Command) => {
      if (options.basis !== undefined && options.off === true)
        throw new CliProblem('--basis and --off do not go together')
      const changes = options.basis !== undefined || options.off === true
      const basis = await world.withDeps(async (deps) => {
        if ((await findTenant(deps, tenantId)) === null) throw new CliProblem(WHY_NOT.no_tenant)
        if (changes) {
          const change = await changeEvidence(deps, { tenantId, basis: options.basis ?? null, actor: OPERATOR })
          if (change.outcome === 'refused') throw new CliProblem(WHY_NOT[change.problem])
        }
        return readEvidenceBasis(deps, tenantId)
      })
      const text =
        basis === null ? 'No evidence bundles are created.' : `Evidence bundles are created on this basis: ${basis}`
      answer(world, command, { json: { basis }, text })
    })
}

const WHY_NOT: Readonly<Record<EvidenceProblem, string>> = {
  no_tenant: 'there is no such tenant',
  no_basis: `--basis must be ${BASIS_LENGTH.min} to ${BASIS_LENGTH.max} characters on one line`,
  no_key: 'the tenant has no proven result key: bundles must be encrypted to it',
  forwarding: 'content of this tenant is forwarded and erased: evidence cannot be stored',
}
