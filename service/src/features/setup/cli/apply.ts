// `vidimus apply`: changes an installation to match a set-up file, or shows what would change.

import { readFile, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { Command } from 'commander'
import { type CliWorld, OPERATOR } from '../../../cli/world.ts'
import { judgeTemplate } from '../../../core/templates/usecases/manage-templates.ts'
import type { Deps } from '../../../deps.ts'
import { answer, CliProblem } from '../../../platform/cli/print.ts'
import { Refusal } from '../../../platform/errors.ts'
import { ENVIRONMENTS } from '../../../platform/world.ts'
import { readSetup } from '../domain/read-setup.ts'
import type { Setup } from '../domain/setup.ts'
import { type Application, applySetup } from '../usecases/apply-setup.ts'
import { planSetup, type SetupPlan } from '../usecases/plan-setup.ts'
import { ChangeRefused } from '../usecases/planned-change.ts'
import { countsOf, renderChanges, renderCounts, renderPlan, shownPath } from './plan-text.ts'
import { openSecretsFile, type SecretsFile } from './secrets-file.ts'
import type { FileProblem, SetupText } from './setup-file.ts'

interface ApplyOptions {
  readonly file: string
  readonly plan?: boolean
  readonly prune?: boolean
  readonly yes?: boolean
  readonly secretsFile?: string
}

export function addApplyCommand(program: Command, world: CliWorld): void {
  program
    .command('apply')
    .description('set up tenants, keys, templates and trust from a file; a second run changes nothing')
    .requiredOption('-f, --file <path>', 'YAML or JSON, as `vidimus export` writes it')
    .option('--plan', 'only show what would change')
    .option('--prune', 'also remove entries that the file lacks, for the kinds of entries that it mentions')
    .option('--yes', 'with --prune: remove without confirmation')
    .option(
      '--secrets-file <path>',
      'write new API keys to this file, one line of JSON each; only its owner can read it',
    )
    .action(async (options: ApplyOptions, command: Command) => {
      const { setup, lineOf, privateKeys, problems } = await readSetupFile(options.file)
      const input = { setup, privateKeys, prune: options.prune === true, actor: OPERATOR }
      if (problems.length > 0) requireNoProblem(options.file, [...problems, ...(await findMore(world, input))], lineOf)
      await world.withDeps(async (deps) => {
        const plan = await planSetup({ deps, ...input })
        requireNoProblem(options.file, plan.problems, lineOf)
        if (options.plan === true) {
          const text = `${renderChanges(plan.owners)}${renderCounts(plan, 'to be ')}`
          answer(world, command, { json: renderPlan(plan), text })
          return
        }
        requireConsent(plan, options)
        await carryOut(world, command, { deps, plan, secretsPath: options.secretsFile ?? null })
      })
    })
}

/** A thousand tenants with their own templates take about 4 MiB. */
const FILE_BYTES_MAX = 32 * 1024 * 1024

async function readSetupFile(path: string) {
  const { parseSetupText } = await import('./setup-file.ts')
  const text = parseSetupText(await readBounded(path))
  requireNoProblem(path, text.problems, text.lineOf)
  const { setup, problems } = readSetup(text.json, judgeTemplate)
  return { setup, problems, lineOf: text.lineOf, privateKeys: await readPrivateKeys(setup, dirname(resolve(path))) }
}

/** Compares the valid parts of an invalid file with the store as well, so that all problems are reported at once. */
async function findMore(
  world: CliWorld,
  input: Omit<Parameters<typeof planSetup>[0], 'deps'>,
): Promise<readonly FileProblem[]> {
  try {
    return await world.withDeps(async (deps) => (await planSetup({ deps, ...input })).problems)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return [{ path: [], message: `the rest was not compared with the store: ${reason}`, line: Number.MAX_SAFE_INTEGER }]
  }
}

async function readBounded(path: string): Promise<string> {
  try {
    const { size } = await stat(path)
    if (size > FILE_BYTES_MAX)
      throw new CliProblem(`${path} is larger than ${FILE_BYTES_MAX / 1024 / 1024} MiB; split it by tenants`)
    return await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof CliProblem) throw error
    throw new CliProblem(`${path} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown reason'})`)
  }
}

/** Paths are relative to the file. A missing key file is a problem only if its certificate is not installed yet. */
async function readPrivateKeys(setup: Setup, folder: string): Promise<ReadonlyMap<string, Uint8Array | null>> {
  const realms = [setup.service, ...setup.tenants.map((tenant) => tenant.realms)]
  const names = realms.flatMap((one) =>
    ENVIRONMENTS.flatMap((environment) =>
      (one[environment].certificates ?? []).flatMap(({ keyFile }) => keyFile ?? []),
    ),
  )
  const found = new Map<string, Uint8Array | null>()
  for (const name of names) found.set(name, await readFile(resolve(folder, name)).catch(() => null))
  return found
}

const PROBLEMS_SHOWN = 50

/** Prints problems with line numbers, in the format of compilers. */
function requireNoProblem(file: string, problems: readonly FileProblem[], lineOf: SetupText['lineOf']): void {
  if (problems.length === 0) return
  const inOrder = problems
    .map((problem) => ({ ...problem, line: problem.line ?? lineOf(problem.path) }))
    .sort((one, other) => one.line - other.line)
  const shown = inOrder.slice(0, PROBLEMS_SHOWN).map(({ path, message, line }) => {
    const where = shownPath(path)
    const at = line === Number.MAX_SAFE_INTEGER ? '' : `:${line}`
    return `${file}${at}: ${where === '' ? '' : `${where}: `}${message}`
  })
  const more = problems.length > PROBLEMS_SHOWN ? [`and ${problems.length - PROBLEMS_SHOWN} more`] : []
  throw new CliProblem(['Nothing was changed:', ...shown, ...more].join('\n'), 1)
}

function requireConsent(plan: SetupPlan, options: ApplyOptions): void {
  if (options.prune !== true || options.yes === true || countsOf(plan.owners).remove === 0) return
  const removed = renderChanges(plan.owners, 'remove')
  throw new CliProblem(`Nothing was changed. This would be removed:\n${removed}Say --yes to remove it.`, 1)
}

async function carryOut(
  world: CliWorld,
  command: Command,
  input: { readonly deps: Deps; readonly plan: SetupPlan; readonly secretsPath: string | null },
): Promise<void> {
  const { deps, plan, secretsPath } = input
  const wantsJson = command.optsWithGlobals().json === true
  const keys: object[] = []
  const file = secretsPath === null ? null : await openSecretsFile(secretsPath)
  const tell = (line: object) =>
    writeKey(line, file, (shown) => (wantsJson ? keys.push(shown) : world.out(`${JSON.stringify(shown)}\n`)))
  const application = await applySetup(deps, plan.owners, ({ owner, tenantId, environment, id, name, key }) =>
    tell({ tenant: owner, tenant_id: tenantId, environment, name, id, key }),
  ).finally(() => file?.close())
  const { failure } = application
  const failed =
    failure === null ? null : { tenant: failure.owner, what: failure.change.what, name: failure.change.name }
  const counts = countsOf(application.done.map(({ change }) => ({ changes: [change] })))
  const json = { ...counts, tenants: plan.tenants, failed, keys }
  answer(world, command, {
    json,
    text: failure === null ? renderCounts({ ...plan, owners: doneOf(application) }, '') : '',
  })
  if (failure !== null) await reportFailure(world, application, failure)
}

async function writeKey(line: object, file: SecretsFile | null, show: (line: object) => unknown): Promise<void> {
  if (file === null) show(line)
  else await file.write(line)
}

const doneOf = ({ done }: Application) =>
  done.map(({ owner: name, tenantId, change }) => ({ name, tenantId, changes: [change] }))

async function reportFailure(
  world: CliWorld,
  application: Application,
  { owner, change, error }: NonNullable<Application['failure']>,
): Promise<void> {
  const what = `${change.what} ${change.name}${owner === null ? '' : ` of ${owner}`}`
  const done =
    application.done.length === 0
      ? 'No change was completed.\n'
      : `Done before it stopped:\n${renderChanges(doneOf(application))}`
  world.err(`${done}Stopped at ${what}. Earlier changes remain; run the command again for the rest.\n`)
  if (error instanceof ChangeRefused) throw new CliProblem(error.message, 1)
  if (error instanceof Refusal) throw new CliProblem(error.publicMessage ?? error.code, 1)
  throw error
}
