// Options that many trust commands share: whose, which environment, and files.

import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import type { Owner } from '../usecases/trust/manage-certificates.ts'
import { checkEnvironment } from './key.ts'
import { CliProblem } from './print.ts'

export interface OwnerOptions {
  readonly tenant?: string
  readonly environment: string
}

export function withOwner(command: Command, everyone: string): Command {
  return command
    .option('--tenant <id>', `a tenant's own (default: ${everyone})`)
    .requiredOption('--environment <environment>', 'test or live')
}

export function ownerOf(options: OwnerOptions): Owner {
  return { tenantId: options.tenant ?? null, environment: checkEnvironment(options.environment) }
}

export async function readBytes(path: string): Promise<Uint8Array> {
  try {
    return await readFile(path)
  } catch (error) {
    throw new CliProblem(`${path} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown reason'})`)
  }
}
