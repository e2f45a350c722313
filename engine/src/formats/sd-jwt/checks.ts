// Checks that an SD-JWT VC is genuine and was presented to us by its holder.

import { algorithmNamed, type JwsAlgorithm, SIGNATURE_ALGORITHMS } from '../../algorithms.ts'
import { isKey, isShowable, Malformed } from '../../bytes.ts'
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
import type { Trust } from '../../expected.ts'
import { NO_CERTIFICATES, OTHER_ALGORITHM, UNSIGNED } from '../../issuer-faults.ts'
import { type CompactJws, verifyWith } from '../../jose.ts'
import { member } from '../../json.ts'
import { type Budget, LIMITS, OVERSPENT, spendRead, spendSignature } from '../../limits.ts'
import type { Certificate } from '../../trust/certificate.ts'
import { type ChainAnswer, judgeChain } from '../../trust/chain.ts'
import { signerStatus } from '../../trust/revocation.ts'
import type { Json, JsonObject } from '../../verdict.ts'
import { readX5c } from '../../x5c.ts'
import { type Disclosed, discloseClaims, spendDigests } from './disclosures.ts'
import { issuerNameFault } from './issuer-name.ts'
import { checkKeyBinding } from './key-binding.ts'
import { SD_JWT } from './name.ts'
import { parseSdJwt, type SdJwt } from './parse.ts'
import type { SdJwtQuery } from './query.ts'
import { expiryOf, readStatus, validityFault } from './terms.ts'

export function examineSdJwt(presented: string, demand: Demand<SdJwtQuery>): Examination {
  const log = new CheckLog()
  return examined(demand.query, examine(presented, demand, log), log)
}

/** Reads only form and type, and verifies nothing. For presentations after one that failed. */
export function listSdJwt(presented: string, { query, trust, budget }: Demand<SdJwtQuery>): Examination {
  const log = new CheckLog()
  const credential = checkForm(presented, trust, log, budget)
  if (credential === null) return examined(query, NOTHING, log)
  noteUnexamined(log)
  return examined(query, { ...NOTHING, type: credential.type }, log)
}

// Continues after a failure if further checks make sense: an untrusted issuer may have signed correctly. Stops before a
// check would read unsigned text.
function examine(presented: string, demand: Demand<SdJwtQuery>, log: CheckLog): Facts {
  const { query, expected, trust, budget } = demand
  const credential = checkForm(presented, trust, log, budget)
  if (credential === null) return NOTHING
  const { sdJwt, type } = credential
  const { header, payload } = sdJwt.issuerJwt
  const algorithm = log.require('algorithm_allowed', algorithmOf(header), OTHER_ALGORITHM)
  if (algorithm === null) return { ...NOTHING, type }
  const chain = log.require('issuer_certificate_present', certificatesOf(header), NO_CERTIFICATES)
  if (chain === null) return { ...NOTHING, type }

  const requested = requestedTypes(type, payload, query)
  const question = {
    chain,
    format: SD_JWT,
    type,
    takenFor: requested,
    at: expected.now,
    use: 'credential',
  } as const
  const answer = judgeChain(question, trust, budget)
  const fault = signatureFault(answer.signer, algorithm, sdJwt.issuerJwt, budget)
  log.judge('issuer_trusted', trustFault(answer, fault === null ? payload : null))
  const facts = { ...NOTHING, type, issuer: answer.issuer, ...provenance(answer) }
  if (!log.judge('issuer_signature_valid', fault)) return facts
  if (answer.outcome === 'trusted') remember(sdJwt.issuerJwt, trust)
  const disclosed = checkDisclosures(sdJwt, log, budget)
  if (disclosed === null) return facts
  const { claims, withheld } = disclosed

  log.judge('type_requested', requested.length > 0 ? null : OTHER_TYPE)
  log.judge('within_validity', validityFault(payload, claims, expected))
  const confirmed = checkKeyBinding(sdJwt, demand, log)
  const signerStatuses = answer.outcome === 'trusted' ? signerStatus(answer, SD_JWT) : []
  const status = [...readStatus(payload, log), ...signerStatuses]
  return {
    ...facts,
    claims,
    withheld,
    signedPart: sdJwt.issuerJwt.data,
    expiresAt: expiryOf(payload),
    confirmed,
    status,
  }
}

const OTHER_TYPE: Fault = {
  code: 'query_not_satisfied',
  detail: 'the credential is not of a type that was asked for',
}

const TYPE_LENGTH_MAX = 1024

function checkForm(
  presented: string,
  { cache, haip }: Pick<Trust, 'cache' | 'haip'>,
  log: CheckLog,
  budget: Budget,
): { sdJwt: SdJwt; type: string } | null {
  try {
    const sdJwt = parseSdJwt(presented, cache.headers, budget)
    if (!spendRead(budget)) throw new Malformed(OVERSPENT)
    const { header, payload } = sdJwt.issuerJwt
    if (!isCredentialHeader(header, haip)) throw new Malformed(`the credential does not have the type ${SD_JWT}`)
    const type = member(payload, 'vct')
    if (!isTypeName(type)) {
      throw new Malformed('the credential does not name its vct')
    }
    log.pass('well_formed')
    return { sdJwt, type }
  } catch (error) {
    if (!(error instanceof Malformed)) throw error
    log.fail('well_formed', 'credential_invalid', error.message)
    return null
  }
}

/**
 * SD-JWT VC §3.2.1: `typ` prevents other JWTs of the issuer from being accepted as credentials. HAIP 1.0 allows only
 * the current name, not `vc+sd-jwt` of earlier drafts.
 */
function isCredentialHeader(header: JsonObject, haip: boolean): boolean {
  const typ = member(header, 'typ')
  return typ === SD_JWT || (!haip && typ === 'vc+sd-jwt')
}

function isTypeName(value: Json | undefined): value is string {
  return typeof value === 'string' && value !== '' && value.length <= TYPE_LENGTH_MAX && isShowable(value)
}

/**
 * Returns the requested types that the credential has: its own type, or types that the issuer lists in `aka_vcts`.
 * OpenID4VP B.3.5: a wallet may answer with a type that extends the requested one.
 */
function requestedTypes(type: string, payload: JsonObject, { meta }: SdJwtQuery): readonly string[] {
  if (meta.vct_values.includes(type)) return [type]
  const others = member(payload, 'aka_vcts')
  if (!Array.isArray(others) || others.length > LIMITS.otherTypes) return []
  // Hashed once: comparing each with each would read a megabyte for every type of the query.
  const listed = new Set(others.filter((one) => typeof one === 'string' && isKey(one)))
  return meta.vct_values.filter((requested) => listed.has(requested))
}

function algorithmOf(header: JsonObject): JwsAlgorithm | null {
  return algorithmNamed(member(header, 'alg'))
}

/** HAIP §6.1.1: the protected header has x5c. */
function certificatesOf(header: JsonObject): readonly Uint8Array[] | null {
  const carried = readX5c(header)
  return carried.outcome === 'carried' ? carried.chain : null
}

/** `payload` is null if the signer did not sign it. Then its issuer name proves nothing and is not read. */
function trustFault(answer: ChainAnswer, payload: JsonObject | null): Fault | null {
  if (answer.outcome === 'trusted') return payload === null ? null : issuerNameFault(payload, answer.signer)
  return { code: answer.expired ? 'credential_expired' : 'issuer_untrusted', detail: answer.detail }
}

/** RFC 7518 §3.4: each algorithm has one curve, so a key of another kind cannot have signed. */
function signatureFault(
  signer: Certificate | null,
  algorithm: JwsAlgorithm,
  jws: CompactJws,
  budget: Budget,
): Fault | null {
  if (signer === null || signer.kind !== SIGNATURE_ALGORITHMS[algorithm].crv) return UNSIGNED
  if (!spendSignature(budget, signer, jws.data.length)) return { code: 'credential_invalid', detail: OVERSPENT }
  return verifyWith({ algorithm, key: signer.publicKey }, jws) ? null : UNSIGNED
}

/** Enough for two or three certificates. The parsed header then takes about ten kilobytes. */
const HEADER_LENGTH_KEPT_MAX = 4_096
const HEADER_MEMBERS_KEPT_MAX = 16

/** Caches only what a trusted issuer signed, so that others cannot fill the cache. */
function remember({ header, headerText }: CompactJws, { cache }: Pick<Trust, 'cache'>): void {
  if (headerText.length > HEADER_LENGTH_KEPT_MAX || !isSimple(header) || cache.headers.get(headerText) !== undefined)
    return
  // Copies the text, because a substring would keep the whole presentation, with its personal data, in memory.
  cache.headers.set(Buffer.from(headerText).toString(), header)
}

/** Whether the header is as issuers write it. Many parts take ten times the memory of their text; `x5c` has only a few texts. */
function isSimple(header: JsonObject): boolean {
  const members = Object.entries(header)
  return (
    members.length <= HEADER_MEMBERS_KEPT_MAX &&
    members.every(([name, value]) => name === 'x5c' || typeof value !== 'object')
  )
}

function checkDisclosures(sdJwt: SdJwt, log: CheckLog, budget: Budget): Disclosed | null {
  try {
    if (
      !spendDigests(
        sdJwt,
        sdJwt.disclosures.reduce((sum, { length }) => sum + length, 0),
        budget,
      )
    )
      throw new Malformed(OVERSPENT)
    const disclosed = discloseClaims(sdJwt.issuerJwt.payload, sdJwt.disclosures, budget)
    if (!spendRead(budget)) throw new Malformed(OVERSPENT)
    log.pass('disclosures_valid')
    return disclosed
  } catch (error) {
    if (!(error instanceof Malformed)) throw error
    log.fail('disclosures_valid', 'credential_invalid', error.message)
    return null
  }
}
