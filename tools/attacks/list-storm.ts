// Sends responses with 16 documents that each name their own identifier list of maximum length. Compares with two controls.

import { MDL } from '../../engine/test/mdoc/mint-mdoc.ts'
import type { Minted } from '../../engine/test/trust/mint-certificate.ts'
import { mintAuthority, mintSigner } from '../../engine/test/trust/mint-pki.ts'
import { openWorld } from '../../service/src/assemble.ts'
import { addAnchor } from '../../service/src/features/trust/usecases/manage-anchors.ts'
import { readConfig } from '../../service/src/platform/config/config.ts'
import type { AttackOptions, AttackReport } from '../attack-stage/attack.ts'
import { quietRow, timesQuiet, watchBystander } from '../attack-stage/bystander.ts'
import { type AttackerPlan, startListAttacker, type Tally } from '../attack-stage/list-attacker.ts'
import { startListServer } from '../attack-stage/list-server.ts'
import { watchLoop } from '../attack-stage/loop-watch.ts'
import { PRIORITY_SAID } from '../attack-stage/priority.ts'

export const about = '16 documents in each response, each with a long identifier list of its own'

/** More lists than the service fetches with a tenant's budget during the attack. */
const LISTS = { atFirst: 100, perSecond: 4 }
const WARM_UP_SECONDS = 2

export async function run(options: AttackOptions): Promise<AttackReport> {
  const { url, attackerKeys, seconds, own, memory } = options
  if (own === null) throw new Error('this attack needs a service of its own: an anchor is installed')
  const authority = mintAuthority({ subject: { CN: 'An authority of the attacker', C: 'UT' } })
  const signer = mintSigner(authority)
  await trust(authority, own, url)
  const count = LISTS.atFirst + LISTS.perSecond * seconds
  console.error(`signing ${count} lists`)
  const hosted = await startListServer(signer, count)
  const plan = { url, keys: attackerKeys, signer }
  try {
    // The service compiles code for the first responses, so they are not counted.
    await phase('warm-up', { ...options, seconds: WARM_UP_SECONDS }, { ...plan, lists: null })
    const alone = await phase('alone', options, null)
    const without = await phase('without lists', options, { ...plan, lists: null })
    const memoryBefore = memory()
    const storm = await phase('storm', options, { ...plan, lists: hosted.base }, hosted.onAsked)
    const { tally } = storm
    return {
      ...quietRow(alone.noticed),
      'p99 ms compared with the same without lists': without.noticed['bystander: p99 ms'] ?? '',
      ...storm.noticed,
      ...timesQuiet(alone.noticed, storm.noticed),
      ...alone.loop,
      ...without.loop,
      ...storm.loop,
      'responses without lists': without.tally?.sent ?? 0,
      'responses with lists': tally?.sent ?? 0,
      'how they ended': JSON.stringify(tally?.outcomes),
      'longest answer to the attacker ms': Math.round(tally?.longestMs ?? Number.NaN),
      'lists fetched': hosted.served(),
      'memory before MiB': Math.round(memoryBefore ?? Number.NaN),
      'memory after MiB': Math.round(memory() ?? Number.NaN),
      priority: PRIORITY_SAID,
    }
  } finally {
    await hosted.close()
  }
}

interface Phase {
  readonly noticed: AttackReport
  readonly loop: AttackReport
  readonly tally: Tally | null
}

async function phase(
  name: string,
  options: AttackOptions,
  plan: AttackerPlan | null,
  onAsked?: (note: (firstUnused: number) => void) => void,
): Promise<Phase> {
  const { url, bystanderKey: key, seconds } = options
  console.error(`${name}, ${seconds} s`)
  const watch = await watchLoop(name, options)
  const attacker = plan === null ? null : startListAttacker(plan)
  if (attacker !== null) onAsked?.((firstUnused) => attacker.useFrom(firstUnused))
  const noticed = await watchBystander({ url, key, seconds })
  const loop = await watch.end()
  return { noticed, loop, tally: attacker === null ? null : await attacker.stop() }
}

async function trust(authority: Minted, own: NonNullable<AttackOptions['own']>, url: string): Promise<void> {
  const config = readConfig({ ...own.env, PORT: new URL(url).port, VIDIMUS_LOG_LEVEL: 'silent' })
  const world = await openWorld(config, () => undefined)
  try {
    const added = await addAnchor(world.deps, {
      owner: { tenantId: own.attackerTenant, environment: 'test' },
      kind: 'ca',
      profile: 'generic',
      types: [`mso_mdoc:${MDL}`],
      certificate: authority.der,
      actor: { type: 'system', id: 'attack' },
    })
    if (added.outcome === 'refused') throw new Error(added.problem)
  } finally {
    await world.close()
  }
}
