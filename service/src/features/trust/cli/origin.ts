// vidimus origin add | list | prove | remove

import type { Command } from 'commander'
import { type CliWorld, inRealm, OPERATOR, type RealmOptions, realmOf } from '../../../cli/world.ts'
import {
  ORIGINS_PER_REALM_MAX,
  type Origin,
  type OriginProblem,
  originWithin,
  PROOF_PATH,
} from '../../../core/tenants/domain/origin.ts'
import { answer, CliProblem, table } from '../../../platform/cli/print.ts'
import { addOrigin, readOrigins, removeOrigin } from '../usecases/origins/manage-origins.ts'
import { type Proof, proveOrigin } from '../usecases/origins/prove-origin.ts'

export function addOriginCommands(program: Command, world: CliWorld): void {
  const origin = program
    .command('origin')
    .description('websites that may ask through the browser API: add, list, prove, remove')
  inRealm(origin.command('add'))
    .description("a page of the tenant's, or an app (approved by this command)")
    .argument('<origin>', 'https://host[:port], http://localhost[:port] in test, or an app as its platform names it')
    .action(async (text: string, options: RealmOptions, command: Command) => {
      const realm = realmOf(options)
      const added = await world.withDeps((deps) => addOrigin(deps, { realm, origin: text, actor: OPERATOR }))
      if (added.outcome === 'refused') throw new CliProblem(`not added: ${whyNot(added.problem, text)}`)
      const next =
        added.origin.provenAt !== null
          ? 'Verifications can run on it.'
          : `Show this line at ${added.origin.origin}${PROOF_PATH}\n\n  ${added.origin.token}\n\nthen: vidimus origin prove ${added.origin.id} --tenant ${realm.tenantId} --environment ${realm.environment}`
      answer(world, command, { json: toJson(added.origin), text: `Added ${added.origin.id}. ${next}` })
    })
  inRealm(origin.command('list'))
    .description('list the websites of a tenant, and whether they are proven')
    .action(async (options: RealmOptions, command: Command) => {
      const origins = await world.withDeps((deps) => readOrigins(deps, realmOf(options)))
      const rows = origins.map((one) => [one.id, one.origin, one.provenAt ?? 'not proven', one.token])
      const text =
        rows.length === 0
          ? 'No origin is listed: only the hosted page can use the browser API.'
          : table(['ID', 'ORIGIN', 'PROVEN', 'TOKEN'], rows)
      answer(world, command, { json: { data: origins.map(toJson) }, text })
    })
  inRealm(origin.command('prove'))
    .description(`check the token at the page's ${PROOF_PATH}`)
    .argument('<id>', 'of the origin')
    .action(async (id: string, options: RealmOptions, command: Command) => {
      const input = { realm: realmOf(options), id, actor: OPERATOR }
      const proof = await world.withDeps((deps) => proveOrigin(deps, input))
      if (proof !== 'proven') throw new CliProblem(UNPROVEN[proof], 1)
      answer(world, command, { json: { proven: id }, text: 'Proven: verifications can run on it.' })
    })
  inRealm(origin.command('remove'))
    .description('no longer allow verifications there')
    .argument('<id>', 'of the origin')
    .action(async (id: string, options: RealmOptions, command: Command) => {
      const input = { realm: realmOf(options), id, actor: OPERATOR }
      if (!(await world.withDeps((deps) => removeOrigin(deps, input)))) throw new CliProblem(UNPROVEN.not_found)
      answer(world, command, { json: { removed: id }, text: `Removed ${id}.` })
    })
}

const UNPROVEN: Readonly<Record<Exclude<Proof, 'proven'>, string>> = {
  not_shown: 'the host answers without the token: the origin is not proven',
  not_reached: 'the host could not be reached; an earlier proof stays valid',
  too_soon: 'it was checked a moment ago; try again in ten seconds',
  not_found: 'there is no such origin of this tenant in this environment',
}

function whyNot(problem: OriginProblem, text: string): string {
  const meant = originWithin(text)
  switch (problem) {
    case 'not_an_origin':
      return `write it as browsers do, without path or slash at the end${meant === null ? '' : `: ${meant}`}`
    case 'not_https':
      return 'pages are https; http is for localhost in test'
    case 'local_in_test_only':
      return 'localhost is for test'
    case 'app_by_operator':
      return 'apps are approved by the operator'
    case 'there_already':
      return 'it is listed already'
    case 'too_many':
      return `${ORIGINS_PER_REALM_MAX} are listed already`
    case 'no_tenant':
      return 'there is no such tenant'
  }
}

function toJson(origin: Origin) {
  return {
    id: origin.id,
    origin: origin.origin,
    kind: origin.kind,
    token: origin.token,
    proven_at: origin.provenAt,
    created_at: origin.createdAt,
  }
}
