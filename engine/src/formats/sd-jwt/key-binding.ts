// Verifies the key binding JWT with the key in the payload that the issuer signed (RFC 9901 §7.3).

import { algorithmNamed, SIGNATURE_ALGORITHMS } from '../../algorithms.ts'
import { equalText } from '../../bytes.ts'
import { audiencesOf } from '../../channels/table.ts'
import type { CheckLog, Demand, Fault } from '../../examination.ts'
import type { SentRequest } from '../../expected.ts'
import { disproven, type HolderProof, holderFault, judgeHolderProof, proofBySignature } from '../../holder.ts'
import { type CompactJws, readPublicJwk, type StatedKey, verifyWithStated } from '../../jose.ts'
import { isJsonObject, member } from '../../json.ts'
import { type Budget, OVERSPENT, spendSignature } from '../../limits.ts'
import { logConfirming } from '../../transaction/confirmation.ts'
import { readKeyBindingConfirmations } from '../../transaction/key-binding.ts'
import type { Confirmation, JsonObject } from '../../verdict.ts'
import { digestAlgorithmOf, digestOf, spendDigests } from './disclosures.ts'
import type { SdJwt } from './parse.ts'
import { isNumericDate } from './terms.ts'

/** The parts of a demand that the key binding is checked against. */
type Binding = Pick<Demand, 'query' | 'expected' | 'budget'>

/** Checks the key binding, which is always required. Returns the transaction data that the holder confirmed. */
export function checkKeyBinding(sdJwt: SdJwt, demand: Binding, log: CheckLog): readonly Confirmation[] {
  const { expected, budget, query } = demand
  const { payload } = sdJwt.issuerJwt
  const holder = holderKeyOf(payload)
  const jwt = sdJwt.keyBindingJwt
  const proof: HolderProof = holder === null ? { outcome: 'no_key' } : readProof(jwt, holder, budget)
  if (!judgeHolderProof(log, proof) || jwt === null) return []
  log.judge('bound_to_request', requestFault(jwt.payload, payload, expected))
  log.judge('bound_to_presentation', coverageFault(jwt.payload, sdJwt, budget))
  return logConfirming(log, readKeyBindingConfirmations(jwt.payload, expected, query.id))
}

/** RFC 7800 `cnf` with a `jwk`, the only confirmation that HAIP §6.1 allows. */
function holderKeyOf(payload: JsonObject): StatedKey | null {
  const confirmation = member(payload, 'cnf')
  return isJsonObject(confirmation) ? readPublicJwk(member(confirmation, 'jwk')) : null
}

function readProof(jwt: CompactJws | null, holder: StatedKey, budget: Budget): HolderProof {
  if (jwt === null) return disproven('the presentation has no key binding JWT')
  if (member(jwt.header, 'typ') !== 'kb+jwt') return disproven('the key binding JWT does not have the type kb+jwt')
  if (algorithmNamed(member(jwt.header, 'alg')) !== holder.algorithm) {
    return disproven("the key binding JWT's algorithm is not the one of the holder's key")
  }
  if (!spendSignature(budget, SIGNATURE_ALGORITHMS[holder.algorithm].crv, jwt.data.length)) return disproven(OVERSPENT)
  return proofBySignature(verifyWithStated(holder, jwt), "the key binding JWT is not signed with the holder's key")
}

/** OpenID4VP §14.1.2, B.3.6, A.4: requires our nonce, our full client_id or origin, and a time within the life of the request. */
function requestFault(binding: JsonObject, credential: JsonObject, expected: SentRequest): Fault | null {
  const { now, skewSeconds, requestedAt } = expected
  const nonce = member(binding, 'nonce')
  const issuedAt = member(binding, 'iat')
  if (typeof nonce !== 'string' || !equalText(nonce, expected.nonce)) {
    return holderFault('the presentation was not made for the nonce of this request')
  }
  // RFC 9901 §4.3: `aud` is one string. An array is refused even if it contains us.
  const audience = audiencesOf(expected.channel).find((ours) => member(binding, 'aud') === ours)
  if (audience === undefined) return holderFault('the presentation was not made for this verifier')
  if (!isNumericDate(issuedAt) || !(issuedAt >= requestedAt - skewSeconds && issuedAt <= now + skewSeconds)) {
    return holderFault('the presentation was not made between the request and now')
  }
  if (!isWithin(binding, expected)) return holderFault('the key binding JWT is outside its own time of validity')
  if (!isMeantFor(credential, audience)) return holderFault('the issuer meant the credential for other verifiers')
  return null
}

/** RFC 9901 §4.3.1: compares the hash of the received disclosures in their order. */
function coverageFault(binding: JsonObject, sdJwt: SdJwt, budget: Budget): Fault | null {
  if (!spendDigests(sdJwt, sdJwt.covered.length, budget)) return holderFault(OVERSPENT)
  const algorithm = digestAlgorithmOf(sdJwt.issuerJwt.payload)
  const covers = algorithm !== null && member(binding, 'sd_hash') === digestOf(sdJwt.covered, algorithm)
  return covers ? null : holderFault('the key binding JWT does not cover the credential and disclosures presented')
}

function isWithin(binding: JsonObject, { now, skewSeconds }: SentRequest): boolean {
  const exp = member(binding, 'exp')
  const nbf = member(binding, 'nbf')
  if (exp !== undefined && !(isNumericDate(exp) && now - skewSeconds < exp)) return false
  return nbf === undefined || (isNumericDate(nbf) && nbf <= now + skewSeconds)
}

/** RFC 7519 §4.1.3: a credential that names audiences is only for those. */
function isMeantFor(credential: JsonObject, us: string): boolean {
  const audience = member(credential, 'aud')
  return audience === undefined || audience === us || (Array.isArray(audience) && audience.includes(us))
}
