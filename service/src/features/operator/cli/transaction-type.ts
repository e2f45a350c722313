// Commands for transaction types: `vidimus transaction-type put | list | remove`.

import type { Command } from 'commander'
import { type CliWorld, inRealm, OPERATOR, type RealmOptions, realmOf } from '../../../cli/world.ts'
import { readDocument } from '../../../core/templates/cli/template.ts'
import { listTypes, removeType, saveType } from '../../../core/transactions/usecases/manage-types.ts'
import { answer, CliProblem, table } from '../../../platform/cli/print.ts'

export function addTransactionTypeCommands(program: Command, world: CliWorld): void {
  const types = program
    .command('transaction-type')
    .description('types of transactions that holders confirm: put, list, remove')
  inRealm(types.command('put').description('save a type from its JSON Schema'))
    .argument('<type>', 'its name: a URN, or an https address that you own')
    .requiredOption('--title <text>', 'its title on the hosted page')
    .requiredOption('--schema <path>', 'a file with the JSON Schema of its members')
    .action(async (type: string, options: RealmOptions & { title: string; schema: string }, command: Command) => {
      const { title } = options
      const input = {
        realm: realmOf(options),
        type,
        title,
        schema: await readDocument(options.schema),
        actor: OPERATOR,
      }
      const saved = await world.withDeps((deps) => saveType(deps, input))
      if (saved.outcome === 'no_tenant') throw new CliProblem(`there is no tenant ${options.tenant}`)
      if (saved.outcome === 'invalid') throw new CliProblem(`the type is not valid: ${saved.problem}`)
      const text = `${saved.outcome === 'created' ? 'Saved' : 'Replaced'} the type ${type}.`
      answer(world, command, { json: { outcome: saved.outcome, type }, text })
    })
  inRealm(types.command('list').description('list the types that can be used')).action(
    async (options: RealmOptions, command: Command) => {
      const listed = await world.withDeps((deps) => listTypes(deps, realmOf(options)))
      answer(world, command, {
        json: { data: listed.map(({ type, title, builtIn }) => ({ type, title, built_in: builtIn })) },
        text: table(
          ['TYPE', 'TITLE', 'SOURCE'],
          listed.map(({ type, title, builtIn }) => [type, title, builtIn ? 'built-in' : 'merchant']),
        ),
      })
    },
  )
  inRealm(types.command('remove').description("delete one of the merchant's types"))
    .argument('<type>')
    .action(async (type: string, options: RealmOptions, command: Command) => {
      const removed = await world.withDeps((deps) =>
        removeType(deps, { realm: realmOf(options), type, actor: OPERATOR }),
      )
      if (!removed) throw new CliProblem(`tenant ${options.tenant} has no type ${type} in ${options.environment}`)
      answer(world, command, { json: { removed: type }, text: `Removed the type ${type}.` })
    })
}
