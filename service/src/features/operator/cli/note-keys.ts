// Commands that move a signing key to a key service: `vidimus log use-key`, `vidimus audit use-key`.

import type { Command } from 'commander'
import type { CliWorld } from '../../../cli/world.ts'
import { explainKeyFailure } from '../../../platform/cli/key-failure.ts'
import { answer, CliProblem } from '../../../platform/cli/print.ts'
import { REFERENCE_SHAPE } from '../../../platform/keys/key-reference.ts'
import { moveNoteKey, type NoteRole } from '../usecases/move-note-key.ts'

export function addUseKey(group: Command, world: CliWorld, role: NoteRole): void {
  group
    .command('use-key')
    .description(
      'sign all checkpoints with a key in your HSM or key service, from the first one on; the service must be stopped',
    )
    .requiredOption('--key <reference>', `created there if it does not exist: ${REFERENCE_SHAPE}`)
    .action(async (options: { readonly key: string }, command: Command) => {
      const moved = await world.withDeps((deps) => moveNoteKey(deps, role, options.key)).catch(explainKeyFailure)
      if (moved.outcome === 'refused') throw new CliProblem(moved.problem)
      answer(world, command, { json: { key: options.key }, text: `Checkpoints are signed with ${options.key}.` })
    })
}
