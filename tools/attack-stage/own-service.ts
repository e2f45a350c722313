// Starts a service for an attack to run against: default settings, an embedded store, two tenants.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openWorld } from '../../service/src/assemble.ts'
import { createKey } from '../../service/src/core/tenants/usecases/manage-keys.ts'
import { createTenant } from '../../service/src/core/tenants/usecases/manage-tenants.ts'
import type { Deps } from '../../service/src/deps.ts'
import { readConfig } from '../../service/src/platform/config/config.ts'
import { SCOPES } from '../../wire/values/keys.ts'
import { startService } from '../soak/services.ts'
import type { AttackOptions } from './attack.ts'
import { PROBE_FILE, readLateTurns } from './loop-probe.ts'

const ACTOR = { type: 'system', id: 'attack' } as const
const ATTACKER_KEYS = 60

interface OwnService extends Omit<AttackOptions, 'seconds'> {
  close(): Promise<void>
}

export async function startOwnService(): Promise<OwnService> {
  const dataDir = await mkdtemp(join(tmpdir(), 'vidimus-attack-'))
  const env = {
    PATH: process.env.PATH ?? '',
    VIDIMUS_DATA_DIR: dataDir,
    VIDIMUS_EGRESS_ALLOW: '127.0.0.0/8',
    VIDIMUS_LOG_LEVEL: 'error',
    PORT: '0',
    NODE_OPTIONS: `--import ${join(import.meta.dirname, 'loop-probe.ts')}`,
    [PROBE_FILE]: join(dataDir, 'late-turns.jsonl'),
  }
  const service = await startService(env)
  const stop = async () => {
    await service.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
  try {
    const port = new URL(service.url).port
    const world = await openWorld(readConfig({ ...env, PORT: port, VIDIMUS_LOG_LEVEL: 'silent' }), () => undefined)
    try {
      const attacker = await tenantWithKeys(world.deps, ATTACKER_KEYS)
      const bystander = await tenantWithKeys(world.deps, 1)
      return {
        // The address is a number, because the attackers choose their own addresses in 127.0.0.0/8.
        url: `http://127.0.0.1:${port}`,
        attackerKeys: attacker.keys,
        bystanderKey: bystander.keys[0] ?? '',
        memory: () => service.memory(),
        cpu: () => service.cpu(),
        lateTurns: () => readLateTurns(env[PROBE_FILE] ?? ''),
        own: { env, attackerTenant: attacker.id },
        close: stop,
      }
    } finally {
      await world.close()
    }
  } catch (error) {
    await stop()
    throw error
  }
}

async function tenantWithKeys(deps: Deps, count: number): Promise<{ id: string; keys: readonly string[] }> {
  const { id } = await createTenant(deps, { name: 'Attack', plan: 'enterprise', dailyQuota: null, actor: ACTOR })
  const keys: string[] = []
  for (let i = 0; i < count; i += 1) {
    const terms = { environment: 'test', name: 'attack', scopes: SCOPES, expiresInDays: null, actor: ACTOR } as const
    const key = await createKey(deps, { ...terms, tenantId: id })
    if (key === null) throw new Error('bug: no tenant')
    keys.push(key.key)
  }
  return { id, keys }
}
