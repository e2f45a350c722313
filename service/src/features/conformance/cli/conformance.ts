// Commands for the OpenID Foundation's conformance suite: `vidimus conformance prepare | table`.

import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Command } from 'commander'
import { type CliWorld, OPERATOR, readBytes } from '../../../cli/world.ts'
import { answer, CliProblem } from '../../../platform/cli/print.ts'
import { certificatesIn } from '../../trust/index.ts'
import {
  CLIENT_ID_PREFIXES,
  PROVIDER_PLANS,
  RESPONSE_MODES,
  SUITE_CREDENTIALS,
  SUITE_VERSION,
  VERIFIER_PLANS,
  type VerifierPlanName,
  type VerifierVariant,
} from '../domain/plans.ts'
import { isAlias, originOf, type Prepared, type SuiteAddress } from '../domain/prepared.ts'
import { readModuleLog, renderTable } from '../domain/results.ts'
import { prepareProviderPlan } from '../usecases/prepare-provider.ts'
import { prepareVerifierPlan } from '../usecases/prepare-verifier.ts'

const PLAN_NAMES = [...Object.keys(PROVIDER_PLANS), ...Object.keys(VERIFIER_PLANS)]
const FORMATS = Object.keys(SUITE_CREDENTIALS) as (keyof typeof SUITE_CREDENTIALS)[]

interface PrepareOptions {
  readonly suite: string
  readonly alias?: string
  readonly format: string
  readonly responseMode: string
  readonly clientIdPrefix: string
  readonly signer?: string
  readonly out?: string
}

export function addConformanceCommands(program: Command, world: CliWorld): void {
  const conformance = program
    .command('conformance')
    .description("the OpenID Foundation's conformance suite: prepare, table")
  conformance
    .command('prepare')
    .description(`create a tenant in test and the suite's configuration for a plan (suite ${SUITE_VERSION})`)
    .argument('<plan>', PLAN_NAMES.join(', '))
    .option('--suite <origin>', 'where the suite runs', 'https://localhost.emobix.co.uk:8443')
    .option('--alias <alias>', 'the name of the run at the suite (default: vidimus- and the plan)')
    .option('--format <format>', `verifier: ${FORMATS.join(', ')}`, 'sd_jwt_vc')
    .option('--response-mode <mode>', `verifier: ${RESPONSE_MODES.join(', ')}`, 'direct_post.jwt')
    .option('--client-id-prefix <prefix>', `verifier: ${CLIENT_ID_PREFIXES.join(', ')}`, 'x509_hash')
    .option('--signer <file>', 'verifier with iso_mdl: a file with the PEM certificate that the suite signs mdocs with')
    .option('--out <file>', 'write the configuration to this file, readable only for you')
    .action(async (plan: string, options: PrepareOptions, command: Command) => {
      const prepared = await prepare(world, plan, options)
      const { configuration, ...rest } = prepared
      if (options.out !== undefined) await writeConfiguration(options.out, configuration)
      answer(world, command, {
        json:
          options.out === undefined ? renderPrepared(prepared) : { ...renderPrepared({ ...rest }), out: options.out },
        text: textOf(prepared, options.out ?? null),
      })
    })
  conformance
    .command('table')
    .description("render the suite's exported results as Markdown")
    .argument('<path...>', 'test-log-….json files of an export, or folders with them')
    .action(async (paths: readonly string[], _options: unknown, command: Command) => {
      const results = await readResults(paths)
      answer(world, command, { json: { data: results }, text: renderTable(results) })
    })
}

async function prepare(world: CliWorld, plan: string, options: PrepareOptions): Promise<Prepared> {
  const suite = suiteOf(plan, options)
  const provider = PROVIDER_PLANS[plan]
  if (provider !== undefined)
    return world.withDeps((deps) => {
      if (deps.sandbox === null) throw new CliProblem('the suite signs in with the test wallet: set VIDIMUS_SANDBOX=on')
      return prepareProviderPlan(deps, { plan: provider, suite, actor: OPERATOR })
    })
  if (!Object.hasOwn(VERIFIER_PLANS, plan)) throw new CliProblem(`<plan> must be one of ${PLAN_NAMES.join(', ')}`)
  const input = { plan: plan as VerifierPlanName, variant: variantOf(plan, options), suite, actor: OPERATOR }
  const signer = await signerOf(input.variant, options)
  const prepared = await world.withDeps((deps) => prepareVerifierPlan(deps, { ...input, signer }))
  if ('problem' in prepared) throw new CliProblem(`the signer is not trusted: ${prepared.problem}`)
  return prepared
}

function suiteOf(plan: string, { suite, alias = `vidimus-${plan}` }: PrepareOptions): SuiteAddress {
  const origin = originOf(suite)
  if (origin === null)
    throw new CliProblem('--suite must be an https origin, such as https://localhost.emobix.co.uk:8443')
  if (!isAlias(alias)) throw new CliProblem('--alias has lower-case letters, digits and hyphens, at most 50')
  return { origin, alias }
}

function variantOf(plan: string, options: PrepareOptions): VerifierVariant {
  const variant = {
    format: oneOf('--format', options.format, FORMATS),
    responseMode: oneOf('--response-mode', options.responseMode, RESPONSE_MODES),
    clientIdPrefix: oneOf('--client-id-prefix', options.clientIdPrefix, CLIENT_ID_PREFIXES),
  }
  const isFixed = variant.responseMode === 'direct_post.jwt' && variant.clientIdPrefix === 'x509_hash'
  if (plan === 'verifier-haip' && !isFixed) throw new CliProblem('the HAIP plan only has direct_post.jwt and x509_hash')
  return variant
}

function oneOf<const T extends readonly string[]>(option: string, text: string, known: T): T[number] {
  const found = known.find((one) => one === text)
  if (found === undefined) throw new CliProblem(`${option} must be one of ${known.join(', ')}, not '${text}'`)
  return found
}

async function signerOf({ format }: VerifierVariant, { signer }: PrepareOptions): Promise<Uint8Array | null> {
  if (format === 'sd_jwt_vc') {
    if (signer !== undefined) throw new CliProblem('--signer is for iso_mdl: an SD-JWT VC is signed with a new key')
    return null
  }
  if (signer === undefined)
    throw new CliProblem("--signer is required: the suite's source has the certificate, in TestAppUtils.kt")
  const pem = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g
  const blocks =
    Buffer.from(await readBytes(signer))
      .toString('utf8')
      .match(pem) ?? []
  const [certificate, ...more] = blocks.length === 1 ? certificatesIn(Buffer.from(blocks.join(''))) : []
  if (certificate === undefined || more.length > 0)
    throw new CliProblem(`${signer} must contain one certificate in PEM`)
  return certificate
}

/** The file has secrets and private keys. An existing file is not overwritten. */
async function writeConfiguration(path: string, configuration: object): Promise<void> {
  try {
    await writeFile(path, `${JSON.stringify(configuration, null, 2)}\n`, { mode: 0o600, flag: 'wx' })
  } catch (error) {
    throw new CliProblem(`${path} cannot be written (${(error as NodeJS.ErrnoException).code ?? 'unknown reason'})`)
  }
}

const renderPrepared = ({ suiteName, variant, tenantId, configuration, verification }: Partial<Prepared>) => ({
  suite_version: SUITE_VERSION,
  plan: suiteName,
  variant,
  tenant: tenantId,
  ...(configuration === undefined ? {} : { configuration }),
  ...(verification === null || verification === undefined
    ? {}
    : { api_key: verification.apiKey, create: verification.body }),
})

function textOf({ suiteName, variant, tenantId, configuration, verification }: Prepared, out: string | null): string {
  const variants = Object.entries(variant).map(([name, value]) => `[${name}=${value}]`)
  const lines = [
    `Prepared tenant ${tenantId} in test.`,
    `Plan at the suite (${SUITE_VERSION}): ${suiteName}${variants.join('')}`,
    ...(verification === null
      ? []
      : [
          `API key, shown this once: ${verification.apiKey}`,
          `For each module create a verification and hand the query of its wallet_uri to the module's authorize address:`,
          `  POST /v1/verifications ${JSON.stringify(verification.body)}`,
        ]),
    out === null ? `Configuration:\n\n${JSON.stringify(configuration, null, 2)}` : `Configuration: ${out}`,
  ]
  return lines.join('\n')
}

async function readResults(paths: readonly string[]) {
  const files = (await Promise.all(paths.map(logFilesOf))).flat()
  const results = []
  for (const file of files) {
    const read = readModuleLog(await readJson(file))
    if (read === null) throw new CliProblem(`${file} is not the log of a module`)
    results.push(read)
  }
  if (results.length === 0) throw new CliProblem('no test-log-….json was found')
  return results
}

/** Returns the logs in a folder. Leaves out the signatures and the index of an export. */
async function logFilesOf(path: string): Promise<readonly string[]> {
  try {
    if (!(await stat(path)).isDirectory()) return [path]
    const names = await readdir(path, { recursive: true })
    return names
      .filter((name) => /(?:^|\/)test-log-[^/]+\.json$/.test(name))
      .sort()
      .map((name) => join(path, name))
  } catch (error) {
    throw new CliProblem(`${path} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown reason'})`)
  }
}

async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'))
  } catch {
    throw new CliProblem(`${file} is not JSON`)
  }
}
