// vidimus doctor: what is wrong, and how to mend it.

import type { Command } from 'commander'
import type { Diagnosis } from '../domain/diagnosis.ts'
import { diagnose } from '../usecases/operator/diagnose.ts'
import { answer, CliProblem } from './print.ts'
import type { CliWorld } from './world.ts'

const MARKS = { ok: 'ok  ', warning: 'WARN', problem: 'FAIL' } as const

export function addDoctorCommand(program: Command, world: CliWorld): void {
  program
    .command('doctor')
    .description('check configuration, store, keys and clock')
    .action(async (_options: unknown, command: Command) => {
      const findings = await examine(world)
      const lines = findings.map(
        ({ status, area, finding, mend }) =>
          `${MARKS[status]}  ${area}: ${finding}${mend === undefined ? '' : `\n      → ${mend}`}`,
      )
      answer(world, command, { json: { findings }, text: lines.join('\n') })
      const problems = findings.filter(({ status }) => status === 'problem').length
      if (problems > 0) throw new CliProblem(`${problems} problem${problems === 1 ? '' : 's'} found`)
    })
}

/** Whether the service of this data directory answers where it said that it runs. */
async function reachService(world: CliWorld): Promise<Diagnosis[]> {
  const running = await world.runningService()
  if (running === null) return []
  const { address, baseUrl } = running
  const answered = await world.reach(`${address}/readyz`).then(
    ({ status }) => status,
    () => null,
  )
  if (answered === 200) return [{ area: 'service', status: 'ok', finding: `answers at ${address} (${baseUrl})` }]
  const finding =
    answered === null ? `nothing answers at ${address}, where it ran last` : `${address} answers ${answered}`
  return [{ area: 'service', status: 'warning', finding, mend: 'start it (`npm start`), or look into its log' }]
}

async function examine(world: CliWorld): Promise<Diagnosis[]> {
  const problems = await world.configProblems()
  if (problems.length > 0) {
    return problems.map((finding) => ({
      area: 'configuration',
      status: 'problem',
      finding,
      mend: 'see docs/operating.md',
    }))
  }
  const configuration: Diagnosis = { area: 'configuration', status: 'ok', finding: 'every variable is understood' }
  try {
    return [configuration, ...(await reachService(world)), ...(await world.withDeps(diagnose))]
  } catch (error) {
    const finding = error instanceof Error ? error.message : 'the store cannot be opened'
    return [
      configuration,
      { area: 'store', status: 'problem', finding, mend: 'check DATABASE_URL, or the data directory and its disk' },
    ]
  }
}
