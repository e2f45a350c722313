// Replays an attack on a service and reports its effect on another merchant (`npm run attack -- <name>`).

import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Attack, AttackOptions } from './attack-stage/attack.ts'
import { startOwnService } from './attack-stage/own-service.ts'

const ATTACKS = join(import.meta.dirname, 'attacks')
const USAGE = `usage: npm run attack -- <name> [--seconds 10]
       npm run attack -- <name> --url http://127.0.0.1:8080 --key <another merchant's> --attacker-key <the attacker's> ...`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    url: { type: 'string' },
    key: { type: 'string' },
    'attacker-key': { type: 'string', multiple: true, default: [] },
    seconds: { type: 'string', default: '10' },
  },
})
process.exitCode = await main(positionals[0])

async function main(name: string | undefined): Promise<number> {
  const names = (await readdir(ATTACKS)).filter((file) => file.endsWith('.ts')).map((file) => file.slice(0, -3))
  const seconds = Number(values.seconds)
  if (name === undefined || !names.includes(name) || !(seconds > 0 && seconds <= 300)) {
    console.error(USAGE)
    for (const known of names.sort()) console.error(`  ${known.padEnd(18)} ${(await load(known)).about}`)
    return 2
  }
  const attack = await load(name)
  if (values.url !== undefined) return report(name, await attack.run(givenService(values.url, seconds)))
  console.error('starting a service to attack')
  const { close, ...service } = await startOwnService()
  try {
    return report(name, await attack.run({ ...service, seconds }))
  } finally {
    await close()
  }
}

async function load(name: string): Promise<Attack> {
  return (await import(join(ATTACKS, `${name}.ts`))) as Attack
}

function givenService(url: string, seconds: number): AttackOptions {
  if (!/^127\.\d+\.\d+\.\d+$/.test(new URL(url).hostname)) throw new Error('--url must be an address in 127.0.0.0/8')
  if (values.key === undefined) throw new Error('--key: an API key of the merchant to be measured is needed')
  const { key: bystanderKey, 'attacker-key': attackerKeys } = values
  const ofProcess = { memory: () => null, cpu: () => Number.NaN, lateTurns: () => null }
  return { url, attackerKeys, bystanderKey, seconds, ...ofProcess, own: null }
}

function report(name: string, measured: Awaited<ReturnType<Attack['run']>>): number {
  console.log(name)
  for (const [what, value] of Object.entries(measured)) console.log(`  ${what.padEnd(52)} ${value}`)
  return 0
}
