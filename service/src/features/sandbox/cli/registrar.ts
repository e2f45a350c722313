// Commands for the sandbox registrar: `vidimus registrar register | remove | certify | issue | revoke | list | show`.

import type { Command } from 'commander'
import { type CliWorld, readBytes } from '../../../cli/world.ts'
import { answer, CliProblem, table, wholeNumber } from '../../../platform/cli/print.ts'
import {
  REGISTRATION_SHAPES,
  type RegistrarContent,
  type RegistrarOutcome,
  type SandboxRegistrar,
} from '../../trust/index.ts'

interface ServiceOptions {
  readonly identifier: string
  readonly service: string
  readonly days: string
}

interface CertifyOptions extends ServiceOptions {
  readonly csr: string
  readonly intermediary?: string
  readonly purpose: string
}

interface IssueOptions extends ServiceOptions {
  readonly intendedUse: string
  readonly shape: string
  readonly scenario?: string
}

export function addRegistrarCommands(program: Command, world: CliWorld): void {
  const registrar = program
    .command('registrar')
    .description('the sandbox registrar: registers verifiers, only for the test environment and test wallets')
  registrar
    .command('register')
    .description('add a party to the register, or replace its entry')
    .argument('<file>', 'JSON: the party, its services and their intended uses (see docs/sandbox-registrar.md)')
    .action(async (path: string, _options: unknown, command: Command) => {
      const party = parsed(await readBytes(path), path)
      const { identifier } = await within(world, (sandbox) => sandbox.registerParty(party))
      answer(world, command, { json: { identifier }, text: `Registered ${identifier}.` })
    })
  registrar
    .command('remove')
    .description('remove a party from the register, and revoke its registration certificates')
    .argument('<identifier>')
    .action(async (identifier: string, _options: unknown, command: Command) => {
      await within(world, (sandbox) => sandbox.remove(identifier))
      answer(world, command, { json: { removed: identifier }, text: `Removed ${identifier}.` })
    })
  ofService(registrar.command('certify'))
    .description('issue an access certificate for a signing request (`vidimus certificate csr`)')
    .requiredOption('--csr <path>', 'the signing request, PEM')
    .option('--intermediary <identifier>', 'the intermediary that asks on their behalf and has the key')
    .option('--purpose <purpose>', 'openid4vp or iso-reader', 'openid4vp')
    .action(async (options: CertifyOptions, command: Command) => {
      const signingRequest = Buffer.from(await readBytes(options.csr)).toString()
      const { chain } = await within(world, (sandbox, nowMs) =>
        sandbox.certify({
          ...serviceOf(options),
          signingRequest,
          intermediary: options.intermediary ?? null,
          purpose: checkPurpose(options.purpose),
          nowMs,
        }),
      )
      answer(world, command, { json: { chain }, text: chain.trimEnd() })
    })
  ofService(registrar.command('issue'))
    .description('issue a registration certificate for one intended use')
    .requiredOption('--intended-use <identifier>')
    .option('--shape <version>', `version of TS 119 475: ${REGISTRATION_SHAPES.join(' or ')}`, '1.2.1')
    .option('--scenario <name>', 'a deliberate fault; `list` names them all')
    .action(async (options: IssueOptions, command: Command) => {
      if (options.scenario === 'list') return listScenarios(world, command)
      const issued = await within(world, (sandbox, nowMs) =>
        sandbox.issue({
          ...serviceOf(options),
          intendedUseIdentifier: options.intendedUse,
          shape: checkShape(options.shape),
          scenario: options.scenario ?? null,
          nowMs,
        }),
      )
      const { jwt, index } = issued
      answer(world, command, { json: { jwt, index }, text: jwt })
    })
  registrar
    .command('revoke')
    .description('revoke a registration certificate in the status list')
    .argument('<index>', 'its index, as `list` shows it')
    .action(async (text: string, _options: unknown, command: Command) => {
      const index = wholeNumber(text, 'the index')
      await within(world, (sandbox) => sandbox.revoke(index))
      answer(world, command, { json: { revoked: index }, text: `Revoked ${index}.` })
    })
  registrar
    .command('list')
    .description('list the registered parties and the registration certificates that were issued')
    .action(async (_options: unknown, command: Command) => {
      const content = await world.withDeps((deps) => sandboxOf(deps).list())
      answer(world, command, { json: content, text: contentText(content) })
    })
  registrar
    .command('show')
    .description("print the registrar's addresses, and the certificates that a service or a wallet needs to trust it")
    .action(async (_options: unknown, command: Command) => {
      const { base, certificates } = await world.withDeps(async (deps) => sandboxOf(deps))
      const lists = `${base}/lists/registration-providers.jwt`
      const text = `Register: ${base}\nList of providers: ${lists}\nsigner of the lists\n${certificates.lists}authority of access certificates\n${certificates.access}`
      answer(world, command, { json: { base, providers: lists, certificates }, text: text.trimEnd() })
    })
}

function ofService(command: Command): Command {
  return command
    .requiredOption('--identifier <identifier>', 'who is registered')
    .requiredOption('--service <identifier>', 'one of its services')
    .option('--days <days>', 'how long it is valid', '90')
}

const serviceOf = (options: ServiceOptions) => ({
  identifier: options.identifier,
  serviceIdentifier: options.service,
  days: wholeNumber(options.days, '--days'),
})

function sandboxOf({
  sandbox,
}: {
  readonly sandbox: { readonly registrar: SandboxRegistrar } | null
}): SandboxRegistrar {
  if (sandbox === null) throw new CliProblem('the sandbox is off: set VIDIMUS_SANDBOX=on')
  return sandbox.registrar
}

async function within<Done extends object>(
  world: CliWorld,
  work: (registrar: SandboxRegistrar, nowMs: number) => Promise<RegistrarOutcome<Done>>,
): Promise<Extract<RegistrarOutcome<Done>, { outcome: 'done' }>> {
  const done = await world.withDeps((deps) => work(sandboxOf(deps), deps.clock.now()))
  if (done.outcome === 'refused') throw new CliProblem(`the registrar refuses: ${done.problem}`)
  return done
}

async function listScenarios(world: CliWorld, command: Command): Promise<void> {
  const scenarios = await world.withDeps(async (deps) => sandboxOf(deps).scenarios)
  const text = scenarios.map(({ name, title }) => `  ${name.padEnd(22)} ${title}`).join('\n')
  answer(world, command, { json: { scenarios }, text })
}

function contentText({ parties, issued }: RegistrarContent): string {
  const rows = parties.flatMap(({ identifier, tradeName, services }) =>
    services.map((service) => [identifier, tradeName, service.identifier, service.intendedUses.join(' ') || '-']),
  )
  const certificates = issued.map((one) => [
    String(one.index),
    one.identifier,
    one.serviceIdentifier,
    one.intendedUseIdentifier,
    new Date(one.expiresAt * 1000).toISOString(),
    one.revoked ? 'revoked' : 'valid',
  ])
  const registered =
    rows.length === 0 ? 'There are no registered parties.' : table(['PARTY', 'NAME', 'SERVICE', 'INTENDED USES'], rows)
  if (certificates.length === 0) return registered
  return `${registered}\n\n${table(['INDEX', 'PARTY', 'SERVICE', 'INTENDED USE', 'VALID UNTIL', 'STATUS'], certificates)}`
}

function parsed(bytes: Uint8Array, path: string): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString())
  } catch {
    throw new CliProblem(`${path} is not JSON`)
  }
}

function checkPurpose(text: string): 'openid4vp' | 'iso-reader' {
  if (text === 'openid4vp' || text === 'iso-reader') return text
  throw new CliProblem(`--purpose must be openid4vp or iso-reader, not '${text}'`)
}

function checkShape(text: string): (typeof REGISTRATION_SHAPES)[number] {
  const found = REGISTRATION_SHAPES.find((shape) => shape === text)
  if (found === undefined)
    throw new CliProblem(`--shape must be one of ${REGISTRATION_SHAPES.join(', ')}, not '${text}'`)
  return found
}
