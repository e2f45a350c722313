// vidimus listen: forwards test events to a developer's machine, which does not need a public address.

import type { Command } from 'commander'
import { type CliWorld, OPERATOR } from '../../../cli/world.ts'
import { realmOfKey } from '../../../core/tenants/usecases/manage-keys.ts'
import { CliProblem } from '../../../platform/cli/print.ts'
import { showWebhookSecret } from '../usecases/manage-webhook-secret.ts'

interface Options {
  forwardTo: string
  key?: string
  service?: string
}

export function addListenCommand(program: Command, world: CliWorld): void {
  program
    .command('listen')
    .description('forward events of the test environment to a URL of yours')
    .requiredOption('--forward-to <url>', 'such as http://localhost:3000/webhooks')
    .option('--key <key>', 'a vk_test_ key with verifications:read (or VIDIMUS_API_KEY)')
    .option('--service <url>', 'address of Vidimus (default: the service that runs with this data directory)')
    .action((options: Options) => listen(world, options))
}

async function listen(world: CliWorld, options: Options): Promise<void> {
  const key = options.key ?? world.apiKey
  if (key === undefined) throw new CliProblem('pass a test key with --key or VIDIMUS_API_KEY')
  if (!URL.canParse(options.forwardTo)) throw new CliProblem(`--forward-to must be a URL, not '${options.forwardTo}'`)
  const running = options.service === undefined ? await world.runningService() : null
  const service = options.service ?? running?.address ?? 'http://localhost:8080'
  if (!URL.canParse(service)) throw new CliProblem(`--service must be a URL, not '${service}'`)
  const response = await world
    .reach(`${service}/dev/events`, { headers: { authorization: `Bearer ${key}` } })
    .catch(() => null)
  if (response === null) throw new CliProblem(`${service} does not answer; is the service running there?`, 1)
  if (!response.ok || response.body === null)
    throw new CliProblem(`the service answered ${response.status}: is it a vk_test_ key with verifications:read?`)
  world.err(
    `Listening. Events go to ${options.forwardTo}. Events that occur while this is not running are lost. Stop with Ctrl-C.\n`,
  )
  world.err(`Signed with ${await secretFor(world, key, running !== null)}\n`)
  try {
    for await (const event of eventsOf(response.body)) await forward(world, options.forwardTo, event)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    // fetch throws this error if the connection breaks.
  }
  throw new CliProblem('the service closed the stream; start again', 1)
}

/** Reads the secret from the service's own store, because an API key must not reveal it over the network. */
async function secretFor(world: CliWorld, key: string, hasStore: boolean): Promise<string> {
  const whereToFind =
    "the tenant's test secret: `vidimus webhook-secret show --tenant <id>`, or Webhooks in the dashboard"
  if (!hasStore) return whereToFind
  return world.withDeps(async (deps) => {
    const realm = await realmOfKey(deps, key)
    return realm === null ? whereToFind : (await showWebhookSecret(deps, { realm, actor: OPERATOR })).secret
  })
}

interface Event {
  readonly headers: Record<string, string>
  readonly body: string
}

/** Yields the `data:` lines of a server-sent event stream (WHATWG HTML §9.2). Each is a JSON text. */
async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Event> {
  let rest = ''
  const decoder = new TextDecoder()
  for await (const chunk of body) {
    const lines = `${rest}${decoder.decode(chunk, { stream: true })}`.split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) if (line.startsWith('data: ')) yield JSON.parse(line.slice('data: '.length))
  }
}

async function forward(world: CliWorld, url: string, event: Event): Promise<void> {
  const body = Buffer.from(event.body, 'base64')
  const { type, verification } = JSON.parse(body.toString('utf8'))
  const outcome = await world.reach(url, { method: 'POST', headers: event.headers, body }).then(
    (answer) => String(answer.status),
    () => 'not reached',
  )
  world.out(`${type}  ${verification.id}  → ${outcome}\n`)
}
