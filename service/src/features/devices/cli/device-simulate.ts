// `vidimus device simulate`: a simulated till. It pairs over the network like any device, and the test wallet answers.

import {
  createDeviceClient,
  type DeviceClient,
  memoryStorage,
  PairAgainError,
  RefusedError,
  UnreachableError,
  type Verification,
} from '@vidimus/sdk'
import type { Command } from 'commander'
import { type CliWorld, OPERATOR, overHttp } from '../../../cli/world.ts'
import { findTenant } from '../../../core/tenants/usecases/manage-tenants.ts'
import type { Deps } from '../../../deps.ts'
import { answer, CliProblem, wholeNumber } from '../../../platform/cli/print.ts'
import type { Exchange, Sandbox } from '../../trust/index.ts'
import { registerDevice } from '../usecases/register-device.ts'
import { revokeDevice } from '../usecases/revoke-device.ts'

interface SimulateOptions {
  tenant?: string
  code?: string
  url?: string
  template: string
  count: string
  scenario: string
}

const PAIRING_SECONDS = 60

export function addDeviceSimulation(device: Command, world: CliWorld): void {
  device
    .command('simulate')
    .description('pair as a device and run verifications against the test wallet')
    .option('--tenant <id>', 'registers a device of this tenant (test environment), and revokes it at the end')
    .option('--code <pairing code>', 'pairs with this code instead')
    .option('--url <address>', 'where the service is (default: its base URL)')
    .option('--template <key>', 'what to ask for', 'age_over_18')
    .option('--count <n>', 'how many verifications', '1')
    .option('--scenario <name>', 'what the wallet does; see `vidimus wallet present --scenario list`', 'good')
    .action(async (options: SimulateOptions, command: Command) => {
      const count = wholeNumber(options.count, '--count')
      const result = await world.withDeps((deps) => simulate(deps, { options, count, reach: world.reach }))
      const lines = result.verifications.map(({ id, status, claims, error }) =>
        [id, status, claims === undefined ? (error?.code ?? '') : JSON.stringify(claims)].join('  ').trimEnd(),
      )
      answer(world, command, { json: result, text: [`${result.device.name} is paired.`, ...lines].join('\n') })
    })
}

interface Simulation {
  readonly options: SimulateOptions
  readonly count: number
  readonly reach: typeof globalThis.fetch
}

async function simulate(deps: Deps, simulation: Simulation) {
  const { options, reach } = simulation
  const { sandbox } = deps
  if (sandbox === null) throw new CliProblem('the sandbox is off: set VIDIMUS_SANDBOX=on')
  if (!sandbox.scenarios.some(({ name }) => name === options.scenario)) {
    throw new CliProblem(`there is no scenario ${options.scenario}; see \`vidimus wallet present --scenario list\``)
  }
  const baseUrl = (options.url ?? deps.config.baseUrl).replace(/\/$/, '')
  const till = createDeviceClient({ baseUrl, storage: memoryStorage(), fetch: reach, now: () => deps.clock.now() })
  const { code, done } = await pairingCodeFor(deps, options)
  try {
    const device = await withCliProblems(() => till.enroll(code))
    const verifications: Verification[] = []
    for (let round = 0; round < simulation.count; round += 1) {
      verifications.push(
        await withCliProblems(() => verifyOnce(deps, { till, sandbox, options, exchange: overHttp({ reach }) })),
      )
    }
    return { device: (await till.device()) ?? device, verifications }
  } finally {
    await done()
  }
}

/** Returns the caller's code, or the code of a device that exists only during the simulation. */
async function pairingCodeFor(
  deps: Deps,
  options: SimulateOptions,
): Promise<{ code: string; done: () => Promise<unknown> }> {
  if (options.code !== undefined) return { code: options.code, done: async () => undefined }
  const { tenant } = options
  if (tenant === undefined) throw new CliProblem('give --tenant to register a device, or --code to pair with')
  if ((await findTenant(deps, tenant)) === null) throw new CliProblem(`there is no tenant ${tenant}`)
  const realm = { tenantId: tenant, environment: 'test', actor: OPERATOR } as const
  const { device, pairingCode } = await registerDevice(deps, {
    ...realm,
    name: 'Simulated till',
    allowedTemplates: [options.template],
    pairingTtlSeconds: PAIRING_SECONDS,
  })
  return { code: pairingCode, done: () => revokeDevice(deps, { ...realm, deviceId: device.id }) }
}

async function verifyOnce(
  deps: Deps,
  part: { till: DeviceClient; sandbox: Sandbox; options: SimulateOptions; exchange: Exchange },
): Promise<Verification> {
  const { till, sandbox, options, exchange } = part
  const created = await till.createVerification({ template: options.template })
  const presented = await sandbox.present(created.wallet_uri ?? '', {
    scenario: options.scenario,
    exchange,
    nowMs: deps.clock.now(),
  })
  if (presented.outcome === 'refused') throw new CliProblem(`the wallet refuses the request: ${presented.reason}`)
  return till.getVerification(created.id)
}

async function withCliProblems<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof RefusedError) throw new CliProblem(`the service refuses: ${error.code}: ${error.message}`)
    if (error instanceof UnreachableError) throw new CliProblem('the service does not answer; is it running?')
    if (error instanceof PairAgainError) throw new CliProblem(`the device must be paired again (${error.reason})`)
    throw error
  }
}
