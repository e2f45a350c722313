// Defines the commands for requests of merchants to the operator: `vidimus requests list | done | decline`.

import type { Command } from 'commander'
import { type CliWorld, OPERATOR } from '../../../cli/world.ts'
import { answer, CliProblem, table } from '../../../platform/cli/print.ts'
import { type OperatorRequest, renderRequest } from '../domain/going-live/operator-request.ts'
import { answerOperatorRequest, readRequests } from '../usecases/going-live/answer-requests.ts'

export function addRequestCommands(program: Command, world: CliWorld): void {
  const requests = program
    .command('requests')
    .description('requests of merchants to you, the operator, before they go live: list, done, decline')
  requests
    .command('list')
    .description('list open requests, oldest first')
    .option('--all', 'include answered requests')
    .action(async ({ all = false }: { all?: boolean }, command: Command) => {
      const found = await world.withDeps((deps) => readRequests(deps, { answeredToo: all }))
      const rows = found.map((one) => [one.id, one.tenantId, one.kind, one.state, one.createdAt, nextStep(one)])
      const text =
        rows.length === 0
          ? 'There are no open requests.'
          : table(['ID', 'TENANT', 'KIND', 'STATE', 'CREATED', 'WHAT TO DO'], rows)
      answer(world, command, { json: { data: found.map(toJson) }, text })
    })
  requests
    .command('done')
    .description(
      'mark a request as done; for a mandate: you have the document, and its SHA-256 matches the recorded one',
    )
    .argument('<id>', 'of the request')
    .option('--answer <text>', 'answer to the merchant')
    .action((id: string, options: { answer?: string }, command: Command) =>
      conclude({ id, state: 'done', reply: options.answer ?? null }, command),
    )
  requests
    .command('decline')
    .description('decline the request')
    .argument('<id>', 'of the request')
    .requiredOption('--because <text>', 'to the merchant')
    .action((id: string, options: { because: string }, command: Command) =>
      conclude({ id, state: 'declined', reply: options.because }, command),
    )
  const conclude = async (
    { id, state, reply }: { id: string; state: 'done' | 'declined'; reply: string | null },
    command: Command,
  ) => {
    const input = { id, state, answer: reply, actor: OPERATOR }
    const done = await world.withDeps((deps) => answerOperatorRequest(deps, input))
    if (done.outcome === 'refused') throw new CliProblem(`not answered: ${done.problem}`)
    answer(world, command, { json: toJson(done.request), text: `${id} is ${state}.` })
  }
}

const toJson = (request: OperatorRequest) => ({
  tenant_id: request.tenantId,
  environment: request.environment,
  ...renderRequest(request),
})

/** Returns the command that fulfils the request. The operator must check the arguments before running it. */
function nextStep({ kind, tenantId, environment, wanted }: OperatorRequest): string {
  const options = `--tenant ${tenantId} --environment ${environment}`
  const registry = wanted.registry_uri == null ? '' : ` --registry ${quoted(wanted.registry_uri)}`
  switch (kind) {
    case 'identity':
      return `registration identity ${options} --identifier ${quoted(wanted.identifier ?? '')} --trade-name ${quoted(wanted.trade_name ?? '')}${registry}`
    case 'mandate':
      return `compare the document of ${wanted.dated} with SHA-256 ${wanted.sha256}`
    case 'registration_provider':
      return 'anchor import, or anchor add, with --type rc-wrp+jwt:*'
    case 'access_certificate':
      return `certificate csr ${options}, then certificate install`
    case 'trusted_list':
      return 'anchor import, or anchor add'
  }
}

/** Quotes a text for a shell. A merchant wrote it, and the operator may paste the command. */
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
