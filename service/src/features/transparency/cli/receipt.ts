// vidimus receipt verify | keys | rotate-key
// Exit codes of verify: 0 it holds, 1 it does not, 2 a mistake in the call.

import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import type { CliWorld } from '../../../cli/world.ts'
import { answer, CliProblem } from '../../../platform/cli/print.ts'
import { type LogOptions, verifyProofFile } from '../../audit/cli/audit-log.ts'
import { renderFindings } from '../domain/log/findings.ts'
import { isResultOf, type ReceiptKeySet, verifyReceipt } from '../domain/receipt/verify-receipt.ts'
import { readReceiptKeys, rotateReceiptKey } from '../usecases/manage-receipt-keys.ts'

const MISTAKE = 2
const DOES_NOT_HOLD = 1
const SALT = /^[A-Za-z0-9_-]{43}$/

interface VerifyOptions extends LogOptions {
  readonly keys: string
  readonly result?: string
  readonly salt?: string
}

export function addReceiptCommands(program: Command, world: CliWorld): void {
  const receipt = program.command('receipt').description('receipts: verify, keys, rotate-key')
  receipt
    .command('verify')
    .description('verify a receipt offline; with --result and --salt, that it is about exactly that result')
    .argument('<file>', 'the receipt, as the API gave it')
    .requiredOption('--keys <file>', 'public keys, as /log/receipt-keys gives them')
    .option('--result <file>', 'the verification, as the API gave it')
    .option('--salt <salt>', 'of the header X-Vidimus-Receipt-Salt that came with it')
    .option('--proof <file>', 'its proof (receipt.tlog-proof): also that the log has it, with --log-key')
    .option('--log-key <key>', 'as /log/key shows it')
    .option('--witness-key <key...>', 'keys of witnesses that you believe')
    .option(
      '--epoch <file...>',
      'statements of epochs of the log, as /log/epoch/2 and so on show them: whether it was lost',
    )
    .action(async (file: string, options: VerifyOptions, command: Command) => verify(world, command, { file, options }))
  receipt
    .command('keys')
    .description('the public keys that receipts are verified with')
    .action(async (_options: unknown, command: Command) => {
      const keys = await world.withDeps(readReceiptKeys)
      answer(world, command, { json: keys, text: JSON.stringify(keys, null, 2) })
    })
  receipt
    .command('rotate-key')
    .description('make a new key for receipts: published at once, signing an hour later; old receipts keep verifying')
    .action(async (_options: unknown, command: Command) => {
      const { kid, activeAt } = await world.withDeps(rotateReceiptKey)
      answer(world, command, { json: { kid, active_at: activeAt }, text: `The key ${kid} signs from ${activeAt} on.` })
    })
}

async function verify(
  world: CliWorld,
  command: Command,
  { file, options }: { readonly file: string; readonly options: VerifyOptions },
): Promise<void> {
  const keys = readJson(await readText(options.keys), options.keys)
  if (!isKeySet(keys)) throw new CliProblem(`${options.keys} is not a set of keys`, MISTAKE)
  const verdict = verifyReceipt(await readText(file), keys)
  if (verdict.outcome !== 'genuine') throw new CliProblem(`not genuine: ${WHY_NOT[verdict.outcome]}`, DOES_NOT_HOLD)
  const { receipt } = verdict
  const bound = await isBound(options, receipt)
  if (bound === false) {
    throw new CliProblem('the receipt is genuine, but it is not about this result with this salt', DOES_NOT_HOLD)
  }
  const message = `The receipt is genuine: ${receipt.jti} (${receipt.env}) was ${receipt.verdict} at ${new Date(receipt.iat * 1000).toISOString()}.`
  const about =
    bound === null
      ? 'What the result was is not shown: that takes the result and its salt.'
      : 'It is about exactly this result.'
  const { proof } = options
  const logged = proof === undefined ? null : await verifyProofFile({ ...options, proof, receipt: file })
  if (logged?.outcome === 'broken') throw new CliProblem(`${message}\n${renderFindings(logged)}`, DOES_NOT_HOLD)
  const json = { outcome: 'genuine', result: bound, receipt, ...(logged && { log: logged.outcome }) }
  const inLog = logged === null ? [] : [renderFindings(logged)]
  answer(world, command, { json, text: [message, about, ...inLog].join('\n') })
}

const WHY_NOT = {
  malformed: 'it is no receipt',
  unknown_key: 'none of these keys has signed it',
  bad_signature: 'its signature does not hold',
} as const

/** null if there is no result to compare with. */
async function isBound(options: VerifyOptions, receipt: Parameters<typeof isResultOf>[0]): Promise<boolean | null> {
  const { result, salt } = options
  if ((result === undefined) !== (salt === undefined)) throw new CliProblem('--result and --salt go together', MISTAKE)
  if (result === undefined || salt === undefined) return null
  if (!SALT.test(salt)) throw new CliProblem('--salt is 43 characters of base64url', MISTAKE)
  const verification = readJson(await readText(result), result)
  return isResultOf(receipt, verification, Buffer.from(salt, 'base64url'))
}

async function readText(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => {
    throw new CliProblem(`the file ${path} cannot be read`, MISTAKE)
  })
}

function readJson(text: string, path: string): Readonly<Record<string, unknown>> {
  try {
    const json: unknown = JSON.parse(text)
    if (typeof json === 'object' && json !== null && !Array.isArray(json)) return json as Record<string, unknown>
  } catch {
    // Reported below, like every other text that is not an object.
  }
  throw new CliProblem(`the file ${path} is not a JSON object`, MISTAKE)
}

const isKeySet = (json: Readonly<Record<string, unknown>>): json is Readonly<Record<string, unknown>> & ReceiptKeySet =>
  Array.isArray(json.keys) && json.keys.every((key) => typeof key === 'object' && key !== null)
