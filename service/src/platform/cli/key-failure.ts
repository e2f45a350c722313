// Reports that a command could not use a key outside of the process.

import { KeyFailure } from '../keys/key-provider.ts'
import { CliProblem } from './print.ts'

export function explainKeyFailure(error: unknown): never {
  if (error instanceof KeyFailure) throw new CliProblem(`the key cannot be used: ${error.message}`)
  throw error
}
