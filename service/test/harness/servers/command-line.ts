// Runs `vidimus …` in the test's process, on the test's own service: its output and exit code.

import assert from 'node:assert/strict'
import { runProgram } from '../../../src/cli/program.ts'
import type { TestService } from '../service.ts'

export interface CommandOutput {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** Runs commands that need no store. A request for a store fails. */
export const commandLineWithoutStore = () =>
  commandLine({
    get deps(): TestService['deps'] {
      return assert.fail('it asks for the store')
    },
  })

export function commandLine(service: Pick<TestService, 'deps'>) {
  const run = async (...args: readonly string[]): Promise<CommandOutput> => {
    const output = { out: '', err: '' }
    const world = {
      out: (text: string) => {
        output.out += text
      },
      err: (text: string) => {
        output.err += text
      },
      reach: globalThis.fetch,
      withDeps: <T>(work: (deps: TestService['deps']) => Promise<T>) => work(service.deps),
      withOtherDeps: () => Promise.reject(new Error('there is no other installation')),
      inspect: <T>(work: (deps: TestService['deps']) => Promise<T>) => work(service.deps),
      serve: async () => assert.fail('not asked for'),
      serveWitness: async () => assert.fail('not asked for'),
      migrate: async () => assert.fail('not asked for'),
      planMigration: async () => assert.fail('not asked for'),
      wrapMasterKey: async () => assert.fail('not asked for'),
      configProblems: async () => [],
      unreadVariables: [],
      runningService: async () => null,
    }
    return { code: await runProgram(world, args), ...output }
  }
  return {
    run,
    /** Returns its JSON output; the command must succeed. */
    async json(...args: readonly string[]) {
      const { code, out, err } = await run(...args, '--json')
      assert.equal(code, 0, err)
      return JSON.parse(out)
    },
  }
}
