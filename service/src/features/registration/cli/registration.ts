// Defines the commands for registrations: `vidimus registration identity | add | list | remove | check`.

import type { Command } from 'commander'
import {
  type CliWorld,
  inRealm,
  OPERATOR,
  type OwnerOptions,
  ownerOf,
  type RealmOptions,
  readBytes,
  realmOf,
  withOwner,
} from '../../../cli/world.ts'
import { type RegisteredIdentity, renderIdentity } from '../../../core/registrations/domain/identity.ts'
import { daysLeft, renderRegistration } from '../../../core/registrations/domain/registration.ts'
import { readRegistrations } from '../../../core/registrations/usecases/read-registrations.ts'
import { answer, CliProblem, table } from '../../../platform/cli/print.ts'
import { renderReport } from '../domain/report.ts'
import { checkRegistration } from '../usecases/check-registration.ts'
import { changeIdentity, readIdentity } from '../usecases/manage-identity.ts'
import { addRegistration, removeRegistration } from '../usecases/manage-registrations.ts'
import { watchRegistrations } from '../usecases/watch-registrations.ts'

interface IdentityOptions extends OwnerOptions {
  readonly identifier?: string
  readonly tradeName?: string
  readonly registry?: string
  readonly intermediary?: boolean
}

export function addRegistrationCommands(program: Command, world: CliWorld): void {
  const registration = program
    .command('registration')
    .description('the registrations of a tenant: identity, add, list, remove, check')
  addIdentity(registration, world)
  addAdding(registration, world)
  addListing(registration, world)
  inRealm(registration.command('remove'))
    .description('stop using a certificate; pending verifications continue')
    .argument('<id>', 'of the certificate')
    .action(async (id: string, options: RealmOptions, command: Command) => {
      const input = { realm: realmOf(options), id, actor: OPERATOR }
      const removed = await world.withDeps((deps) => removeRegistration(deps, input))
      if (!removed) throw new CliProblem(`tenant ${options.tenant} has no registration ${id} in ${options.environment}`)
      answer(world, command, { json: { removed: id }, text: `Removed ${id}.` })
    })
  addChecking(registration, world)
}

function addIdentity(registration: Command, world: CliWorld): void {
  withOwner(registration.command('identity'), "the operator's own")
    .description('show the registered identity; with --identifier, change it')
    .option('--identifier <id>', 'as the register spells it, such as VATDE-123456789')
    .option('--trade-name <name>', 'the name that holders know')
    .option('--registry <url>', "the register's public API")
    .option('--intermediary', 'for the operator: it is registered as an intermediary')
    .action(async (options: IdentityOptions, command: Command) => {
      const owner = ownerOf(options)
      const { identifier, tradeName, registry = null, intermediary = false } = options
      if (identifier === undefined) return show(await world.withDeps((deps) => readIdentity(deps, owner)), command)
      if (tradeName === undefined) throw new CliProblem('--trade-name is needed with --identifier')
      const identity = { identifier, tradeName, registryUri: registry, isIntermediary: intermediary }
      const changed = await world.withDeps((deps) => changeIdentity(deps, { ...owner, identity, actor: OPERATOR }))
      if (changed.outcome === 'refused') throw new CliProblem(`not changed: ${changed.problem}`)
      show(changed.identity, command)
    })
  const show = (identity: RegisteredIdentity | null, command: Command) => {
    const text =
      identity === null
        ? 'No identity is set yet.'
        : `${identity.identifier}, ${identity.tradeName}${identity.isIntermediary ? ', acts for others' : ''}, ${identity.registryUri ?? 'no register named'}`
    answer(world, command, { json: { identity: identity === null ? null : renderIdentity(identity) }, text })
  }
}

function addAdding(registration: Command, world: CliWorld): void {
  inRealm(registration.command('add'))
    .description('add a registration certificate')
    .argument('<path>', 'the JWT in its compact form')
    .option('--intended-use <id>', 'the intended use, for a certificate that names none')
    .action(async (path: string, options: RealmOptions & { intendedUse?: string }, command: Command) => {
      const jwt = Buffer.from(await readBytes(path)).toString('latin1')
      const input = { realm: realmOf(options), jwt, intendedUse: options.intendedUse ?? null, actor: OPERATOR }
      const added = await world.withDeps((deps) => addRegistration(deps, input))
      if (added.outcome === 'refused') throw new CliProblem(`not added: ${added.problem}`)
      const { id, intendedUse } = added.registration
      const warnings = added.warnings.map(({ problem }) => problem)
      const lines = warnings.map((warning) => `\nWarning: ${warning}.`).join('')
      answer(world, command, {
        json: { id, intended_use: intendedUse, warnings },
        text: `Added ${id} for the intended use ${intendedUse}.${lines}`,
      })
    })
}

function addListing(registration: Command, world: CliWorld): void {
  inRealm(registration.command('list'))
    .description('list the certificates in use and their problems')
    .action(async (options: RealmOptions, command: Command) => {
      const { registrations, nowMs, ...parties } = await world.withDeps(async (deps) => ({
        ...(await readRegistrations(deps, realmOf(options))),
        nowMs: deps.clock.now(),
      }))
      const rendered = registrations.map((one) => renderRegistration(one, parties, nowMs))
      const rows = registrations.map((one, i) => [
        one.id,
        one.intendedUse,
        one.certificate.serviceName,
        String(daysLeft(one, nowMs) ?? '-'),
        one.verdict.status,
        rendered[i]?.faults.join('; ') || 'good',
      ])
      const head = ['ID', 'INTENDED USE', 'SERVICE', 'DAYS LEFT', 'STATUS', 'VERDICT']
      const text = rows.length === 0 ? 'There is no registration certificate.' : table(head, rows)
      answer(world, command, { json: { data: rendered }, text })
    })
}

function addChecking(registration: Command, world: CliWorld): void {
  inRealm(registration.command('check'))
    .description('check every certificate again, with its templates and access certificates')
    .action(async (options: RealmOptions, command: Command) => {
      const { report, nowMs } = await world.withDeps(async (deps) => {
        await watchRegistrations(deps, realmOf(options))
        return { report: await checkRegistration(deps, realmOf(options)), nowMs: deps.clock.now() }
      })
      const rendered = renderReport(report, nowMs)
      const lines = [
        ...rendered.certificates.flatMap(({ intended_use, faults }) =>
          faults.map((fault) => `${intended_use}: ${fault}`),
        ),
        ...rendered.certificates.flatMap(({ intended_use, remarks }) =>
          remarks.map((remark) => `${intended_use}: ${remark}`),
        ),
        ...rendered.templates.flatMap(({ key, concerns }) =>
          concerns.map(({ message }) => `template ${key}: ${message}`),
        ),
        ...rendered.access_certificates.map(
          ({ level, certificate_id, detail }) => `${certificate_id} (${level}): ${detail}`,
        ),
        ...rendered.under_use.flatMap(({ intended_use, unused }) =>
          unused.map(
            ({ types, path }) => `${intended_use}: never asked for: ${types.join(', ')} ${JSON.stringify(path ?? '')}`,
          ),
        ),
      ]
      answer(world, command, { json: rendered, text: lines.length === 0 ? 'Nothing to say.' : lines.join('\n') })
    })
}
