// Mints valid and invalid zero-knowledge proofs. A hash over everything that the circuits bind replaces a proof.

import { createHash, createPublicKey } from 'node:crypto'
import { ZK_CIRCUITS } from '../../src/formats/mdoc-zk/circuits.ts'
import { offerProofs, type Trust, type ZkStatement } from '../../src/index.ts'
import type { DcqlQuery } from '../../src/openid4vp/dcql.ts'
import type { Anchor } from '../../src/trust/anchor.ts'
import {
  anchor,
  cbor,
  date,
  embedded,
  expected,
  MDL,
  MDL_SPACE,
  NOW,
  signer,
  transcriptOf,
  trust,
} from './mint-mdoc.ts'

const AGE = [MDL_SPACE, 'age_over_18'] as const

export const zkQuery: DcqlQuery = offerProofs(
  {
    credentials: [
      { id: 'licence', format: 'mso_mdoc', meta: { doctype_value: MDL }, claims: [{ id: 'age', path: [...AGE] }] },
    ],
  },
  () => MDL_SPACE,
)

export const [CIRCUIT = { id: '', hash: '', attributes: 0 }] = ZK_CIRCUITS.filter(({ attributes }) => attributes === 1)

/** Like the circuits, it covers neither type nor name space: a club card with the same key passes as a licence. */
export function proofOf(statement: Omit<ZkStatement, 'proof'>): Buffer {
  const { system, circuitHash, issuerKey, transcript, docType, timestamp, claims } = statement
  const elements = claims.map(({ element, value }) => [element, Buffer.from(value).toString('hex')])
  const text = [system, circuitHash, issuerKey.x, issuerKey.y, Buffer.from(transcript).toString('hex'), docType]
  return createHash('sha256')
    .update(JSON.stringify([...text, timestamp, elements]))
    .digest()
}

/** The operator states that its keys sign only licences. */
export const soleAnchor: Anchor = {
  ...anchor,
  sole: { docType: MDL, nameSpace: MDL_SPACE, withoutStatus: false },
}

/** The checker records each statement here. */
export function zkTrust(statements: ZkStatement[] = []): Trust {
  return {
    ...trust,
    anchors: [soleAnchor],
    statusPolicy: 'prefer',
    verifyZk: async (statement) => {
      statements.push(statement)
      return proofOf(statement).equals(statement.proof) ? 'valid' : 'invalid'
    },
  }
}

export const zkExpected = { ...expected, query: zkQuery }

export interface ZkPlan {
  /** Changes the statement after the proof was made. */
  readonly data?: (data: Record<string, unknown>) => Record<string, unknown>
  /** The statement that is proved. */
  readonly statement?: Partial<{
    timestamp: number
    docType: string
    value: unknown
    system: string
    circuitHash: string
  }>
  readonly proof?: (proof: Buffer) => unknown
  readonly transcript?: Uint8Array
  readonly response?: (response: Record<string, unknown>) => unknown
}

const same = <Value>(value: Value): Value => value

export function zkDocument(plan: ZkPlan = {}): Record<string, unknown> {
  const { timestamp = NOW, docType = MDL, value = true, system = CIRCUIT.id } = plan.statement ?? {}
  const { x = '', y = '' } = createPublicKey(signer.privateKey).export({ format: 'jwk' })
  const proof = proofOf({
    system: 'longfellow-libzk-v1',
    circuitHash: plan.statement?.circuitHash ?? CIRCUIT.hash,
    issuerKey: { x, y },
    transcript: plan.transcript ?? transcriptOf({}),
    docType,
    timestamp: String(date(timestamp).value),
    claims: [{ nameSpace: AGE[0], element: AGE[1], value: cbor(value) }],
  })
  const data = (plan.data ?? same)({
    docType,
    zkSystemId: system,
    timestamp: date(timestamp),
    issuerSigned: { [AGE[0]]: [{ elementIdentifier: AGE[1], elementValue: value }] },
    msoX5chain: signer.der,
  })
  return { documentData: embedded(data), proof: plan.proof === undefined ? proof : plan.proof(proof) }
}

export function mintZk(plan: ZkPlan = {}): Buffer {
  return cbor((plan.response ?? same)({ version: '1.1', zkDocuments: [zkDocument(plan)], status: 0 }))
}
