// Checks signer, type, time and circuit of a zero-knowledge proof about an mdoc. settle-proof.ts checks the proof itself.

import { sessionTranscripts } from '../../channels/table.ts'
import {
  CheckLog,
  type Demand,
  type Examination,
  examined,
  type Facts,
  type Fault,
  NOTHING,
  noteUnexamined,
  provenance,
} from '../../examination.ts'
import type { SentRequest } from '../../expected.ts'
import { NO_CERTIFICATES } from '../../issuer-faults.ts'
import type { SoleType } from '../../trust/anchor.ts'
import type { Certificate } from '../../trust/certificate.ts'
import { judgeChain } from '../../trust/chain.ts'
import { signerStatus } from '../../trust/revocation.ts'
import { checkForm, claimsOf, invalid, trustFault } from '../mdoc/checks.ts'
import { AGE_DOCTYPE, MDOC } from '../mdoc/name.ts'
import type { MdocQuery } from '../mdoc/query.ts'
import { ZK_SYSTEM, type ZkCircuit } from './circuits.ts'
import { type PresentedZk, parseZkDocument, type ZkDocument } from './document.ts'

/** The checks that the proof decides: all pass if it is valid, otherwise none. */
export const PROVED = [
  'issuer_signature_valid',
  'digests_valid',
  'holder_key_present',
  'holder_signature_valid',
  'bound_to_request',
  'bound_to_presentation',
] as const

export function examineZk(presented: PresentedZk, demand: Demand<MdocQuery>): Examination {
  const log = new CheckLog()
  return examined(demand.query, examine(presented, demand, log), log)
}

export function listZk(presented: PresentedZk, { query, budget }: Demand<MdocQuery>): Examination {
  const log = new CheckLog()
  const document = checkForm(log, budget, () => parseZkDocument(presented, budget))
  if (document !== null) noteUnexamined(log)
  return examined(query, { ...NOTHING, type: document?.docType ?? '' }, log)
}

function examine(presented: PresentedZk, { query, expected, trust, budget }: Demand<MdocQuery>, log: CheckLog): Facts {
  const document = checkForm(log, budget, () => parseZkDocument(presented, budget))
  if (document === null) return NOTHING
  const { docType: type, claims, timestamp } = document
  const circuit = query.circuits?.find(({ id }) => id === document.systemId)
  if (!log.judge('type_requested', requestFault(document, query, circuit)) || circuit === undefined)
    return { ...NOTHING, type }
  const chain = log.require('issuer_certificate_present', document.chain, NO_CERTIFICATES)
  if (chain === null) return { ...NOTHING, type }
  const answer = judgeChain({ chain, format: MDOC, type, at: expected.now, use: 'credential' }, trust, budget)
  const soleType = answer.outcome === 'trusted' ? answer.soleType() : null
  const untrusted = trustFault(answer, { docType: type, items: claims }) ?? soleFault(document, soleType)
  log.judge('issuer_trusted', untrusted)
  log.judge('within_validity', timeFault(timestamp.at, expected))
  const point = answer.signer === null ? null : pointOf(answer.signer)
  if (log.require('algorithm_allowed', point, OTHER_KEY) === null || point === null) return { ...NOTHING, type }
  // If a status is required, only types that never have one are accepted. Refusing here saves checking the proof.
  const isStatusless = type === AGE_DOCTYPE && soleType?.withoutStatus === true
  if (trust.statusPolicy === 'require' && !isStatusless)
    log.refuseUnprovable('not_revoked', { code: 'status_unavailable', detail: STATUS_NOT_PROVABLE })
  // A proof signs no transaction data, so it does not confirm any.
  log.pass('transaction_data_valid')
  return {
    ...NOTHING,
    ...provenance(answer),
    type,
    issuer: answer.issuer,
    claims: claimsOf(claims),
    // Every mdoc expires. The proof does not show when, only that the mdoc was valid at this time.
    expiresAt: timestamp.at,
    status: answer.outcome === 'trusted' ? signerStatus(answer, MDOC) : [],
    proofs: sessionTranscripts(expected).map((transcript) => ({
      system: ZK_SYSTEM,
      circuitHash: circuit.hash,
      issuerKey: point,
      transcript,
      docType: type,
      timestamp: timestamp.text,
      claims: claims.map(({ nameSpace, element, encoded }) => ({ nameSpace, element, value: encoded })),
      proof: document.proof,
    })),
  }
}

const OTHER_KEY = invalid('the issuer signs with a key that proofs are not made about')

/** The signed object may name a status, but a proof does not reveal it. */
export const STATUS_NOT_PROVABLE = 'a proof cannot show whether the document was revoked'

/** A proof hides the type and the name space of the signed object, so its signer must issue only this type. */
function soleFault({ docType, claims }: ZkDocument, sole: SoleType | null): Fault | null {
  if (sole === null || sole.docType !== docType)
    return {
      code: 'issuer_untrusted',
      detail: 'no trust anchor states that the signer issues only this type of document',
    }
  if (claims.some(({ nameSpace }) => nameSpace !== sole.nameSpace))
    return { code: 'issuer_untrusted', detail: 'the signer does not issue elements of this name space' }
  return null
}

function requestFault({ docType, claims }: ZkDocument, query: MdocQuery, circuit: ZkCircuit | undefined): Fault | null {
  if (docType !== query.meta.doctype_value)
    return { code: 'query_not_satisfied', detail: 'the credential is not of a type that was asked for' }
  if (circuit === undefined)
    return { code: 'query_not_satisfied', detail: 'the proof is of a circuit that was not asked for' }
  if (claims.length !== circuit.attributes)
    return invalid('the proof is about another number of elements than its circuit')
  return null
}

/** A proof for our request is not older than the request, and not from the future. */
function timeFault(at: number, { requestedAt, now, skewSeconds }: SentRequest): Fault | null {
  if (!(at >= requestedAt - skewSeconds)) return invalid('the proof is older than the request')
  if (!(at <= now + skewSeconds)) return invalid('the proof says it was made in the future')
  return null
}

/** Returns the coordinates in base64url; null if circuits do not support the curve. */
function pointOf({ kind, publicKey }: Certificate): { readonly x: string; readonly y: string } | null {
  if (kind !== 'P-256') return null
  const { x, y } = publicKey.export({ format: 'jwk' })
  return x === undefined || y === undefined ? null : { x, y }
}
