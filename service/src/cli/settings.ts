// vidimus settings <tenant>: shows a tenant's settings, or changes those that are named.

import type { Command } from 'commander'
import { effectiveSettings, RETENTION_DAYS, type TenantSettings } from '../domain/tenant/settings.ts'
import { changeSettings, readSettings } from '../usecases/operator/manage-settings.ts'
import { answer, CliProblem, table, wholeNumber } from './print.ts'
import { type CliWorld, OPERATOR } from './world.ts'

interface Options {
  readonly retentionDays?: string
  readonly walletRejectionStatus?: string
  readonly statusPolicyTest?: string
  readonly statusPolicyLive?: string
  readonly haip?: string
  readonly clientIdPrefix?: string
  readonly responseMode?: string
  readonly liveWebhooksHttpsOnly?: string
}

export function addSettingsCommand(program: Command, world: CliWorld): void {
  program
    .command('settings')
    .description("a tenant's settings: show them, or change those that are named")
    .argument('<tenant>', 'its id')
    .option('--retention-days <days>', 'verifications older than this are erased by themselves')
    .option('--wallet-rejection-status <status>', 'what a wallet is answered when a check fails: 200 or 400')
    .option('--status-policy-test <policy>', 'unknown revocation status in test: require or prefer')
    .option('--status-policy-live <policy>', 'unknown revocation status in live: require or prefer')
    .option('--haip <switch>', 'the rules of HAIP 1.0: on or off')
    .option('--client-id-prefix <prefix>', 'x509_hash or x509_san_dns')
    .option('--response-mode <mode>', 'direct_post.jwt or direct_post')
    .option('--live-webhooks-https-only <switch>', 'refuse live webhooks over plain http: on or off')
    .action(async (tenantId: string, options: Options, command: Command) => {
      const change = readChange(options)
      const shown = await world.withDeps(async (deps) => {
        const stored =
          Object.keys(change).length === 0
            ? await readSettings(deps, tenantId)
            : await changeSettings(deps, { tenantId, change, actor: OPERATOR })
        return stored === null ? null : { stored, inEffect: effectiveSettings(stored, deps.config.haip) }
      })
      if (shown === null) throw new CliProblem(`there is no tenant ${tenantId}`)
      const [stored, inEffect] = [toJson(shown.stored), toJson(shown.inEffect)]
      const rows = Object.entries(inEffect).map(([name, value]) => [
        name,
        String(stored[name as keyof Shown]),
        String(value),
      ])
      const note = rows.some(([, kept, used]) => kept !== used) ? NOTE : ''
      const text = `${table(['SETTING', 'STORED', 'IN EFFECT'], rows)}${note}`
      answer(world, command, { json: { ...stored, in_effect: inEffect }, text })
    })
}

const NOTE = '\nHAIP is on for this tenant or for all (VIDIMUS_HAIP) and decides where the two differ.'

type Shown = ReturnType<typeof toJson>

function readChange(options: Options): Partial<TenantSettings> {
  const { retentionDays, walletRejectionStatus: rejection } = options
  const testPolicy = oneOf(options.statusPolicyTest, '--status-policy-test', ['require', 'prefer'] as const)
  const livePolicy = oneOf(options.statusPolicyLive, '--status-policy-live', ['require', 'prefer'] as const)
  const haip = oneOf(options.haip, '--haip', ['on', 'off'] as const)
  const prefix = oneOf(options.clientIdPrefix, '--client-id-prefix', ['x509_hash', 'x509_san_dns'] as const)
  const mode = oneOf(options.responseMode, '--response-mode', ['direct_post', 'direct_post.jwt'] as const)
  const httpsOnly = oneOf(options.liveWebhooksHttpsOnly, '--live-webhooks-https-only', ['on', 'off'] as const)
  const status = oneOf(rejection, '--wallet-rejection-status', ['200', '400'] as const)
  return {
    ...(retentionDays === undefined ? {} : { retentionDays: checkDays(retentionDays) }),
    ...(status === undefined ? {} : { walletRejectionStatus: status === '200' ? 200 : 400 }),
    ...(testPolicy === undefined ? {} : { statusPolicyTest: testPolicy }),
    ...(livePolicy === undefined ? {} : { statusPolicyLive: livePolicy }),
    ...(haip === undefined ? {} : { haip: haip === 'on' }),
    ...(prefix === undefined ? {} : { clientIdPrefix: prefix }),
    ...(mode === undefined ? {} : { responseMode: mode }),
    ...(httpsOnly === undefined ? {} : { liveWebhooksHttpsOnly: httpsOnly === 'on' }),
  }
}

function oneOf<T extends string>(text: string | undefined, name: string, allowed: readonly T[]): T | undefined {
  if (text === undefined) return undefined
  const found = allowed.find((value) => value === text)
  if (found === undefined) throw new CliProblem(`${name} must be ${allowed.join(' or ')}, not '${text}'`)
  return found
}

function checkDays(text: string): number {
  const days = wholeNumber(text, '--retention-days')
  const { min, max } = RETENTION_DAYS
  if (days < min || days > max) throw new CliProblem(`--retention-days must be from ${min} to ${max}`)
  return days
}

function toJson(settings: TenantSettings) {
  return {
    retention_days: settings.retentionDays,
    wallet_rejection_status: settings.walletRejectionStatus,
    status_policy_test: settings.statusPolicyTest,
    status_policy_live: settings.statusPolicyLive,
    haip: settings.haip,
    client_id_prefix: settings.clientIdPrefix,
    response_mode: settings.responseMode,
    live_webhooks_https_only: settings.liveWebhooksHttpsOnly,
  }
}
