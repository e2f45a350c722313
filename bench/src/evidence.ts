// Measures what receipts and the public log cost: CPU per receipt, the time of a proof, bytes in the store.

import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { resolveQuestion } from '../../service/src/core/templates/domain/question.ts'
import { createTenant } from '../../service/src/core/tenants/usecases/manage-tenants.ts'
import type { VerificationResult } from '../../service/src/core/verifications/domain/verification.ts'
import type { Deps } from '../../service/src/deps.ts'
import {
  growTiles,
  keyOfTile,
  packEntries,
  TILE_WIDTH,
} from '../../service/src/features/transparency/domain/log/tiles.ts'
import {
  queryDigest,
  receiptSigner,
  signReceipt,
} from '../../service/src/features/transparency/domain/receipt/receipt.ts'
import { saveTiles } from '../../service/src/features/transparency/store/log.ts'
import { growLog } from '../../service/src/features/transparency/usecases/grow-log.ts'
import { proveLeaf } from '../../service/src/features/transparency/usecases/read-log.ts'
import { canonicalJsonOnce } from '../../service/src/platform/canonical-json.ts'
import { localKey } from '../../service/src/platform/keys/signing-key.ts'
import { openBench } from './world.ts'

const ROUNDS = 200
const WARM_UP = 100
const BATCH = 20
/** Takes the round at this share of all rounds, fastest first, because other processes only ever add time. */
const QUIET = 0.1
const RECEIPTS = 20_000
const LEAVES = 10_000_000
/** The leaves that are written at a time: 256 full tiles. */
const STEP = TILE_WIDTH * TILE_WIDTH
/** The length of the longest leaf, which is the head of an audit chain. */
const LEAF_BYTES = 97
const PROOFS = 101

interface EvidenceCost {
  readonly receiptMicros: number
  /** Microseconds of CPU per receipt, of the thread that grows the log. */
  readonly growthMicros: number
  readonly proofMedianMs: number
  readonly proofSlowestMs: number
  readonly logBytes: number
}

export async function benchEvidence(): Promise<EvidenceCost> {
  const receiptMicros = await receiptCost()
  const world = await openBench(async () => undefined)
  try {
    const growthMicros = await growthCost(world.deps)
    const logBytes = await fillLog(world.deps)
    const times: number[] = []
    for (let i = 0; i < PROOFS; i += 1) {
      const began = performance.now()
      // Proves the first leaf, because its tiles were written first: those at the end of the log may still be in a cache.
      await proveLeaf(world.deps.db, 0)
      times.push(performance.now() - began)
    }
    times.sort((a, b) => a - b)
    const [proofMedianMs = Number.NaN, proofSlowestMs = Number.NaN] = [times[Math.floor(PROOFS / 2)], times.at(-1)]
    return { receiptMicros, growthMicros, proofMedianMs, proofSlowestMs, logBytes }
  } finally {
    await world.close()
  }
}

const CLAIMS = { given_name: 'Vida', family_name: 'Specimen', birth_date: '1990-07-14' }
const RESULT: VerificationResult = {
  outcome: 'completed',
  claims: CLAIMS,
  credentials: [
    {
      format: 'dc+sd-jwt',
      doctype_or_vct: 'urn:eudi:pid:1',
      claims: CLAIMS,
      issuer: { common_name: 'Vidimus Sandbox PID signer', country: 'DE' },
      trusted: true,
      signature_valid: true,
      holder_binding_valid: true,
      findings: [],
    },
  ],
}

async function receiptCost(): Promise<number> {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const signer = receiptSigner('k'.repeat(43), localKey(privateKey))
  const { query } = resolveQuestion({ template: 'identity', query: null, outputs: null, purpose: null })
  const facts = {
    issuer: 'https://verify.example.com',
    verification: {
      id: `ver_${'x'.repeat(32)}`,
      tenantId: 'ten_bench',
      environment: 'test',
      template: 'identity',
      purpose: null,
    },
    result: RESULT,
    credentials: [
      {
        query: 'pid',
        checks: [],
        status_policy: 'require',
        issuer_cert_sha256: 'c'.repeat(43),
        anchor_sha256: 'a'.repeat(43),
        status: { outcome: 'valid', list_sha256: 'l'.repeat(43) },
      },
    ],
    binding: 'none',
    bundleHash: null,
    salt: randomBytes(32),
    entry: { seq: 1, hash: randomBytes(32), at: '2026-01-01T00:00:00.000000Z' },
  } as const
  const text = await canonicalJsonOnce(query, null)
  const times: number[] = []
  for (let round = -WARM_UP; round < ROUNDS; round += 1) {
    const began = process.cpuUsage()
    for (let i = 0; i < BATCH; i += 1) {
      const digest = queryDigest(facts.salt, text)
      signReceipt(signer, { ...facts, request: { query: digest, sha256: 'r'.repeat(43), registration: null } })
    }
    const { user, system } = process.cpuUsage(began)
    if (round >= 0) times.push((user + system) / BATCH)
  }
  return times.sort((a, b) => a - b)[Math.floor(ROUNDS * QUIET)] ?? Number.NaN
}

async function growthCost(deps: Deps): Promise<number> {
  const actor = { type: 'system', id: 'bench' } as const
  const { id } = await createTenant(deps, { name: 'Bench', plan: 'free', dailyQuota: null, actor })
  await deps.db.query(
    {
      name: 'bench_receipts',
      text: `insert into receipts (verification_id, tenant_id, environment, jws)
             select 'ver_' || md5(i::text), $1, 'test', repeat(md5(i::text), 30) from generate_series(1, ${RECEIPTS}) i`,
    },
    [id],
  )
  const before = process.threadCpuUsage()
  await growLog(deps)
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / RECEIPTS
}

/** Fills the log with random leaves, which cannot be compressed. The tiles above them have the right hashes. */
async function fillLog({ db }: Deps): Promise<number> {
  await db.query({ name: 'bench_empty_log', text: 'truncate log_tiles' })
  const tiles = new Map<string, Buffer>()
  for (let size = 0; size < LEAVES; size += STEP) {
    const count = Math.min(STEP, LEAVES - size)
    const chance = randomBytes(count * 32)
    const hashes = Array.from({ length: count }, (_, i) => chance.subarray(i * 32, (i + 1) * 32))
    const grown = growTiles(size, hashes, (tile) => tiles.get(keyOfTile(tile)) ?? new Uint8Array(0))
    for (const tile of grown) if (tile.level > 0) tiles.set(keyOfTile(tile), tile.hashes)
    const entries = Array.from({ length: Math.ceil(count / TILE_WIDTH) }, (_, i) => {
      const width = Math.min(TILE_WIDTH, count - i * TILE_WIDTH)
      const bytes = packEntries(Array.from({ length: width }, () => randomBytes(LEAF_BYTES)))
      return { level: -1, index: size / TILE_WIDTH + i, bytes }
    })
    await saveTiles(db, [...grown.map(({ level, index, hashes: bytes }) => ({ level, index, bytes })), ...entries])
  }
  await db.query({ name: 'bench_log_size', text: 'update log_heads set size = $1' }, [LEAVES])
  const [row] = await db.query<{ bytes: number }>({
    name: 'bench_log_bytes',
    text: `select pg_total_relation_size('log_tiles') as bytes`,
  })
  return row?.bytes ?? Number.NaN
}

if (import.meta.main) console.log(await benchEvidence())
