// `vidimus doctor`: reports problems and how to fix them, without changing anything.

import type { Command } from 'commander'
import type { CliWorld } from '../../../cli/world.ts'
import { answer, CliProblem } from '../../../platform/cli/print.ts'
import { troubleOf } from '../../../platform/cli/trouble.ts'
import { unreadWarning } from '../../../platform/config/config-problems.ts'
import type { Diagnosis } from '../../../platform/diagnosis.ts'
import { diagnose } from '../usecases/diagnose.ts'

const MARKS = { ok: 'ok  ', warning: 'WARN', problem: 'FAIL' } as const

export function addDoctorCommand(program: Command, world: CliWorld): void {
  program
    .command('doctor')
    .description('check configuration, store, keys and clock; nothing is changed')
    .action(async (_options: unknown, command: Command) => {
      const findings = await examine(world)
      const lines = findings.map(
        ({ status, area, finding, remedy }) =>
          `${MARKS[status]}  ${area}: ${finding}${remedy === undefined ? '' : `\n      → ${remedy}`}`,
      )
      answer(world, command, { json: { findings }, text: lines.join('\n') })
      const problems = findings.filter(({ status }) => status === 'problem').length
      if (problems > 0) throw new CliProblem(`${problems} problem${problems === 1 ? '' : 's'} found`)
    })
}

/** A service that takes longer counts as not answering. */
const REACH_MS = 5_000

/** Whether the service of this data directory answers at its recorded address. */
async function reachService(world: CliWorld): Promise<Diagnosis[]> {
  const running = await world.runningService()
  if (running === null) return []
  const { address, baseUrl } = running
  const answered = await world.reach(`${address}/readyz`, { signal: AbortSignal.timeout(REACH_MS) }).then(
    ({ status }) => status,
    () => null,
  )
  if (answered === 200) return [{ area: 'service', status: 'ok', finding: `answers at ${address} (${baseUrl})` }]
  const finding =
    answered === null ? `nothing answers at ${address}, its last address` : `${address} answers ${answered}`
  return [{ area: 'service', status: 'warning', finding, remedy: 'start it (`npm start`), or look into its log' }]
}

function unreadVariables({ unreadVariables: names }: CliWorld): Diagnosis[] {
  if (names.length === 0) return [{ area: 'configuration', status: 'ok', finding: 'all variables are known' }]
  const remedy = 'see docs/operating.md for how it is spelt'
  return names.map((name) => ({ area: 'configuration', status: 'warning', finding: unreadWarning(name), remedy }))
}

async function examine(world: CliWorld): Promise<Diagnosis[]> {
  const found: Diagnosis[] = []
  try {
    const problems = await world.configProblems()
    if (problems.length > 0) {
      return problems.map((finding) => ({
        area: 'configuration',
        status: 'problem',
        finding,
        remedy: 'see docs/operating.md',
      }))
    }
    found.push(...unreadVariables(world))
    found.push(...(await reachService(world)))
    return [...found, ...(await world.inspect(diagnose))]
  } catch (error) {
    const trouble = troubleOf(error)
    if (trouble === null) throw error
    return [...found, { ...trouble, status: 'problem' }]
  }
}
