// `vidimus export`: writes the installation as a set-up file, without secrets.

import { writeFile } from 'node:fs/promises'
import type { Command } from 'commander'
import type { CliWorld } from '../../../cli/world.ts'
import { CliProblem } from '../../../platform/cli/print.ts'
import { exportSetup } from '../usecases/export-setup.ts'

interface ExportOptions {
  readonly out?: string
  readonly ids?: boolean
}

export function addExportCommand(program: Command, world: CliWorld): void {
  program
    .command('export')
    .description('write tenants, keys, templates and trust as a file for `vidimus apply`, without secrets')
    .option('-o, --out <path>', 'write to a new file that only its owner can read (default: print)')
    .option('--ids', 'with tenant ids: needed if two tenants have the same name; valid only for this installation')
    .action(async (options: ExportOptions, command: Command) => {
      const exported = await world.withDeps((deps) => exportSetup(deps, { withIds: options.ids === true }))
      if ('ambiguous' in exported)
        throw new CliProblem(`two tenants are called '${exported.ambiguous}': rename one, or say --ids`, 1)
      const { renderSetupText } = await import('./setup-file.ts')
      for (const one of exported.leftOut) world.err(`Left out: ${one}\n`)
      const text = renderSetupText(exported.setup, command.optsWithGlobals().json === true ? 'json' : 'yaml')
      if (options.out === undefined) {
        world.out(text)
        return
      }
      const path = options.out
      await writeFile(path, text, { mode: 0o600, flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
        throw new CliProblem(`${path} cannot be written (${error.code ?? 'unknown reason'})`, 1)
      })
      world.err(`Wrote ${exported.setup.tenants.length} tenants to ${path}.\n`)
    })
}
