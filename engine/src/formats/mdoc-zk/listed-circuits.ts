// Finds the circuits that a wallet lists in its metadata. No standard defines this, so every known form is read.

import { isJsonObject, member } from '../../json.ts'
import type { Json, JsonObject } from '../../verdict.ts'
import { ZK_SYSTEM, type ZkCircuit } from './circuits.ts'

/** Returns all circuits if the wallet lists no system. A system without a circuit hash means all of its circuits. */
export function circuitsListed(circuits: readonly ZkCircuit[], declared: JsonObject): readonly ZkCircuit[] {
  const listed = LISTS.map((name) => member(declared, name)).find(Array.isArray)
  if (listed === undefined) return circuits
  const systems = listed.filter((one) => one === ZK_SYSTEM || (isJsonObject(one) && one.system === ZK_SYSTEM))
  const hashes = systems.map(hashIn)
  return hashes.includes(null) ? circuits : circuits.filter(({ hash }) => hashes.includes(hash))
}

const LISTS = ['zk_system_type', 'zk_system_types_supported', 'systemSpecs'] as const

function hashIn(system: Json): string | null {
  if (!isJsonObject(system)) return null
  const params = member(system, 'params')
  const named = [system, ...(isJsonObject(params) ? [params] : [])].flatMap((one) => [
    member(one, 'circuit_hash'),
    member(one, 'circuitHash'),
  ])
  return named.find((hash) => typeof hash === 'string')?.toLowerCase() ?? null
}
