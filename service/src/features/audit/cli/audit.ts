// vidimus audit verify | export | checkpoint | checkpoints | key | adopt | replay-erasures
// Exit codes: 0 whole, 1 tampered with, 2 incomplete, 3 a mistake in the call, 4 a signature or key that does not fit.

import { open, readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { type CliWorld, type RealmOptions, realmOf } from '../../../cli/world.ts'
import type { Deps } from '../../../deps.ts'
import { answer, CliProblem } from '../../../platform/cli/print.ts'
import { checkRestore } from '../../operator/usecases/check-restore.ts'
import { type Replay, replayErasures } from '../../operator/usecases/replay-erasures.ts'
import { type LogFindings, renderFindings } from '../../transparency/domain/log/findings.ts'
import { blindingKeyOf } from '../../transparency/domain/log/log-keys.ts'
import { chainFindings } from '../../transparency/usecases/verify-log.ts'
import { type AuditVerdict, renderVerdict } from '../domain/verdict.ts'
import { adoptTrail } from '../usecases/adopt-chain.ts'
import { listUnguarded } from '../usecases/guard.ts'
import { auditPublicKey, ChainNotWhole, checkpointAudit, exportAudit, readCheckpoints } from '../usecases/read-audit.ts'
import { verifyExport, verifyStored } from '../usecases/verify-audit.ts'
import { keysOf, type LogOptions, verifyGrowth, verifyMirrorFolder, verifyProofFile } from './audit-log.ts'

const EXIT = { whole: 0, tampered: 1, incomplete: 2, untrusted: 4 } as const satisfies Record<
  AuditVerdict['outcome'],
  number
>
const MISTAKE = 3

interface VerifyOptions extends Partial<RealmOptions>, LogOptions {
  readonly export?: string
  readonly publicKey?: string
  readonly checkpoint?: readonly string[]
}

export function addAuditCommands(program: Command, world: CliWorld): void {
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
      'checkpoints that you kept: those of the log (/log/checkpoint), or with an export of its chain',
    )
    .option('--proof <file>', 'verify this proof (receipt.tlog-proof) instead, with --receipt and --log-key')
    .option('--receipt <file>', 'the receipt that the proof is of')
    .option(
      '--log <folder>',
      'verify this mirror of the log (checkpoint, tile/…) instead; with --export also against it',
    )
    .option(
      '--from <checkpoint>',
      'with --log: only that the log grew from this checkpoint to --to, by a few of its tiles',
    )
    .option('--to <checkpoint>', "the newer one of the two; without it the mirror's own")
    .option('--log-key <key>', 'as /log/key shows it; for an export: that the log has its chain')
    .option('--witness-key <key...>', 'keys of witnesses that you believe')
    .option('--epoch <file...>', 'statements of epochs of the log, as /log/epoch/2 and so on show them')
    .option('--blinding-key <key>', 'as `vidimus audit blinding-key` prints it: finds your own leaves')
    .action(async (options: VerifyOptions, command: Command) => {
      if (options.proof !== undefined) {
        concludeLog(world, command, await verifyProofFile({ ...options, proof: options.proof }))
      } else if (options.log !== undefined && options.from !== undefined) {
        concludeLog(world, command, await verifyGrowth({ ...options, log: options.log, from: options.from }))
      } else if (options.log !== undefined) {
        const { log, export: exported } = options
        const { logKey, ...others } = options
        // With the key of its own checkpoints an export may be older than the log.
        const chain = { ...(options.publicKey === undefined ? options : others), checkpoint: [] }
        const verdict = exported === undefined ? null : await verify(world, chain)
        if (verdict !== null && verdict.outcome !== 'whole') conclude(world, command, verdict)
        concludeLog(
          world,
          command,
          await verifyMirrorFolder({ ...options, log }, exported === undefined ? null : linesOf(exported)),
        )
      } else conclude(world, command, await verify(world, options))
    })
  audit
    .command('blinding-key')
    .description("the key that finds a tenant's own leaves in the public log; for that tenant alone")
    .requiredOption('--tenant <id>')
    .action(async (options: { tenant: string }, command: Command) => {
      const key = await world.withDeps(async ({ sealer }) => blindingKeyOf(sealer, options.tenant).toString('hex'))
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
          throw unsigned(error)
        } finally {
          await file?.close()
        }
      })
    })
  inOneRealm(audit.command('checkpoint').description('sign how far a chain has come')).action(
    async (options: RealmOptions, command: Command) => {
      const note = await world
        .withDeps((deps) => checkpointAudit(deps, realmOf(options)))
        .catch((error: unknown) => {
          throw unsigned(error)
        })
      answer(world, command, { json: { checkpoint: note }, text: note.trimEnd() })
    },
  )
  inOneRealm(
    audit
      .command('checkpoints')
      .description('those that the service kept of a chain, one a day, before there was a log'),
  ).action(async (options: RealmOptions, command: Command) => {
    const kept = await world.withDeps((deps) => readCheckpoints(deps, realmOf(options)))
    answer(world, command, { json: { checkpoints: kept }, text: kept.map(({ note }) => note.trimEnd()).join('\n\n') })
  })
  audit
    .command('key')
    .description('the public key that checkpoints are signed with')
    .action(async (_options: unknown, command: Command) => {
      const pem = await world.withDeps(async (deps) => auditPublicKey(deps))
      answer(world, command, { json: { public_key: pem }, text: pem.trimEnd() })
    })
  audit
    .command('adopt')
    .description(
      'vouch for chains whose head has no MAC, or that stand nowhere in the log; look at `audit verify` and your checkpoints first',
    )
    .option('--tenant <id>', 'this chain alone')
    .option('--environment <environment>', 'test or live; with --tenant')
    .option('--all', 'every chain whose head has no MAC, or that has no checkpoint although it should')
    .action(async (options: Partial<RealmOptions> & { all?: true }, command: Command) => {
      await world.withDeps((deps) => adopt(world, command, { deps, options }))
    })
  audit
    .command('replay-erasures')
    .description('after restoring a backup: erase and revoke again what an export that is newer says was')
    .requiredOption('--export <file>', 'as `vidimus audit export` wrote it')
    .action(async (options: { export: string }, command: Command) => {
      await readable(options.export)
      const replay = await world.withDeps((deps) => replayErasures(deps, () => linesOf(options.export)))
      if (replay.outcome === 'refused') throw new CliProblem(`nothing was erased: ${replay.problem}`, EXIT.untrusted)
      answer(world, command, { json: jsonOf(replay), text: textOf(replay) })
    })
}

type Replayed = Extract<Replay, { outcome: 'replayed' }>

const jsonOf = ({ erased, forgotten, alreadyGone, revoked, unknown, byHand }: Replayed) => ({
  erased,
  forgotten,
  already_gone: alreadyGone,
  revoked,
  unknown,
  by_hand: byHand,
})

const textOf = ({ erased, forgotten, alreadyGone, revoked, unknown, byHand }: Replayed) =>
  [
    `Erased ${erased} again and forgot the content of ${forgotten}; ${alreadyGone} were gone already.`,
    `${revoked} keys, devices, members, clients and secrets are revoked; ${unknown} the backup does not have.`,
    ...byHand.map((what) => `By hand: ${what}.`),
  ].join('\n')

/** vidimus restore check: every export at once, and what no export speaks for. */
export function addRestoreCommands(program: Command, world: CliWorld): void {
  program
    .command('restore')
    .description('after restoring a backup: check')
    .command('check')
    .description('erase and revoke again what exports say was, and name tenants that no export speaks for')
    .option('--export <file...>', 'as `vidimus audit export` wrote them, newer than the backup')
    .option('--accept', 'let the store serve although something is left; without exports, too')
    .action(async (options: { export?: readonly string[]; accept?: true }, command: Command) => {
      const { export: files = [] } = options
      const acceptsRest = options.accept === true
      if (files.length === 0 && !acceptsRest)
        throw new CliProblem('--export is needed; without any, --accept says that none is to be had', MISTAKE)
      for (const file of files) await readable(file)
      const exports = files.map((name) => ({ name, lines: () => linesOf(name) }))
      const checked = await world.withDeps((deps) => checkRestore(deps, { exports, acceptsRest }))
      const { replays, uncovered, left, isChecked } = checked
      const said = replays.map(({ name, replay }) =>
        replay.outcome === 'refused' ? `${name}: nothing was done: ${replay.problem}` : `${name}: ${textOf(replay)}`,
      )
      const json = {
        exports: replays.map(({ name, replay }) => ({
          name,
          ...(replay.outcome === 'refused' ? { refused: replay.problem } : jsonOf(replay)),
        })),
        uncovered,
        is_checked: isChecked,
      }
      const missing = uncovered.map(
        (realm) => `No export was given of ${realm}: what it erased or revoked may be back.`,
      )
      const verdict = isChecked
        ? 'The store is checked and may serve.'
        : 'The store is not checked: one that was set back does not serve. Do what is left and run this again, or add --accept.'
      answer(world, command, { json, text: [...said, ...missing, verdict].join('\n') })
      if (!isChecked) throw new CliProblem(`${left} left to do`, 1)
    })
}

async function adopt(
  world: CliWorld,
  command: Command,
  given: { readonly deps: Deps; readonly options: Partial<RealmOptions> & { all?: true } },
): Promise<void> {
  const { deps, options } = given
  const { tenant, environment } = options
  const named = tenant !== undefined && environment !== undefined
  if (named === (options.all === true)) {
    throw new CliProblem('either --tenant with --environment, or --all is needed', MISTAKE)
  }
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

/** What was written out before is for whoever looks into it; without a checkpoint at its end it verifies nowhere. */
function unsigned(error: unknown): unknown {
  if (!(error instanceof ChainNotWhole)) return error
  const { verdict } = error
  const realm = verdict.outcome === 'untrusted' ? '' : `entry ${verdict.seq} `
  return new CliProblem(`nothing was signed: ${verdict.outcome}: ${realm}${verdict.problem}`, EXIT[verdict.outcome])
}

async function verify(world: CliWorld, options: VerifyOptions): Promise<AuditVerdict> {
  const notes = await Promise.all((options.checkpoint ?? []).map(readText))
  if (options.export !== undefined) {
    const path = options.export
    if (options.publicKey === undefined && options.logKey === undefined) {
      throw new CliProblem('--public-key or --log-key is needed to verify an export', MISTAKE)
    }
    await readable(path)
    const publicKey = options.publicKey === undefined ? null : await readText(options.publicKey)
    const logKeys = options.logKey === undefined ? null : keysOf(options)
    return verifyExport({ lines: () => linesOf(path), publicKey, notes, logKeys })
  }
  const { tenant, environment } = options
  // No default: whoever verified the wrong one of two chains would believe the other whole.
  if (tenant === undefined || environment === undefined) {
    throw new CliProblem('either --tenant with --environment, or --export is needed', MISTAKE)
  }
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
    const { entries, detailsErased, checkpoints } = verdict
    const text = `The chain is whole: ${entries} entries, ${checkpoints} checkpoints; details of ${detailsErased} entries were erased.`
    const logged = verdict.logged === undefined ? '' : `\n${renderFindings(chainFindings(verdict.logged, entries))}`
    answer(world, command, { json: renderVerdict(verdict), text: `${text}${logged}` })
    return
  }
  const where = verdict.outcome === 'untrusted' ? '' : `entry ${verdict.seq} `
  if (command.optsWithGlobals().json === true) answer(world, command, { json: renderVerdict(verdict), text: '' })
  throw new CliProblem(`${verdict.outcome}: ${where}${verdict.problem}`, EXIT[verdict.outcome])
}

async function readable(path: string): Promise<void> {
  const file = await open(path).catch(() => null)
  if (file === null) throw new CliProblem(`the file ${path} cannot be read`, MISTAKE)
  await file.close()
}

async function readText(path: string): Promise<string> {
  await readable(path)
  return readFile(path, 'utf8')
}

async function* linesOf(path: string): AsyncGenerator<string> {
  const file = await open(path)
  for await (const line of file.readLines()) if (line !== '') yield line
}
