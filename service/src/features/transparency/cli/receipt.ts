// Defines `vidimus receipt verify | keys | rotate-key`.

import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { readCertificate } from '../../../../../sdk/typescript/src/receipt.ts'
import { compareResult, parseUnambiguous } from '../../../../../sdk/typescript/src/receipt-result.ts'
import type { CliWorld } from '../../../cli/world.ts'
import { explainKeyFailure } from '../../../platform/cli/key-failure.ts'
import { answer, CliProblem } from '../../../platform/cli/print.ts'
import { REFERENCE_SHAPE } from '../../../platform/keys/key-reference.ts'
import { type LogOptions, verifyProofText } from '../../audit/cli/audit-log.ts'
import { renderFindings } from '../domain/log/findings.ts'
import { isBundleOf, type ReceiptContent, type ReceiptKeySet, verifyReceipt } from '../domain/receipt/verify-receipt.ts'
import { readReceiptKeys, rotateReceiptKey } from '../usecases/manage-receipt-keys.ts'

const MISTAKE = 2
const DOES_NOT_HOLD = 1
const SALT = /^[A-Za-z0-9_-]{43}$/

interface VerifyOptions extends LogOptions {
  readonly keys: string
  readonly result?: string
  readonly salt?: string
  readonly evidence?: string
  readonly tenant?: string
}

/** Returns the command, so that callers can add subcommands. */
export function addReceiptCommands(program: Command, world: CliWorld): Command {
  const receipt = program.command('receipt').description('receipts: verify, certificate, keys, rotate-key')
  receipt
    .command('verify')
    .description(
      'verify a receipt offline; with --result and --salt, also that it belongs to exactly that result; with --evidence, to that bundle',
    )
    .argument('<file>', 'the receipt, or a certificate (PDF) with receipt and proof in it; as the API gave it')
    .requiredOption('--keys <file>', 'public keys, as /log/receipt-keys gives them')
    .option('--result <file>', 'the verification, as the API gave it')
    .option('--salt <salt>', 'the value of the header X-Vidimus-Receipt-Salt that came with the result')
    .option('--evidence <file>', 'the evidence bundle: the JWE, or the answer of the API that it came in')
    .option('--tenant <id>', 'the tenant that the receipt must be of')
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
  if (options.tenant !== undefined && options.tenant !== receipt.aud)
    throw new CliProblem(`the receipt is genuine, but it is of another tenant: ${receipt.aud}`, DOES_NOT_HOLD)
  const compared = await compare(options, receipt)
  if (options.evidence !== undefined && !isBundleOf(receipt, await readBundle(options.evidence)))
    throw new CliProblem('the receipt is genuine, but it does not name this evidence bundle', DOES_NOT_HOLD)
  const message = [
    `The receipt is genuine: ${receipt.jti} (${receipt.env}) was ${receipt.verdict} at ${new Date(receipt.iat * 1000).toISOString()}.`,
    `It is of the tenant ${receipt.aud}, from ${receipt.iss}.`,
    ...aboutResult(compared),
    ...(options.evidence === undefined ? [] : ['It names exactly this evidence bundle.']),
  ].join('\n')
  const logged = proof === null ? null : await verifyProofText(options, { proof, receipt: jws })
  if (logged?.outcome === 'broken') throw new CliProblem(`${message}\n${renderFindings(logged)}`, DOES_NOT_HOLD)
  const json = {
    ...{ outcome: 'genuine', result: compared && true, evidence: options.evidence === undefined ? null : true },
    ...(compared && { matching: compared.matching, not_covered: compared.notCovered }),
    ...{ receipt, ...(logged && { log: logged.outcome }) },
  }
  const inLog = logged === null ? [] : [renderFindings(logged)]
  answer(world, command, { json, text: [message, ...inLog].join('\n') })
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

/** The members of the given result that match the receipt; null if no result was given. */
async function compare(options: VerifyOptions, receipt: ReceiptContent) {
  const { result, salt } = options
  if ((result === undefined) !== (salt === undefined)) throw new CliProblem('--result and --salt go together', MISTAKE)
  if (result === undefined || salt === undefined) return null
  if (!SALT.test(salt)) throw new CliProblem('--salt is 43 characters of base64url', MISTAKE)
  const verification = await readText(result)
  readJson(verification, result)
  const compared = await compareResult(receipt, { verification, salt })
  if (!('code' in compared)) return compared
  const message = `the receipt is genuine, but it does not show this result. ${compared.message}`
  throw new CliProblem(message, DOES_NOT_HOLD)
}

function aboutResult(compared: Awaited<ReturnType<typeof compare>>): string[] {
  if (compared === null) return ['This does not show the result: that needs the result and its salt.']
  const { matching, notCovered } = compared
  const others = notCovered.length === 0 ? [] : [`It does not cover these members: ${notCovered.join(', ')}.`]
  return [`It is about exactly this result: ${matching.join(', ')} match (responded_at within a minute).`, ...others]
}

/** A JWE has no braces, so a text with one is the API's answer. */
async function readBundle(path: string): Promise<{ readonly id?: unknown; readonly evidence?: unknown }> {
  const text = (await readText(path)).trim()
  return text.startsWith('{') ? (parseUnambiguous(text) ?? {}) : { evidence: text }
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
