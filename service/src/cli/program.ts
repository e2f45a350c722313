// The command line: all commands, each with --json. They work while a server runs.

import { Command, CommanderError } from 'commander'
import { CliProblem, type Printer } from '../platform/cli/print.ts'
import { troubleOf } from '../platform/cli/trouble.ts'
import { ConfigError } from '../platform/config/config-problems.ts'
import { Refusal } from '../platform/errors.ts'
import { VERSION } from '../platform/version.ts'
import type { CliWorld } from './world.ts'

type Add = (program: Command, world: CliWorld) => void

interface CommandGroup {
  /** The names of the commands that `load` adds. */
  readonly names: readonly string[]
  readonly load: () => Promise<Add>
}

/** In the order of the help. Only the requested command is loaded: a witness starts in a quarter of the CPU time. */
export const COMMANDS: readonly CommandGroup[] = [
  { names: ['serve', 'migrate'], load: async () => (await import('./serve.ts')).addServeCommands },
  {
    names: ['tenant'],
    load: async () => {
      const { addTenantCommands } = await import('../core/tenants/cli/tenant.ts')
      const { addMoveCommands } = await import('../features/operator/cli/tenant-move.ts')
      return (program, world) => addMoveCommands(addTenantCommands(program, world), world)
    },
  },
  { names: ['apply'], load: async () => (await import('../features/setup/cli/apply.ts')).addApplyCommand },
  { names: ['export'], load: async () => (await import('../features/setup/cli/export.ts')).addExportCommand },
  { names: ['key'], load: async () => (await import('../features/operator/cli/key.ts')).addKeyCommands },
  { names: ['client'], load: async () => (await import('../features/oidc/cli/client.ts')).addClientCommands },
  {
    names: ['conformance'],
    load: async () => (await import('../features/conformance/cli/conformance.ts')).addConformanceCommands,
  },
  { names: ['user'], load: async () => (await import('../features/staff/cli/user.ts')).addUserCommands },
  { names: ['usage'], load: async () => (await import('../features/operator/cli/usage.ts')).addUsageCommand },
  { names: ['delivery'], load: async () => (await import('../features/webhooks/cli/delivery.ts')).addDeliveryCommands },
  { names: ['listen'], load: async () => (await import('../features/webhooks/cli/listen.ts')).addListenCommand },
  {
    names: ['webhook-secret'],
    load: async () => (await import('../features/webhooks/cli/delivery.ts')).addWebhookSecretCommands,
  },
  {
    names: ['certificate'],
    load: async () => (await import('../features/trust/cli/certificate.ts')).addCertificateCommands,
  },
  { names: ['anchor'], load: loadAnchors },
  { names: ['wallet'], load: async () => (await import('../features/sandbox/cli/wallet.ts')).addWalletCommands },
  {
    names: ['registrar'],
    load: async () => (await import('../features/sandbox/cli/registrar.ts')).addRegistrarCommands,
  },
  {
    names: ['register'],
    load: async () => (await import('../features/registration/cli/register.ts')).addRegisterCommands,
  },
  { names: ['device'], load: loadDevices },
  { names: ['settings'], load: async () => (await import('../core/tenants/cli/settings.ts')).addSettingsCommand },
  { names: ['origin'], load: async () => (await import('../features/trust/cli/origin.ts')).addOriginCommands },
  { names: ['branding'], load: async () => (await import('../features/pages/cli/branding.ts')).addBrandingCommands },
  {
    names: ['result-key'],
    load: async () => (await import('../features/operator/cli/result-key.ts')).addResultKeyCommands,
  },
  { names: ['template'], load: async () => (await import('../core/templates/cli/template.ts')).addTemplateCommands },
  {
    names: ['transaction-type'],
    load: async () => (await import('../features/operator/cli/transaction-type.ts')).addTransactionTypeCommands,
  },
  {
    names: ['registration'],
    load: async () => (await import('../features/registration/cli/registration.ts')).addRegistrationCommands,
  },
  {
    names: ['requests'],
    load: async () => (await import('../features/registration/cli/requests.ts')).addRequestCommands,
  },
  {
    names: ['audit'],
    load: async () => {
      const { addAuditCommands } = await import('../features/audit/cli/audit.ts')
      const { addReplayErasures } = await import('../features/operator/cli/restore.ts')
      const { addUseKey } = await import('../features/operator/cli/note-keys.ts')
      return (program, world) => {
        const audit = addAuditCommands(program, world)
        addReplayErasures(audit, world)
        addUseKey(audit, world, 'audit')
      }
    },
  },
  { names: ['mail'], load: async () => (await import('../features/mail/cli/mail.ts')).addMailCommands },
  { names: ['restore'], load: async () => (await import('../features/operator/cli/restore.ts')).addRestoreCommands },
  {
    names: ['log'],
    load: async () => {
      const { addLogCommands } = await import('../features/transparency/cli/log.ts')
      const { addUseKey } = await import('../features/operator/cli/note-keys.ts')
      return (program, world) => addUseKey(addLogCommands(program, world), world, 'log')
    },
  },
  {
    names: ['receipt'],
    load: async () => {
      const { addReceiptCommands } = await import('../features/transparency/cli/receipt.ts')
      const { addCertificateCommand } = await import('../features/certificates/cli/certificate.ts')
      const { renderCertificate } = await import('../features/certificates/http/render-certificate.ts')
      return (program, world) => addCertificateCommand(addReceiptCommands(program, world), world, renderCertificate)
    },
  },
  { names: ['evidence'], load: async () => (await import('../features/evidence/cli/evidence.ts')).addEvidenceCommand },
  { names: ['witness'], load: async () => (await import('../features/transparency/cli/witness.ts')).addWitnessCommand },
  {
    names: ['accept-epoch'],
    load: async () => (await import('../features/transparency/cli/accept-epoch.ts')).addAcceptEpochCommand,
  },
  {
    names: ['master-key'],
    load: async () => (await import('../features/operator/cli/master-key.ts')).addMasterKeyCommands,
  },
  { names: ['doctor'], load: async () => (await import('../features/operator/cli/doctor.ts')).addDoctorCommand },
]

async function loadAnchors(): Promise<Add> {
  const [{ addAnchorCommands }, { addTrustListCommands }] = await Promise.all([
    import('../features/trust/cli/anchor.ts'),
    import('../features/trust/cli/trust-list.ts'),
  ])
  return (program, world) => addTrustListCommands(addAnchorCommands(program, world), world)
}

async function loadDevices(): Promise<Add> {
  const [{ addDeviceCommands }, { addDeviceSimulation }] = await Promise.all([
    import('../features/devices/cli/device.ts'),
    import('../features/devices/cli/device-simulate.ts'),
  ])
  return (program, world) => addDeviceSimulation(addDeviceCommands(program, world), world)
}

/** Builds the program with the requested command, or with all of them if there is no such command. */
export async function buildProgram(world: CliWorld, command?: string): Promise<Command> {
  const program = new Command('vidimus')
    .description('Vidimus: a hosted OpenID4VP verifier.')
    .version(VERSION)
    .option('--json', 'answer with JSON')
    .exitOverride()
    .configureOutput({ writeOut: (text) => world.out(text), writeErr: (text) => world.err(text) })
    // Each command shows its own help. Commands copy this setting when they are added.
    .showHelpAfterError()
  const groups = COMMANDS.filter(({ names }) => command !== undefined && names.includes(command))
  for (const { load } of groups.length > 0 ? groups : COMMANDS) (await load())(program, world)
  // Omits the list of all commands after an error, because the list is longer than a screen.
  program.showHelpAfterError('`vidimus --help` lists the commands.')
  // `vidimus key list --json` and `vidimus --json key list` mean the same.
  for (const command of everyCommand(program)) if (command !== program) command.option('--json', 'answer with JSON')
  return program
}

/** Runs one command line and returns the exit code: 0 done, 1 refused or failed, 2 wrong arguments. */
export async function runProgram(world: CliWorld, args: readonly string[]): Promise<number> {
  const first = args.findIndex((arg) => !arg.startsWith('-'))
  // Help without a command lists all of them.
  const isForAll = args.slice(0, Math.max(0, first)).some((arg) => arg === '-h' || arg === '--help')
  const command = isForAll ? undefined : args[first]
  try {
    const program = await buildProgram(world, command)
    await program.parseAsync([...args], { from: 'user' })
    return 0
  } catch (error) {
    // The exit codes of `audit` are documented, and 2 has another meaning there.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : command === 'audit' ? 3 : 2
    if (error instanceof CliProblem) return fail(world, error.message, error.exitCode)
    if (error instanceof ConfigError) return fail(world, `The configuration is not valid:\n${error.message}`, 1)
    if (error instanceof Refusal) return fail(world, error.publicMessage ?? error.code, 1)
    const trouble = troubleOf(error)
    if (trouble !== null) {
      const { area, finding, remedy } = trouble
      return fail(world, `${area}: ${finding}${remedy === undefined ? '' : ` → ${remedy}`}`, 1)
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
