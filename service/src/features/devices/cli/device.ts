// Commands for venue devices: `vidimus device register | list | revoke`.

import type { Command } from 'commander'
import { PAIRING_TTL_SECONDS } from '../../../../../wire/values/devices.ts'
import { NAME_LENGTH_MAX } from '../../../../../wire/values/names.ts'
import { type CliWorld, checkEnvironment, inRealm, OPERATOR, type RealmOptions, realmOf } from '../../../cli/world.ts'
import { isLine } from '../../../core/tenants/domain/names.ts'
import { findTenant } from '../../../core/tenants/usecases/manage-tenants.ts'
import { answer, CliProblem, table, wholeNumber } from '../../../platform/cli/print.ts'
import { millisecondsOf } from '../../../platform/world.ts'
import { type Device, renderDevice, renderDeviceForStaff } from '../domain/device.ts'
import { listDevices } from '../usecases/list-devices.ts'
import { registerDevice } from '../usecases/register-device.ts'
import { revokeDevice } from '../usecases/revoke-device.ts'

export function addDeviceCommands(program: Command, world: CliWorld): Command {
  const device = program.command('device').description('venue devices: register, list, revoke, simulate')
  addRegister(device, world)
  addList(device, world)
  addRevoke(device, world)
  return device
}

function addRegister(device: Command, world: CliWorld): void {
  inRealm(device.command('register').description('register a device and mint its pairing code'))
    .requiredOption('--name <name>', 'name of the device, shown to staff and in the audit trail')
    .requiredOption('--template <key...>', 'the templates that the device may use')
    .option('--pairing-ttl-seconds <n>', 'how long the code works', String(PAIRING_TTL_SECONDS.fallback))
    .action(
      async (
        options: RealmOptions & { name: string; template: string[]; pairingTtlSeconds: string },
        command: Command,
      ) => {
        const input = {
          tenantId: options.tenant,
          environment: checkEnvironment(options.environment),
          name: checkText(options.name, '--name'),
          allowedTemplates: checkTemplates(options.template),
          pairingTtlSeconds: checkTtl(options.pairingTtlSeconds),
          actor: OPERATOR,
        }
        const registered = await world.withDeps(async (deps) => {
          if ((await findTenant(deps, input.tenantId)) === null) {
            throw new CliProblem(`there is no tenant ${input.tenantId}`)
          }
          return registerDevice(deps, input)
        })
        answer(world, command, {
          json: { device: renderDevice(registered.device), pairing_code: registered.pairingCode },
          text: `Registered ${registered.device.id} (${registered.device.name}). Pair it before ${registered.device.pairingExpiresAt}; the code is shown this once:\n\n  ${registered.pairingCode}\n`,
        })
      },
    )
}

function addList(device: Command, world: CliWorld): void {
  inRealm(device.command('list').description('list devices, newest first')).action(
    async (options: RealmOptions, command: Command) => {
      const realm = realmOf(options)
      const { devices, nowMs } = await world.withDeps(async (deps) => ({
        devices: await listDevices(deps, realm),
        nowMs: deps.clock.now(),
      }))
      const rows = devices.map((row) => [
        row.id,
        row.name,
        stateOf(row, nowMs),
        row.allowedTemplates.join(' '),
        row.lastSeenAt ?? 'never',
      ])
      answer(world, command, {
        json: { data: devices.map(renderDeviceForStaff) },
        text:
          rows.length === 0 ? 'There is no device.' : table(['ID', 'NAME', 'STATE', 'TEMPLATES', 'LAST SEEN'], rows),
      })
    },
  )
}

function addRevoke(device: Command, world: CliWorld): void {
  inRealm(device.command('revoke').description('revoke a device now').argument('<device>', 'its id')).action(
    async (deviceId: string, options: RealmOptions, command: Command) => {
      const realm = realmOf(options)
      const revoked = await world.withDeps((deps) => revokeDevice(deps, { ...realm, deviceId, actor: OPERATOR }))
      answer(world, command, {
        json: renderDeviceForStaff(revoked),
        text: `Revoked ${revoked.id} (${revoked.name}) at ${revoked.revokedAt}.`,
      })
    },
  )
}

function stateOf(device: Device, nowMs: number): string {
  if (device.status === 'revoked') {
    return `revoked ${device.revokedReason === 'refresh_reuse' ? '(a spent token was used)' : `(${device.revokedReason})`}`
  }
  if (device.status === 'active') return 'active'
  return millisecondsOf(device.pairingExpiresAt) <= nowMs ? 'pending, code expired' : 'pending'
}

function checkText(text: string, name: string): string {
  if (isLine(text, NAME_LENGTH_MAX)) return text
  throw new CliProblem(`${name} must have 1 to ${NAME_LENGTH_MAX} characters and no control characters`)
}

function checkTemplates(keys: readonly string[]): readonly string[] {
  if (keys.length > 20) throw new CliProblem('--template takes at most 20 keys')
  return keys.map((key) => checkText(key, '--template'))
}

function checkTtl(text: string): number {
  const seconds = wholeNumber(text, '--pairing-ttl-seconds')
  const { min, max } = PAIRING_TTL_SECONDS
  if (seconds < min || seconds > max) throw new CliProblem(`--pairing-ttl-seconds must be ${min} to ${max}`)
  return seconds
}
