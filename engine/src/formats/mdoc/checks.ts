// Checks that an mdoc is genuine and was presented to us by its holder, in the order of ISO 18013-5 §12.8.1.

import { hash } from 'node:crypto'
import { MalformedCbor } from '../../cbor/cbor.ts'
import { certificateChain, isSignedWith, signatureAlgorithm } from '../../cbor/cose.ts'
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
import { NO_CERTIFICATES, OTHER_ALGORITHM, UNSIGNED } from '../../issuer-faults.ts'
import { bareObject } from '../../json.ts'
import { type Budget, OVERSPENT, spendHashing, spendRead, spendSignature } from '../../limits.ts'
import type { Certificate } from '../../trust/certificate.ts'
import { type ChainAnswer, judgeChain } from '../../trust/chain.ts'
import { MDL_DOCTYPE } from '../../trust/profiles.ts'
import { signerStatus } from '../../trust/revocation.ts'
import type { Json, JsonObject } from '../../verdict.ts'
import { checkDevice } from './device.ts'
import { type MobileSecurityObject, signedDigest } from './mso.ts'
import { MDOC } from './name.ts'
import { type IssuerSignedItem, type Mdoc, type PresentedMdoc, parseMdoc } from './parse.ts'
import type { MdocQuery } from './query.ts'

export function examineMdoc(presented: PresentedMdoc, demand: Demand<MdocQuery>): Examination {
  const log = new CheckLog()
  return examined(demand.query, examine(presented, demand, log), log)
}

/** Reads only form and type, and verifies nothing. For presentations after one that failed. */
export function listMdoc(presented: PresentedMdoc, { query, budget }: Demand<MdocQuery>): Examination {
  const log = new CheckLog()
  const mdoc = checkForm(log, budget, () => parseMdoc(presented, budget))
  if (mdoc === null) return examined(query, NOTHING, log)
  noteUnexamined(log)
  return examined(query, { ...NOTHING, type: mdoc.mso.docType }, log)
}

// Continues after a failure if further checks make sense: an untrusted issuer may have signed correctly. Stops before a
// check would read unsigned bytes.
function examine(presented: PresentedMdoc, demand: Demand<MdocQuery>, log: CheckLog): Facts {
  const { query, expected, trust, budget } = demand
  const mdoc = checkForm(log, budget, () => parseMdoc(presented, budget))
  if (mdoc === null) return NOTHING
  const { issuerAuth, mso } = mdoc
  const type = mso.docType
  if (log.require('algorithm_allowed', signatureAlgorithm(issuerAuth), OTHER_ALGORITHM) === null)
    return { ...NOTHING, type }
  const chain = log.require('issuer_certificate_present', certificateChain(issuerAuth), NO_CERTIFICATES)
  if (chain === null) return { ...NOTHING, type }

  const question = { chain, format: MDOC, type, at: expected.now, use: 'credential' } as const
  const answer = judgeChain(question, trust, budget)
  log.judge('issuer_trusted', trustFault(answer, { docType: type, items: mdoc.items }))
  const facts = { ...NOTHING, type, issuer: answer.issuer, ...provenance(answer) }
  const { signer } = answer
  if (!log.judge('issuer_signature_valid', signatureFault(mdoc, signer, budget)) || signer === null) return facts

  log.judge('digests_valid', digestFault(mdoc, budget))
  log.judge('type_requested', typeFault(mdoc, query))
  log.judge('within_validity', validityFault(mso, signer, expected))
  const confirmed = checkDevice(mdoc, demand, log)
  const status = [...mso.status, ...(answer.outcome === 'trusted' ? signerStatus(answer, MDOC) : [])]
  const claims = claimsOf(mdoc.items)
  return { ...facts, claims, signedPart: issuerAuth.payload, expiresAt: mso.validUntil, confirmed, status }
}

const OTHER_DIGEST = invalid('an element is not the one the issuer signed')

/** Returns the parsed document; null and a failed check if it is malformed. */
export function checkForm<T>(log: CheckLog, budget: Budget, read: () => T): T | null {
  try {
    const found = read()
    if (!spendRead(budget)) throw new MalformedCbor(OVERSPENT)
    log.pass('well_formed')
    return found
  } catch (error) {
    if (!(error instanceof MalformedCbor)) throw error
    log.fail('well_formed', 'credential_invalid', error.message)
    return null
  }
}

function signatureFault({ issuerAuth }: Mdoc, signer: Certificate | null, budget: Budget): Fault | null {
  const key = signer?.signatureKey ?? null
  if (signer === null || key === null || issuerAuth.payload === null) return UNSIGNED
  if (!spendSignature(budget, signer, issuerAuth.payload.length)) return invalid(OVERSPENT)
  return isSignedWith(issuerAuth, key, issuerAuth.payload) ? null : UNSIGNED
}

interface SignedContent {
  readonly docType: string
  readonly items: readonly { readonly nameSpace: string; readonly element: string; readonly value: Json }[]
}

export function trustFault(answer: ChainAnswer, content: SignedContent): Fault | null {
  if (answer.outcome === 'trusted') return jurisdictionFault(answer.signer, content)
  return { code: answer.expired ? 'credential_expired' : 'issuer_untrusted', detail: answer.detail }
}

/** ISO 18013-5 §13.4.2: a driving licence names the country and state of the authority that signed it. */
function jurisdictionFault(signer: Certificate, { docType, items }: SignedContent): Fault | null {
  if (docType !== MDL_DOCTYPE) return null
  const subject = signer.subjectNames
  if (subject === null)
    return { code: 'issuer_untrusted', detail: 'the name of the signer of the licence is malformed' }
  const foreign = [
    { element: 'issuing_country', expected: subject.country[0] },
    { element: 'issuing_jurisdiction', expected: subject.state[0] },
  ].some(({ element, expected }) => {
    const item = items.find((entry) => entry.nameSpace === MDL_NAMESPACE && entry.element === element)
    return item !== undefined && expected !== undefined && item.value !== expected
  })
  return foreign
    ? { code: 'issuer_untrusted', detail: 'the licence names a different jurisdiction than its signer' }
    : null
}

const MDL_NAMESPACE = 'org.iso.18013.5.1'

function digestFault({ items, mso }: Mdoc, budget: Budget): Fault | null {
  const bytes = items.reduce((sum, { raw }) => sum + raw.length, 0)
  if (!spendHashing(budget, bytes)) return invalid(OVERSPENT)
  return items.every((item) => isDigested(item, mso)) ? null : OTHER_DIGEST
}

/** Of SHA-512. A longer one is not compared. */
const DIGEST_BYTES_MAX = 64

/** The digest covers the received item and its name space. So an item that was moved to another name space does not match. */
function isDigested(item: IssuerSignedItem, mso: MobileSecurityObject): boolean {
  const signed = signedDigest(mso, item.nameSpace, item.digestId)
  return (
    signed !== null && signed.length <= DIGEST_BYTES_MAX && hash(mso.hash, item.raw, 'hex') === signed.toString('hex')
  )
}

/** The device signs the outer docType. Only the issuer's docType is trusted, so both must be equal. */
function typeFault(mdoc: Mdoc, query: MdocQuery): Fault | null {
  if (mdoc.docType !== mdoc.mso.docType) return invalid('the document is not of the type the issuer signed')
  if (mdoc.docType === query.meta.doctype_value) return null
  return { code: 'query_not_satisfied', detail: 'the credential is not of a requested type' }
}

/** ISO 18013-5 §12.8.1: the document is valid now, and was signed while the signer's certificate was valid. */
function validityFault(
  mso: MobileSecurityObject,
  signer: Certificate,
  { now, skewSeconds }: SentRequest,
): Fault | null {
  const { signed, validFrom, validUntil } = mso
  if (!(validFrom < validUntil)) return invalid('the times of the credential contradict each other')
  if (!(now - skewSeconds < validUntil)) return { code: 'credential_expired', detail: 'the credential has expired' }
  if (!(validFrom <= now + skewSeconds)) return invalid('the credential is not valid yet')
  if (!(signed <= now + skewSeconds)) return invalid('the credential says it was signed in the future')
  if (!(signed >= signer.notBefore - skewSeconds && signed <= signer.notAfter + skewSeconds)) {
    return invalid('the credential was signed outside the validity of its signer certificate')
  }
  return null
}

/** Returns only elements that the issuer signed. Elements that the device signed are statements of the holder. */
export function claimsOf(items: SignedContent['items']): JsonObject {
  const claims = bareObject<{ [element: string]: Json }>()
  for (const { nameSpace, element, value } of items) {
    claims[nameSpace] ??= bareObject()
    claims[nameSpace][element] = value
  }
  return claims
}

export function invalid(detail: string): Fault {
  return { code: 'credential_invalid', detail }
}
