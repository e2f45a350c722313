// The command line: one command a verb, every one with --json, working beside a running server.

import { Command, CommanderError } from 'commander'
import { ConfigError } from '../config-problems.ts'
import { Refusal } from '../domain/errors.ts'
import { VERSION } from '../domain/version.ts'
import { addBrandingCommands } from './branding.ts'
import { addClientCommands } from './client.ts'
import { addDeliveryCommands, addWebhookSecretCommands } from './delivery.ts'
import { addDeviceCommands } from './device.ts'
import { addDeviceSimulation } from './device-simulate.ts'
import { addDoctorCommand } from './doctor.ts'
import { addAuditCommands, addRestoreCommands } from './evidence/audit.ts'
import { addEvidenceCommand } from './evidence/evidence.ts'
import { addReceiptCommands } from './evidence/receipt.ts'
import { addWitnessCommand } from './evidence/witness.ts'
import { addKeyCommands } from './key.ts'
import { addListenCommand } from './listen.ts'
import { addMasterKeyCommands } from './master-key.ts'
import { CliProblem, type Printer } from './print.ts'
import { addRequestCommands } from './requests.ts'
import { addResultKeyCommands } from './result-key.ts'
import { addServeCommands } from './serve.ts'
import { addSettingsCommand } from './settings.ts'
import { addApplyCommand } from './setup/apply.ts'
import { addExportCommand } from './setup/export.ts'
import { addTemplateCommands } from './template.ts'
import { addTenantCommands } from './tenant.ts'
import { addTransactionTypeCommands } from './transaction-type.ts'
import { troubleOf } from './trouble.ts'
import { addAnchorCommands } from './trust/anchor.ts'
import { addCertificateCommands } from './trust/certificate.ts'
import { addOriginCommands } from './trust/origin.ts'
import { addRegisterCommands } from './trust/register.ts'
import { addRegistrarCommands } from './trust/registrar.ts'
import { addRegistrationCommands } from './trust/registration.ts'
import { addTrustListCommands } from './trust/trust-list.ts'
import { addUsageCommand } from './usage.ts'
import { addUserCommands } from './user.ts'
import { addWalletCommands } from './wallet.ts'
import type { CliWorld } from './world.ts'

export function buildProgram(world: CliWorld): Command {
  const program = new Command('vidimus')
    .description('Vidimus: a hosted OpenID4VP verifier.')
    .version(VERSION)
    .option('--json', 'answer with JSON')
    .showHelpAfterError()
    .exitOverride()
    .configureOutput({ writeOut: (text) => world.out(text), writeErr: (text) => world.err(text) })
  addServeCommands(program, world)
  addTenantCommands(program, world)
  addApplyCommand(program, world)
  addExportCommand(program, world)
  addKeyCommands(program, world)
  addClientCommands(program, world)
  addUserCommands(program, world)
  addUsageCommand(program, world)
  addDeliveryCommands(program, world)
  addListenCommand(program, world)
  addWebhookSecretCommands(program, world)
  addCertificateCommands(program, world)
  addTrustListCommands(addAnchorCommands(program, world), world)
  addWalletCommands(program, world)
  addRegistrarCommands(program, world)
  addRegisterCommands(program, world)
  addDeviceSimulation(addDeviceCommands(program, world), world)
  addSettingsCommand(program, world)
  addOriginCommands(program, world)
  addBrandingCommands(program, world)
  addResultKeyCommands(program, world)
  addTemplateCommands(program, world)
  addTransactionTypeCommands(program, world)
  addRegistrationCommands(program, world)
  addRequestCommands(program, world)
  addAuditCommands(program, world)
  addRestoreCommands(program, world)
  addReceiptCommands(program, world)
  addEvidenceCommand(program, world)
  addWitnessCommand(program, world)
  addMasterKeyCommands(program, world)
  addDoctorCommand(program, world)
  // What was wrong stays in sight: the list of all commands is longer than a screen.
  program.showHelpAfterError('`vidimus --help` lists the commands.')
  // `vidimus key list --json` and `vidimus --json key list` mean the same.
  for (const command of everyCommand(program)) if (command !== program) command.option('--json', 'answer with JSON')
  return program
}

/** Runs one command line and gives the exit code: 0 done, 1 refused or failed, 2 a mistake in the call. */
export async function runProgram(world: CliWorld, args: readonly string[]): Promise<number> {
  try {
    await buildProgram(world).parseAsync([...args], { from: 'user' })
    return 0
  } catch (error) {
    // `audit` speaks to scripts by its exit codes, and 2 means something else there.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : args[0] === 'audit' ? 3 : 2
    if (error instanceof CliProblem) return fail(world, error.message, error.exitCode)
    if (error instanceof ConfigError) return fail(world, `The configuration is not right:\n${error.message}`, 1)
    if (error instanceof Refusal) return fail(world, error.publicMessage ?? error.code, 1)
    const trouble = troubleOf(error)
    if (trouble !== null) {
      const { area, finding, mend } = trouble
      return fail(world, `${area}: ${finding}${mend === undefined ? '' : ` → ${mend}`}`, 1)
    }
    throw error
  }
}

function fail(world: Printer, message: string, code: number): number {
  world.err(`${message}\n`)
  return code
}

function everyCommand(command: Command): Command[] {
  return [command, ...command.commands.flatMap(everyCommand)]
}
