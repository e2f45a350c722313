// vidimus listen: forwards a tenant's test events to a developer's machine, so that localhost needs no exception in the
// egress policy. It needs no store, only the service's address and a test key.

import type { Command } from 'commander'
import { CliProblem } from './print.ts'
import type { CliWorld } from './world.ts'

interface Options {
  forwardTo: string
  key?: string
  service: string
}

export function addListenCommand(program: Command, world: CliWorld): void {
  program
    .command('listen')
    .description('forward the events of the test environment to an address of yours')
    .requiredOption('--forward-to <url>', 'like http://localhost:3000/webhooks')
    .option('--key <key>', 'a vk_test_ key with verifications:read (or VIDIMUS_API_KEY)')
    .option('--service <url>', 'address of Vidimus', 'http://localhost:8080')
    .action((options: Options) => listen(world, options))
}

async function listen(world: CliWorld, options: Options): Promise<void> {
  const key = options.key ?? world.apiKey
  if (key === undefined) throw new CliProblem('give a test key with --key or VIDIMUS_API_KEY')
  if (!URL.canParse(options.forwardTo)) throw new CliProblem(`--forward-to must be a URL, not '${options.forwardTo}'`)
  const response = await world.reach(`${options.service}/dev/events`, { headers: { authorization: `Bearer ${key}` } })
  if (!response.ok || response.body === null)
    throw new CliProblem(`the service answered ${response.status}: is it a vk_test_ key with verifications:read?`)
  world.err(
    `Listening. Events go to ${options.forwardTo}; what happens while this does not run is not kept. Stop with Ctrl-C.\n`,
  )
  for await (const event of eventsOf(response.body)) await forward(world, options.forwardTo, event)
  throw new CliProblem('the service closed the stream; start again')
}

interface Event {
  readonly headers: Record<string, string>
  readonly body: string
}

/** The `data:` lines of a server-sent event stream (WHATWG HTML §9.2), one JSON text each. */
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
  const said = await world.reach(url, { method: 'POST', headers: event.headers, body }).then(
    (answer) => String(answer.status),
    () => 'not reached',
  )
  world.out(`${type}  ${verification.id}  → ${said}\n`)
}
