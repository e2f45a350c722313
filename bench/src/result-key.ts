// Measures what a merchant's result key adds to a flow, next to the unavoidable key agreement.

import { diffieHellman, generateKeyPairSync, randomBytes } from 'node:crypto'
import { sealResultKey } from '../../service/src/core/result-keys/store/result-keys.ts'
import { encryptResult } from '../../service/src/core/result-keys/usecases/encrypt-result.ts'
import type { VerificationResult } from '../../service/src/core/verifications/domain/verification.ts'
import { sealResult } from '../../service/src/core/verifications/store/sealed-results.ts'
import { createSealer } from '../../service/src/platform/seal/seal.ts'

const ROUNDS = 200
const WARM_UP = 100
const BATCH = 20
/** Takes the round at this share of all rounds, fastest first, because other processes only ever add time. */
const QUIET = 0.1

interface ResultKeyCost {
  /** Additional microseconds of CPU per flow. */
  readonly micros: number
  readonly floorMicros: number
}

export function benchResultKey(): ResultKeyCost {
  const random = (size: number) => new Uint8Array(randomBytes(size))
  const db = { sealer: createSealer(random(32), random) }
  const realm = { tenantId: 'ten_bench', environment: 'test' } as const
  const keyPair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x = '', y = '' } = keyPair.publicKey.export({ format: 'jwk' })
  const resultKey = { id: 'rky_bench', sealed: sealResultKey(db, realm, { id: 'rky_bench', point: { x, y } }) }
  const owner = { ...realm, id: `ver_${'x'.repeat(32)}`, resultKey, template: null }
  const clear = () => sealResult(db, owner, RESULT)
  const encrypted = () => sealResult(db, owner, encryptResult({ db, random }, owner, RESULT))
  const floor = () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    diffieHellman({ privateKey, publicKey: keyPair.publicKey })
  }
  const [clearMicros = 0, encryptedMicros = 0, floorMicros = 0] = quietest([clear, encrypted, floor])
  return { micros: encryptedMicros - clearMicros, floorMicros }
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

/** Runs the works alternately, so that a disturbance affects all. Returns the time of each at `QUIET` of its rounds. */
function quietest(works: readonly (() => void)[]): number[] {
  const times = works.map((): number[] => [])
  for (let round = -WARM_UP; round < ROUNDS; round += 1) {
    for (const [at, work] of works.entries()) {
      const began = process.cpuUsage()
      for (let i = 0; i < BATCH; i += 1) work()
      const { user, system } = process.cpuUsage(began)
      if (round >= 0) times[at]?.push((user + system) / BATCH)
    }
  }
  return times.map((taken) => taken.sort((a, b) => a - b)[Math.floor(ROUNDS * QUIET)] ?? Number.NaN)
}

if (import.meta.main) console.log(benchResultKey())
