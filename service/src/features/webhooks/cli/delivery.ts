// vidimus delivery list | resend | destinations | enable, and vidimus webhook-secret show | rotate

import type { Command } from 'commander'
import { type CliWorld, inRealm, OPERATOR, type RealmOptions, realmOf } from '../../../cli/world.ts'
import { answer, CliProblem, table, wholeNumber } from '../../../platform/cli/print.ts'
import { renderDestination } from '../domain/destination.ts'
import { type LoggedDelivery, renderDelivery } from '../domain/logged-delivery.ts'
import { renderWebhookSecret, type WebhookSecret } from '../domain/signature.ts'
import { rotateSecret, showWebhookSecret } from '../usecases/manage-webhook-secret.ts'
import { readDeliveries, resendDelivery } from '../usecases/read-deliveries.ts'
import { enableWebhookDestination, listDestinations } from '../usecases/watch-destinations.ts'

export function addDeliveryCommands(program: Command, world: CliWorld): void {
  const delivery = program.command('delivery').description('the webhook delivery log')
  inRealm(delivery.command('list').description('deliveries, newest first, with their attempts'))
    .option('--verification <id>', 'only deliveries of this verification')
    .option('--limit <n>', 'at most', '20')
    .action(async (options: RealmOptions & { verification?: string; limit: string }, command: Command) => {
      const page = {
        limit: wholeNumber(options.limit, '--limit'),
        before: null,
        verificationId: options.verification ?? null,
      }
      const found = await world.withDeps((deps) => readDeliveries(deps, { realm: realmOf(options), ...page }))
      const text = found.length === 0 ? 'There are no deliveries.' : found.map(describe).join('\n')
      answer(world, command, { json: { data: found.map(renderDelivery) }, text })
    })
  inRealm(
    delivery.command('resend').description('make one more attempt now').argument('<delivery>', 'id of the delivery'),
  ).action(async (deliveryId: string, options: RealmOptions, command: Command) => {
    const end = await world.withDeps((deps) =>
      resendDelivery(deps, { realm: realmOf(options), deliveryId, actor: OPERATOR }),
    )
    if (end === null) throw new CliProblem(`there is no delivery ${deliveryId} there`)
    answer(world, command, {
      json: { outcome: end.outcome, http_status: end.httpStatus },
      text: `${end.outcome}${end.httpStatus === null ? '' : ` (${end.httpStatus})`}`,
    })
  })
  inRealm(delivery.command('destinations').description('destinations that fail or are disabled')).action(
    async (options: RealmOptions, command: Command) => {
      const found = await world.withDeps((deps) => listDestinations(deps, realmOf(options)))
      const rows = found.map((row) => [row.origin, String(row.failures), row.failingSince, row.disabledAt ?? 'no'])
      answer(world, command, {
        json: {
          data: found.map(renderDestination),
        },
        text:
          rows.length === 0 ? 'No destination fails.' : table(['DESTINATION', 'FAILURES', 'SINCE', 'DISABLED'], rows),
      })
    },
  )
  inRealm(
    delivery
      .command('enable')
      .description('enable a disabled destination, and send its held webhooks')
      .argument('<origin>', 'like https://shop.example'),
  ).action(async (origin: string, options: RealmOptions, command: Command) => {
    const destination = { ...realmOf(options), origin }
    const enabled = await world.withDeps((deps) => enableWebhookDestination(deps, { destination, actor: OPERATOR }))
    if (!enabled) throw new CliProblem(`${origin} is not disabled there`)
    answer(world, command, { json: { origin, enabled }, text: `Enabled ${origin}; held deliveries are sent now.` })
  })
}

export function addWebhookSecretCommands(program: Command, world: CliWorld): void {
  const secret = program.command('webhook-secret').description("the secret that signs a tenant's webhooks")
  inRealm(secret.command('show').description('show the secret; the audit trail records this')).action(
    async (options: RealmOptions, command: Command) => {
      const shown = await world.withDeps((deps) =>
        showWebhookSecret(deps, { realm: realmOf(options), actor: OPERATOR }),
      )
      answer(world, command, { json: renderWebhookSecret(shown), text: `${shown.secret}\n${overlap(shown)}` })
    },
  )
  inRealm(secret.command('rotate').description('create a new secret; each replaced secret still signs for 24 hours'))
    .option('--now', 'all replaced secrets stop signing at once')
    .action(async (options: RealmOptions & { now?: boolean }, command: Command) => {
      const input = { realm: realmOf(options), actor: OPERATOR, endPrevious: options.now === true }
      const rotated = await world.withDeps((deps) => rotateSecret(deps, input))
      answer(world, command, {
        json: renderWebhookSecret(rotated),
        text: `The new secret, which is shown only once:\n\n  ${rotated.secret}\n\n${overlap(rotated)}`,
      })
    })
}

function describe(delivery: LoggedDelivery): string {
  const head = `${delivery.id}  ${delivery.state}  ${delivery.type}  ${delivery.verificationId}${delivery.nextAt === null ? '' : `  next ${delivery.nextAt}`}`
  const lines = delivery.log.map(
    (attempt) =>
      `  ${attempt.startedAt}  ${attempt.outcome ?? 'running'}${attempt.httpStatus === null ? '' : ` ${attempt.httpStatus}`}  ${attempt.url ?? '(sealed with a key that is not here)'}`,
  )
  return [head, ...lines].join('\n')
}

const overlap = (secret: WebhookSecret) =>
  secret.previousUntil === null
    ? 'Only this secret signs.'
    : `The previous secret also signs until ${secret.previousUntil}; older ones end before that.`
