// Defines `vidimus receipt verify | keys | rotate-key`.

import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { readCertificate } from '../../../../../sdk/typescript/src/receipt.ts'
import type { CliWorld } from '../../../cli/world.ts'
import { explainKeyFailure } from '../../../platform/cli/key-failure.ts'
import { answer, CliProblem } from '../../../platform/cli/print.ts'
import { REFERENCE_SHAPE } from '../../../platform/keys/key-reference.ts'
import { type LogOptions, verifyProofText } from '../../audit/cli/audit-log.ts'
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

/** Returns the command, so that callers can add subcommands. */
export function addReceiptCommands(program: Command, world: CliWorld): Command {
  const receipt = program.command('receipt').description('receipts: verify, certificate, keys, rotate-key')
  receipt
    .command('verify')
    .description('verify a receipt offline; with --result and --salt, also that it belongs to exactly that result')
    .argument('<file>', 'the receipt, or a certificate (PDF) with receipt and proof in it; as the API gave it')
    .requiredOption('--keys <file>', 'public keys, as /log/receipt-keys gives them')
    .option('--result <file>', 'the verification, as the API gave it')
    .option('--salt <salt>', 'the value of the header X-Vidimus-Receipt-Salt that came with the result')
    .option('--proof <file>', 'the proof (receipt.tlog-proof) that the log has the receipt; needs --log-key')
    .option('--log-key <key>', 'the key of the log, as /log/key shows it')
    .option('--witness-key <key...>', 'keys of witnesses that you trust')
    .option(
      '--epoch <file...>',
      'statements of epochs of the log (/log/epoch/2 and so on): show whether a restore lost the receipt',
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
    .description(
      'make a new key for receipts: published now, signing an hour later (now if there are no receipts yet); old receipts keep verifying',
    )
    .option(
      '--key <reference>',
      `a key in your HSM or key service, created there if it does not exist: ${REFERENCE_SHAPE} (default: sealed in the store)`,
    )
    .action(async (options: { readonly key?: string }, command: Command) => {
      const { kid, activeAt } = await world
        .withDeps((deps) => rotateReceiptKey(deps, options.key ?? null))
        .catch(explainKeyFailure)
      answer(world, command, { json: { kid, active_at: activeAt }, text: `The key ${kid} signs from ${activeAt} on.` })
    })
  return receipt
}

/** Exit codes: 0 valid, 1 invalid, 2 wrong arguments. */
async function verify(
  world: CliWorld,
  command: Command,
  { file, options }: { readonly file: string; readonly options: VerifyOptions },
): Promise<void> {
  const keys = readJson(await readText(options.keys), options.keys)
  if (!isKeySet(keys)) throw new CliProblem(`${options.keys} is not a set of keys`, MISTAKE)
  const { receipt: jws, proof } = await readReceiptFile(file, options)
  // A missing log key is reported before any result is printed.
  if (proof !== null && options.logKey === undefined)
    throw new CliProblem('--log-key is needed to verify that the log has the receipt', MISTAKE)
  const verdict = verifyReceipt(jws, keys)
  if (verdict.outcome !== 'genuine') throw new CliProblem(`not genuine: ${WHY_NOT[verdict.outcome]}`, DOES_NOT_HOLD)
  const { receipt } = verdict
  const bound = await isBound(options, receipt)
  if (bound === false) {
    throw new CliProblem('the receipt is genuine, but it is not about this result with this salt', DOES_NOT_HOLD)
  }
  const message = `The receipt is genuine: ${receipt.jti} (${receipt.env}) was ${receipt.verdict} at ${new Date(receipt.iat * 1000).toISOString()}.`
  const about =
    bound === null
      ? 'This does not show the result: that needs the result and its salt.'
      : 'It is about exactly this result.'
  const logged = proof === null ? null : await verifyProofText(options, { proof, receipt: jws })
  if (logged?.outcome === 'broken') throw new CliProblem(`${message}\n${renderFindings(logged)}`, DOES_NOT_HOLD)
  const json = { outcome: 'genuine', result: bound, receipt, ...(logged && { log: logged.outcome }) }
  const inLog = logged === null ? [] : [renderFindings(logged)]
  answer(world, command, { json, text: [message, about, ...inLog].join('\n') })
}

/** A certificate contains receipt and proof as attachments. Its printed text is not read. */
async function readReceiptFile(
  path: string,
  options: VerifyOptions,
): Promise<{ readonly receipt: string; readonly proof: string | null }> {
  const file = await readBytes(path)
  if (file.subarray(0, 5).toString('latin1') !== '%PDF-') {
    const { logKey, witnessKey, epoch } = options
    if (options.proof === undefined && [logKey, witnessKey, epoch].some((one) => one !== undefined))
      throw new CliProblem('--log-key, --witness-key and --epoch are only used with --proof', MISTAKE)
    const proof = options.proof === undefined ? null : await readText(options.proof)
    return { receipt: file.toString('utf8'), proof }
  }
  if (options.proof !== undefined) throw new CliProblem('a certificate has its proof: leave out --proof', MISTAKE)
  const found = readCertificate(file)
  if (found === null) throw new CliProblem('not genuine: it is not a certificate', DOES_NOT_HOLD)
  return found
}

const WHY_NOT = {
  malformed: 'it is not a receipt',
  unknown_key: 'none of these keys has signed it',
  bad_signature: 'its signature is not valid',
} as const

/** Whether the receipt belongs to the given result; null if no result was given. */
async function isBound(options: VerifyOptions, receipt: Parameters<typeof isResultOf>[0]): Promise<boolean | null> {
  const { result, salt } = options
  if ((result === undefined) !== (salt === undefined)) throw new CliProblem('--result and --salt go together', MISTAKE)
  if (result === undefined || salt === undefined) return null
  if (!SALT.test(salt)) throw new CliProblem('--salt is 43 characters of base64url', MISTAKE)
  const verification = readJson(await readText(result), result)
  return isResultOf(receipt, verification, Buffer.from(salt, 'base64url'))
}

async function readBytes(path: string): Promise<Buffer> {
  return readFile(path).catch(() => {
    throw new CliProblem(`the file ${path} cannot be read`, MISTAKE)
  })
}

const readText = async (path: string) => (await readBytes(path)).toString('utf8')

function readJson(text: string, path: string): Readonly<Record<string, unknown>> {
  try {
    const json: unknown = JSON.parse(text)
    if (typeof json === 'object' && json !== null && !Array.isArray(json)) return json as Record<string, unknown>
  } catch {
    // Not JSON: reported below, as any text that is not an object.
  }
  throw new CliProblem(`the file ${path} is not a JSON object`, MISTAKE)
}

const isKeySet = (json: Readonly<Record<string, unknown>>): json is Readonly<Record<string, unknown>> & ReceiptKeySet =>
  Array.isArray(json.keys) && json.keys.every((key) => typeof key === 'object' && key !== null)
