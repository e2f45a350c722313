// vidimus wallet present

import type { Command } from 'commander'
import { answer, CliProblem } from './print.ts'
import { type CliWorld, overHttp } from './world.ts'

const FORMATS = { sdjwt: 'dc+sd-jwt', mdoc: 'mso_mdoc' } as const

export function addWalletCommands(program: Command, world: CliWorld): void {
  program
    .command('wallet')
    .description('the test wallet: answers a verification without a phone')
    .command('present')
    .argument('<wallet_uri>', 'the openid4vp:// link of a test verification')
    .option('--scenario <name>', 'what the wallet does; `list` names them all', 'good')
    .option('--format <format>', 'sdjwt or mdoc (default: what reveals least)')
    .action(async (walletUri: string, options: { scenario: string; format?: string }, command: Command) => {
      const format = checkFormat(options.format)
      const done = await world.withDeps(async (deps) => {
        const { sandbox } = deps
        if (sandbox === null) throw new CliProblem('the sandbox is off: set VIDIMUS_SANDBOX=on')
        if (options.scenario === 'list' || !sandbox.scenarios.some(({ name }) => name === options.scenario)) {
          const names = sandbox.scenarios.map(({ name, title }) => `  ${name.padEnd(16)} ${title}`).join('\n')
          throw new CliProblem(`--scenario is one of\n${names}`)
        }
        const terms = { scenario: options.scenario, exchange: overHttp(world), nowMs: deps.clock.now() }
        return sandbox.present(walletUri, format === undefined ? terms : { ...terms, format })
      })
      if (done.outcome === 'refused') throw new CliProblem(`the wallet refuses the request: ${done.reason}`)
      const shown = done.disclosed.map(({ type, claims }) => `\n  ${type}: ${claims.join(', ')}`).join('')
      const onward = done.redirectUri === null ? '' : `\nThe wallet would go on to ${done.redirectUri}`
      const text = `The verifier answered ${done.status}.${shown === '' ? ' Nothing was disclosed.' : ` Disclosed:${shown}`}${onward}`
      answer(world, command, {
        json: { status: done.status, redirect_uri: done.redirectUri, disclosed: done.disclosed },
        text,
      })
    })
}

function checkFormat(text: string | undefined): 'dc+sd-jwt' | 'mso_mdoc' | undefined {
  if (text === undefined) return undefined
  if (text === 'sdjwt' || text === 'mdoc') return FORMATS[text]
  throw new CliProblem(`--format must be sdjwt or mdoc, not '${text}'`)
}
