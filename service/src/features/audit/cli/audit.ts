// Commands for the audit trail: `vidimus audit verify | export | checkpoint | checkpoints | key | adopt`.

import { open } from 'node:fs/promises'
import type { Command } from 'commander'
import { type CliWorld, type RealmOptions, realmOf } from '../../../cli/world.ts'
import type { Deps } from '../../../deps.ts'
import { linesOf, readable, readText } from '../../../platform/cli/files.ts'
import { answer, CliProblem } from '../../../platform/cli/print.ts'
import { type LogFindings, renderFindings } from '../../transparency/domain/log/findings.ts'
import { blindingKeyOf } from '../../transparency/domain/log/log-keys.ts'
import { chainFindings, uncheckedNotes } from '../../transparency/usecases/verify-log.ts'
import { isNoteOfChain } from '../domain/checkpoint.ts'
import { type AuditVerdict, renderVerdict } from '../domain/verdict.ts'
import { adoptTrail } from '../usecases/adopt-chain.ts'
import { listUnguarded } from '../usecases/guard.ts'
import { auditPublicKey, ChainNotWhole, checkpointAudit, exportAudit, readCheckpoints } from '../usecases/read-audit.ts'
import { verifyExport, verifyStored } from '../usecases/verify-audit.ts'
import { keysOf, type LogOptions, verifyGrowth, verifyMirrorFolder, verifyProofFile } from './audit-log.ts'

/** Exit codes. `untrusted`: a signature or key does not match. */
const EXIT = { whole: 0, tampered: 1, incomplete: 2, untrusted: 4 } as const satisfies Record<
  AuditVerdict['outcome'],
  number
>
const WRONG_OPTIONS = 3

interface VerifyOptions extends Partial<RealmOptions>, LogOptions {
  readonly export?: string
  readonly publicKey?: string
  readonly checkpoint?: readonly string[]
}

export function addAuditCommands(program: Command, world: CliWorld): Command {
  const audit = program
    .command('audit')
    .description('the audit trail: verify, export, checkpoint, checkpoints, key, adopt, replay-erasures')
  const inOneRealm = (command: Command) =>
    command.requiredOption('--tenant <id>').requiredOption('--environment <environment>', 'test or live')
  audit
    .command('verify')
    .description(
      'verify a chain in the store; or offline an export, the proof of a receipt, or a mirror of the public log',
    )
    .option('--tenant <id>', 'verify the chain in the store')
    .option('--environment <environment>', 'test or live; with --tenant')
    .option('--export <file>', 'verify this export instead')
    .option('--public-key <file>', 'PEM, as `vidimus audit key` prints it; for an export')
    .option(
      '--checkpoint <file...>',
      'checkpoints that you stored: of the log (/log/checkpoint); with --export and --public-key, of its chain',
    )
    .option('--proof <file>', 'verify this proof (receipt.tlog-proof) instead, with --receipt and --log-key')
    .option('--receipt <file>', 'the receipt that the proof belongs to')
    .option(
      '--log <folder>',
      'verify this mirror of the log (checkpoint, tile/…) instead; with --export also against it',
    )
    .option(
      '--from <checkpoint>',
      'with --log: only verify that --to extends this checkpoint, for which a few tiles are enough',
    )
    .option('--to <checkpoint>', "the newer checkpoint; default: the mirror's own")
    .option('--log-key <key>', 'as /log/key shows it; with --export: verify that the log contains its chain')
    .option('--witness-key <key...>', 'keys of witnesses that you trust')
    .option('--epoch <file...>', 'statements of epochs of the log, from /log/epoch/2 and so on')
    .option('--blinding-key <key>', 'as `vidimus audit blinding-key` prints it: finds your own leaves')
    .action(async (options: VerifyOptions, command: Command) => {
      requireUsed(options)
      if (options.proof !== undefined) {
        concludeLog(world, command, await verifyProofFile({ ...options, proof: options.proof }))
      } else if (options.log !== undefined && options.from !== undefined) {
        concludeLog(world, command, await verifyGrowth({ ...options, log: options.log, from: options.from }))
      } else if (options.log !== undefined) {
        const { log, export: exported } = options
        const { logKey, ...others } = options
        // With --public-key, the export is verified by its own checkpoints, so it may be older than the log.
        const chain = { ...(options.publicKey === undefined ? options : others), checkpoint: [] }
        const verdict = exported === undefined ? null : await verify(world, chain)
        if (verdict !== null && verdict.outcome !== 'whole') conclude(world, command, verdict)
        const found = await verifyMirrorFolder({ ...options, log }, exported === undefined ? null : linesOf(exported))
        const notChecked = verdict?.outcome === 'whole' && found.outcome === 'proven' ? (verdict.notChecked ?? 0) : 0
        concludeLog(world, command, { ...found, notProven: [...found.notProven, ...uncheckedNotes(notChecked)] })
      } else conclude(world, command, await verify(world, options))
    })
  audit
    .command('blinding-key')
    .description("print the key that finds a tenant's own leaves in the public log; give it only to that tenant")
    .requiredOption('--tenant <id>')
    .action(async (options: { tenant: string }, command: Command) => {
      const key = await world.withDeps(async ({ derivedKeys }) =>
        blindingKeyOf(derivedKeys, options.tenant).toString('hex'),
      )
      answer(world, command, { json: { blinding_key: key }, text: key })
    })
  inOneRealm(audit.command('export').description('write a chain as JSON lines'))
    .option('--out <file>', 'a file, instead of the standard output')
    .action(async (options: RealmOptions & { out?: string }) => {
      await world.withDeps(async (deps) => {
        const file = options.out === undefined ? null : await open(options.out, 'w', 0o600)
        try {
          for await (const line of exportAudit(deps, realmOf(options))) {
            if (file === null) world.out(`${line}\n`)
            else await file.write(`${line}\n`)
          }
        } catch (error) {
          throw explainUnsigned(error)
        } finally {
          await file?.close()
        }
      })
    })
  inOneRealm(audit.command('checkpoint').description('print a signed checkpoint of a chain')).action(
    async (options: RealmOptions, command: Command) => {
      const note = await world
        .withDeps((deps) => checkpointAudit(deps, realmOf(options)))
        .catch((error: unknown) => {
          throw explainUnsigned(error)
        })
      answer(world, command, { json: { checkpoint: note }, text: note.trimEnd() })
    },
  )
  inOneRealm(
    audit.command('checkpoints').description('print the daily checkpoints that a chain got before there was a log'),
  ).action(async (options: RealmOptions, command: Command) => {
    const kept = await world.withDeps((deps) => readCheckpoints(deps, realmOf(options)))
    answer(world, command, { json: { checkpoints: kept }, text: kept.map(({ note }) => note.trimEnd()).join('\n\n') })
  })
  audit
    .command('key')
    .description('print the public key of checkpoints')
    .action(async (_options: unknown, command: Command) => {
      const pem = await world.withDeps(async (deps) => auditPublicKey(deps))
      answer(world, command, { json: { public_key: pem }, text: pem.trimEnd() })
    })
  audit
    .command('adopt')
    .description(
      'accept chains whose head has no MAC, or that are not in the log; check `audit verify` and your checkpoints first',
    )
    .option('--tenant <id>', 'only this chain')
    .option('--environment <environment>', 'test or live; with --tenant')
    .option('--all', 'every chain whose head has no MAC, or that lacks its checkpoint')
    .action(async (options: Partial<RealmOptions> & { all?: true }, command: Command) => {
      await world.withDeps((deps) => adopt(world, command, { deps, options }))
    })
  return audit
}

const OF_LOG = ['logKey', 'witnessKey', 'epoch'] as const

/** The options that this call uses. */
function usedOptions({ proof, log, from, export: exported, logKey }: VerifyOptions): (keyof VerifyOptions)[] {
  if (proof !== undefined) return ['proof', 'receipt', ...OF_LOG]
  if (log !== undefined && from !== undefined) return ['log', 'from', 'to', ...OF_LOG]
  const ofExport: (keyof VerifyOptions)[] = exported === undefined ? [] : ['export', 'publicKey']
  if (log !== undefined) return ['log', 'checkpoint', 'blindingKey', ...ofExport, ...OF_LOG]
  if (exported === undefined) return ['tenant', 'environment', 'checkpoint']
  return [...ofExport, 'checkpoint', 'logKey', ...(logKey === undefined ? [] : (['witnessKey'] as const))]
}

/** Refuses options that would be ignored: people would believe that they were checked. */
function requireUsed(options: VerifyOptions): void {
  const used: readonly string[] = usedOptions(options)
  const unused = Object.keys(options).filter((name) => !used.includes(name))
  if (unused.length === 0) return
  const flags = unused.map((name) => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`)
  const message = `${flags.join(', ')} would not be used: one call verifies one thing (docs/evidence.md, "Verifying")`
  throw new CliProblem(message, WRONG_OPTIONS)
}

async function adopt(
  world: CliWorld,
  command: Command,
  { deps, options }: { readonly deps: Deps; readonly options: Partial<RealmOptions> & { all?: true } },
): Promise<void> {
  const { tenant, environment } = options
  const named = tenant !== undefined && environment !== undefined
  if (named === (options.all === true))
    throw new CliProblem('either --tenant with --environment, or --all is needed', WRONG_OPTIONS)
  const realms = named ? [realmOf({ tenant, environment })] : await listUnguarded(deps)
  const refused: string[] = []
  let adopted = 0
  for (const realm of realms) {
    const adoption = await adoptTrail(deps, realm)
    if (adoption.outcome === 'adopted') adopted += 1
    if (adoption.outcome === 'refused') refused.push(`${realm.tenantId} ${realm.environment}: ${adoption.problem}`)
  }
  answer(world, command, { json: { adopted, refused }, text: `Chains adopted: ${adopted}.` })
  if (refused.length > 0) throw new CliProblem(`not adopted:\n${refused.join('\n')}`, EXIT.tampered)
}

/** The unfinished file stays for inspection. It fails verification, because its last line is not a checkpoint. */
function explainUnsigned(error: unknown): unknown {
  if (!(error instanceof ChainNotWhole)) return error
  const { verdict } = error
  const entry = verdict.outcome === 'untrusted' ? '' : `entry ${verdict.seq} `
  return new CliProblem(`nothing was signed: ${verdict.outcome}: ${entry}${verdict.problem}`, EXIT[verdict.outcome])
}

const NOTES_OF_CHAIN =
  'with --export, --checkpoint takes checkpoints of its chain and needs --public-key; checkpoints of the log are compared with a mirror of it (--log)'

async function verify(world: CliWorld, options: VerifyOptions): Promise<AuditVerdict> {
  const notes = await Promise.all((options.checkpoint ?? []).map(readText))
  if (options.export !== undefined) {
    const path = options.export
    if (options.publicKey === undefined && options.logKey === undefined)
      throw new CliProblem('--public-key or --log-key is needed to verify an export', WRONG_OPTIONS)
    if (notes.length > 0 && (options.publicKey === undefined || !notes.every(isNoteOfChain)))
      throw new CliProblem(NOTES_OF_CHAIN, WRONG_OPTIONS)
    await readable(path)
    const publicKey = options.publicKey === undefined ? null : await readText(options.publicKey)
    const logKeys = options.logKey === undefined ? null : keysOf(options)
    return verifyExport({ lines: () => linesOf(path), publicKey, notes, logKeys })
  }
  const { tenant, environment } = options
  // No default: an operator who verified the wrong chain would believe that the right one is whole.
  if (tenant === undefined || environment === undefined)
    throw new CliProblem('either --tenant with --environment, or --export is needed', WRONG_OPTIONS)
  return world.withDeps((deps) => verifyStored(deps, { realm: realmOf({ tenant, environment }), notes, log: 'whole' }))
}

function concludeLog(world: CliWorld, command: Command, findings: LogFindings): void {
  const { outcome, proven, notProven } = findings
  const text = renderFindings(findings)
  const isJson = command.optsWithGlobals().json === true
  if (outcome === 'proven' || isJson) answer(world, command, { json: { outcome, proven, not_proven: notProven }, text })
  if (outcome === 'broken') throw new CliProblem(text, EXIT.tampered)
  if (outcome === 'lost') throw new CliProblem(text, EXIT.incomplete)
}

function conclude(world: CliWorld, command: Command, verdict: AuditVerdict): void {
  if (verdict.outcome === 'whole') {
    const { entries, detailsErased, checkpoints, logged: trail, notChecked = 0 } = verdict
    const text = `The chain is whole: ${entries} entries, ${checkpoints} checkpoints; details of ${detailsErased} entries were erased.`
    const logged = trail === undefined ? '' : `\n${renderFindings(chainFindings(trail, { entries, notChecked }))}`
    answer(world, command, { json: renderVerdict(verdict), text: `${text}${logged}` })
    return
  }
  const entry = verdict.outcome === 'untrusted' ? '' : `entry ${verdict.seq} `
  if (command.optsWithGlobals().json === true) answer(world, command, { json: renderVerdict(verdict), text: '' })
  throw new CliProblem(`${verdict.outcome}: ${entry}${verdict.problem}`, EXIT[verdict.outcome])
}
