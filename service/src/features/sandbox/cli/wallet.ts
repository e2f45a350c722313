// `vidimus wallet present`: the test wallet answers a verification.

import type { Command } from 'commander'
import { type CliWorld, overHttp } from '../../../cli/world.ts'
import { SAME_DEVICE } from '../../../core/verifications/domain/verification.ts'
import type { Deps } from '../../../deps.ts'
import { answer, CliProblem } from '../../../platform/cli/print.ts'
import { pathText, type Sandbox, type ShownRegistration, WALLET_FORMATS } from '../../trust/index.ts'
import { findTestVerification, type TestVerification } from '../usecases/find-test-verification.ts'

interface Options {
  scenario: string
  format?: string
  declineOnWarning?: boolean
  transaction?: string
}

export function addWalletCommands(program: Command, world: CliWorld): void {
  program
    .command('wallet')
    .description('the test wallet: answers a verification without a phone')
    .command('present')
    .description('answer a test verification, and print the outcome')
    .argument('[verification]', 'its id, its openid4vp:// or av:// link, or `latest`: the newest pending one', 'latest')
    .option('--scenario <name>', 'what the wallet does; `list` names them all', 'good')
    .option('--format <format>', 'sdjwt or mdoc (default: the one that reveals least)')
    .option('--transaction <misbehaviour>', 'a deliberate fault in the signature over the transaction')
    .option('--decline-on-warning', "decline if the verifier's registration is not in order")
    .action((wanted: string, options: Options, command: Command) =>
      world.withDeps(async (deps) => {
        const { sandbox } = deps
        if (sandbox === null) throw new CliProblem('the sandbox is off: set VIDIMUS_SANDBOX=on')
        if (options.scenario === 'list') {
          const text = namesOf(sandbox)
          answer(world, command, { json: { scenarios: sandbox.scenarios }, text })
          return
        }
        await present(world, command, { deps, sandbox, wanted, options })
      }),
    )
}

async function present(
  world: CliWorld,
  command: Command,
  input: { readonly deps: Deps; readonly sandbox: Sandbox; readonly wanted: string; readonly options: Options },
): Promise<void> {
  const { deps, sandbox, wanted, options } = input
  const format = checkFormat(options.format)
  if (!sandbox.scenarios.some(({ name }) => name === options.scenario)) {
    throw new CliProblem(`--scenario is one of\n${namesOf(sandbox)}`)
  }
  const { walletUri, id } = await linkOf(deps, wanted)
  const terms = {
    scenario: options.scenario,
    exchange: overHttp(world),
    nowMs: deps.clock.now(),
    declinesOnWarning: options.declineOnWarning === true,
    ...(options.transaction === undefined ? {} : { transaction: options.transaction }),
  }
  const done = await sandbox.present(walletUri, format === undefined ? terms : { ...terms, format })
  if (done.outcome === 'refused') throw new CliProblem(`the wallet refuses the request: ${done.reason}`)
  const verification = id === null ? null : await findTestVerification(deps, id)
  const disclosures = done.disclosed.map(({ types, paths }) => ({
    type: types.join(', '),
    claims: paths.map(pathText),
  }))
  const shown = disclosures.map(({ type, claims }) => `\n  ${type}: ${claims.join(', ')}`).join('')
  const onward = done.redirectUri === null ? '' : `\nThe wallet would go on to ${done.redirectUri}`
  const disclosed = shown === '' ? 'Nothing was disclosed.' : `Disclosed:${shown}`
  answer(world, command, {
    json: {
      status: done.status,
      redirect_uri: done.redirectUri,
      disclosed: disclosures,
      registration: registrationJson(done.registration),
      verification:
        verification === null
          ? null
          : {
              id: verification.id,
              status: verification.status,
              claims: verification.claims ?? null,
              error: verification.error ?? null,
            },
    },
    text: `${outcomeOf(verification, done.status)}\n${resultText(verification)}${registrationText(done.registration)}${disclosed}${onward}`,
  })
}

function registrationJson(shown: ShownRegistration | null) {
  if (shown === null) return null
  const { party, service, purposes, privacyPolicy, warnings } = shown
  return {
    party,
    service,
    purposes,
    privacy_policy: privacyPolicy,
    warnings: warnings.map(({ code, text }) => ({ code, text })),
  }
}

/** The text that a holder reads before consenting. */
function registrationText(shown: ShownRegistration | null): string {
  if (shown === null) return ''
  const { party, service, purposes, privacyPolicy, warnings } = shown
  const asker = [party, service].filter((name) => name !== null).join(', ')
  const lines = [
    ...(asker === '' ? [] : [`Registered: ${asker}`]),
    ...purposes.map(({ lang, text }) => `  Purpose (${lang}): ${text}`),
    ...(privacyPolicy === null ? [] : [`  Privacy policy: ${privacyPolicy}`]),
    ...warnings.map(({ code, text }) => `Warning (${code}): ${text}`),
  ]
  return lines.map((line) => `${line}\n`).join('')
}

/** The outcome that the merchant sees. The HTTP status of the answer does not show it. */
function outcomeOf(verification: TestVerification | null, status: number): string {
  if (verification === null)
    return `The verifier answered ${status}; the outcome of the verification is not known here.`
  const { id, error } = verification
  return `Verification ${id}: ${verification.status}${error === undefined ? '' : ` (${error.code}: ${error.message})`}`
}

/** The claims that the merchant gets. */
function resultText(verification: TestVerification | null): string {
  const claims = Object.entries(verification?.claims ?? {})
  if (claims.length === 0) return ''
  const lines = claims.map(([name, value]) => `  ${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
  return `Result:\n${lines.join('\n')}\n`
}

async function linkOf(deps: Deps, wanted: string): Promise<{ walletUri: string; id: string | null }> {
  if (wanted.includes(':')) return { walletUri: wanted, id: idOf(wanted) }
  const found = await findTestVerification(deps, wanted)
  if (found === null) {
    const none = wanted === 'latest' ? 'no verification of the test environment waits for an answer' : null
    throw new CliProblem(none ?? `there is no verification ${wanted} in the test environment`)
  }
  if (found.wallet_uri === undefined) throw new CliProblem(`verification ${found.id} is ${found.status} already`)
  return { walletUri: found.wallet_uri, id: found.id }
}

/** The last part of the link's address. */
function idOf(walletUri: string): string | null {
  const parameters = URL.canParse(walletUri) ? new URL(walletUri).searchParams : null
  const named = parameters?.get('request_uri') ?? parameters?.get('response_uri')
  return named?.split('/').at(-1)?.replace(SAME_DEVICE, '') ?? null
}

const namesOf = (sandbox: Sandbox) =>
  sandbox.scenarios.map(({ name, title }) => `  ${name.padEnd(16)} ${title}`).join('\n')

function checkFormat(text: string | undefined) {
  if (text === undefined) return undefined
  if (text === 'sdjwt' || text === 'mdoc') return WALLET_FORMATS[text]
  throw new CliProblem(`--format must be sdjwt or mdoc, not '${text}'`)
}
