// Commands that move a tenant to another installation: `vidimus tenant move copy | switch | finish | abort`.

import type { Command } from 'commander'
import type { CliWorld } from '../../../cli/world.ts'
import { answer, CliProblem, wholeNumber } from '../../../platform/cli/print.ts'
import { MoveRefused } from '../usecases/moving/copy-rows.ts'
import {
  abortMove,
  type Copied,
  copyTenant,
  finishMove,
  type Move,
  moveAlone,
  switchTenant,
} from '../usecases/moving/move-tenant.ts'

const STOP_SECONDS = 5
const STOP_SECONDS_MAX = 60

interface MoveOptions {
  readonly to: string
}

export function addMoveCommands(tenant: Command, world: CliWorld): void {
  const move = tenant.command('move').description('move a tenant to another installation (docs/scaling.md)')
  const named = (name: string, description: string) =>
    move
      .command(name)
      .description(description)
      .argument('<tenant>', 'its id')
      .requiredOption('--to <file>', "the other installation's environment variables, as for its service")
  const run = <T>(tenantId: string, { to }: MoveOptions, work: (move: Move) => Promise<T>): Promise<T> =>
    world
      .withDeps((source) =>
        world.withOtherDeps(to, (target) =>
          moveAlone({ source, target, tenantId, onStep: (step) => world.err(`${step}\n`) }, work),
        ),
      )
      .catch((error: unknown) => {
        throw error instanceof MoveRefused ? new CliProblem(error.message, 1) : error
      })
  named('copy', 'copy the tenant while it is served, and compare; can be repeated').action(
    async (tenantId: string, options: MoveOptions, command: Command) => {
      const copied = await run(tenantId, options, copyTenant)
      answer(world, command, { json: copied, text: `Copied. ${described(copied)}` })
    },
  )
  named('switch', 'copy, stop the tenant for a moment, verify, and open it there; repeat it after a crash')
    .option(
      '--stop-seconds <n>',
      `the longest stop; if it takes longer, the tenant stays here (1 to ${STOP_SECONDS_MAX})`,
      String(STOP_SECONDS),
    )
    .action(async (tenantId: string, options: MoveOptions & { stopSeconds: string }, command: Command) => {
      const stopSeconds = checkSeconds(options.stopSeconds)
      const switched = await run(tenantId, options, (prepared) => switchTenant(prepared, { stopSeconds }))
      const { stoppedMs } = switched
      const text =
        stoppedMs === null
          ? 'Moved by an earlier run. The other installation serves the tenant.'
          : `Moved. It was closed for ${(stoppedMs / 1000).toFixed(1)} s. ${described(switched)}`
      answer(world, command, { json: switched, text })
    })
  named('finish', 'delete the moved rows here, once nothing needs them').action(
    async (tenantId: string, options: MoveOptions, command: Command) => {
      const { waitUntil } = await run(tenantId, options, finishMove)
      if (waitUntil !== null)
        throw new CliProblem(`wallets may still fetch requests here until ${waitUntil}: finish after that`, 1)
      answer(world, command, { json: { finished: true }, text: 'Deleted. Calls for the tenant are redirected.' })
    },
  )
  named('abort', 'delete the copy there; the tenant stays where it is served').action(
    async (tenantId: string, options: MoveOptions, command: Command) => {
      await run(tenantId, options, abortMove)
      answer(world, command, {
        json: { aborted: true },
        text: 'Deleted the copy. The tenant is served where it was before.',
      })
    },
  )
}

function described({ counts, peopleLeft }: Copied): string {
  const rows = counts.reduce((all, one) => all + one.rows, 0)
  const people =
    peopleLeft === 0 ? '' : ` ${peopleLeft} of its staff have an account of another company: invite them again there.`
  return `${rows} rows in ${counts.length} tables.${people}`
}

function checkSeconds(text: string): number {
  const seconds = wholeNumber(text, '--stop-seconds')
  if (seconds < 1 || seconds > STOP_SECONDS_MAX) throw new CliProblem(`--stop-seconds must be 1 to ${STOP_SECONDS_MAX}`)
  return seconds
}
