// What a command says when a key outside of the process cannot be used.

import { KeyFailure } from '../keys/key-provider.ts'
import { CliProblem } from './print.ts'

export function explainKeyFailure(error: unknown): never {
  if (error instanceof KeyFailure) throw new CliProblem(`the key cannot be used: ${error.message}`)
  throw error
}
