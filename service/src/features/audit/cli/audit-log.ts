// The offline part of `vidimus audit verify`: verifies the proof of a receipt, or a mirror of the public log.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { CliProblem } from '../../../platform/cli/print.ts'
import { type NoteKey, readNoteKey } from '../../../platform/signed-note.ts'
import { isEnvironment } from '../../../platform/world.ts'
import type { LogFindings } from '../../transparency/domain/log/findings.ts'
import { verifyConsistency } from '../../transparency/usecases/verify-consistency.ts'
import { type TenantChain, verifyMirror, verifyReceiptProof } from '../../transparency/usecases/verify-log.ts'
import { parseObject, readLine } from '../domain/export.ts'

const WRONG_OPTIONS = 3

export interface LogOptions {
  readonly proof?: string
  readonly receipt?: string
  readonly log?: string
  readonly logKey?: string
  readonly witnessKey?: readonly string[]
  readonly blindingKey?: string
  readonly checkpoint?: readonly string[]
  readonly epoch?: readonly string[]
  readonly from?: string
  readonly to?: string
}

/** Like `verifyProofFile`, for files that were already read. */
export async function verifyProofText(
  options: LogOptions,
  { proof, receipt }: { readonly proof: string; readonly receipt: string },
): Promise<LogFindings> {
  return verifyReceiptProof(proof, receipt, keysOf(options), await epochsOf(options))
}

export async function verifyProofFile(options: LogOptions & { readonly proof: string }): Promise<LogFindings> {
  if (options.receipt === undefined) throw new CliProblem('--receipt is needed with --proof', WRONG_OPTIONS)
  return verifyProofText(options, { proof: await textOf(options.proof), receipt: await textOf(options.receipt) })
}

/** Verifies a mirror of the log. `exported` are the lines of a verified export, whose chain must be in the mirror. */
export async function verifyMirrorFolder(
  options: LogOptions & { readonly log: string },
  exported: AsyncIterable<string> | null,
): Promise<LogFindings> {
  const { log: folder, blindingKey } = options
  if ((exported === null) !== (blindingKey === undefined))
    throw new CliProblem('with --log, --export and --blinding-key go together', WRONG_OPTIONS)
  const older = await Promise.all((options.checkpoint ?? []).map(textOf))
  const chain = exported === null || blindingKey === undefined ? null : await chainOf(exported, blindingKey)
  const read = (path: string) => readFile(join(folder, path)).catch(() => null)
  return verifyMirror({ read, keys: keysOf(options), older, epochs: await epochsOf(options), chain })
}

/** Verifies that the older of two checkpoints is consistent with the newer one. */
export async function verifyGrowth(
  options: LogOptions & { readonly log: string; readonly from: string },
): Promise<LogFindings> {
  const { log: folder, from, to } = options
  const read = (path: string) => readFile(join(folder, path)).catch(() => null)
  const newer = await textOf(to ?? join(folder, 'checkpoint'))
  const epochs = await epochsOf(options)
  return verifyConsistency({ read, keys: keysOf(options), older: await textOf(from), newer, epochs })
}

async function chainOf(lines: AsyncIterable<string>, blindingKey: string): Promise<TenantChain> {
  if (!/^[0-9a-f]{64}$/.test(blindingKey)) throw new CliProblem('--blinding-key is 64 hex digits', WRONG_OPTIONS)
  const hashes = new Map<number, string>()
  const times = new Map<number, string>()
  let realm: TenantChain['realm'] | null = null
  for await (const text of lines) {
    const line = readLine(text)
    if (line.kind === 'entry') {
      hashes.set(line.entry.seq, line.entry.hash)
      times.set(line.entry.seq, String(parseObject(line.entry.entry)?.at))
    }
    if (line.kind === 'header' && isEnvironment(line.environment)) {
      realm = { tenantId: line.tenantId, environment: line.environment }
    }
  }
  if (realm === null) throw new CliProblem('the file is not an export', WRONG_OPTIONS)
  return { realm, blindingKey: Buffer.from(blindingKey, 'hex'), hashes, times }
}

export function keysOf({ logKey, witnessKey = [] }: LogOptions): { log: NoteKey; witnesses: NoteKey[] } {
  if (logKey === undefined) throw new CliProblem('--log-key is needed: the text that /log/key shows', WRONG_OPTIONS)
  return { log: keyOf(logKey, 0x01), witnesses: witnessKey.map((text) => keyOf(text, 0x04)) }
}

function keyOf(text: string, type: NoteKey['type']): NoteKey {
  const key = readNoteKey(text)
  if (key === null || key.type !== type) throw new CliProblem(`not a key of the expected type: ${text}`, WRONG_OPTIONS)
  return key
}

const epochsOf = ({ epoch = [] }: LogOptions) => Promise.all(epoch.map(textOf))

async function textOf(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => {
    throw new CliProblem(`the file ${path} cannot be read`, WRONG_OPTIONS)
  })
}
