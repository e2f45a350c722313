// Answers an offer of the Digital Credentials API as wallet and platform. Sends nothing.

import type { Choice, Picks } from '../choose.ts'
import { chooseCredentials } from '../choose.ts'
import type { HeldCredential } from '../credential.ts'
import type { DcqlQuery } from '../dcql.ts'
import { encodeCbor, mapOf } from '../encoding/cbor.ts'
import type { Json, JsonObject } from '../encoding/json.ts'
import { isObject, member } from '../encoding/json.ts'
import type { IssuerState } from '../issuer.ts'
import type { PrivateJwk } from '../keys.ts'
import { generateKey, thumbprint, toBase64url } from '../keys.ts'
import { deviceResponse } from '../mdoc.ts'
import type { ContentEncryption } from '../metadata.ts'
import type { Binding, Proof } from '../present.ts'
import { allPaths, presentDocument, presentProof } from '../present.ts'
import { demand, NoMatchingCredential } from '../refusal.ts'
import type { RegistrationView } from '../registration/assess.ts'
import { assessFor, isRefusedFor, type RegistrationPolicy } from '../registration/policy.ts'
import { encryptResponse } from '../respond.ts'
import type { Scenario, ScenarioName } from '../scenarios.ts'
import { SCENARIOS } from '../scenarios.ts'
import type { TransactionMisbehaviourName } from '../transaction-misbehaviours.ts'
import { agreementsFor, type Presented, shownChoice } from '../wallet.ts'
import type { AnnexCOffer } from './annex-c-request.ts'
import { readAnnexCOffer } from './annex-c-request.ts'
import { sealHpke } from './hpke.ts'
import type { Misbehaviour, MisbehaviourName, Situation } from './misbehaviours.ts'
import { MISBEHAVIOURS } from './misbehaviours.ts'
import type { OpenId4VpOffer } from './openid4vp-request.ts'
import { readOpenId4VpOffer } from './openid4vp-request.ts'
import { annexCTranscript, dcApiTranscript } from './transcript.ts'

export interface DcApiOptions {
  /** The origin of the page that calls `navigator.credentials.get`, as the platform reports it. */
  readonly origin: string
  readonly now: number
  readonly issuer: IssuerState
  readonly scenario?: ScenarioName
  readonly misbehaviour?: MisbehaviourName
  /** The wallet's misbehaviour with transaction data. */
  readonly transaction?: TransactionMisbehaviourName
  /** The protocols that this wallet supports, by preference. Default: all. */
  readonly protocols?: readonly string[]
  readonly holderKey?: PrivateJwk
  readonly formats?: readonly HeldCredential['format'][]
  /** The documents that the holder chose; a DeviceRequest has no such sets. */
  readonly picks?: Picks
  /** Instead of the scenario's credentials. */
  readonly credentials?: readonly HeldCredential[]
  /** A DeviceResponse with its documents in the reverse order: the standard demands none. */
  readonly reversesDocuments?: boolean
  /** Authorities of verifiers and readers that the wallet trusts. Without authorities it checks only the chain itself. */
  readonly trustedVerifiers?: readonly Uint8Array[]
  readonly readerAuth?: 'required' | 'optional'
  readonly preferredEnc?: ContentEncryption
  /** How the wallet checks the verifier's registration. Default: not at all. */
  readonly registration?: RegistrationPolicy
  /** Fetches status lists. */
  readonly fetch?: typeof globalThis.fetch
}

/** The page's answer, and what the holder saw. */
export interface DcApiAnswer {
  readonly protocol: string
  readonly data: Json
  /** The verifier's name in its certificate; null if the request is unsigned. */
  readonly verifier: string | null
  readonly disclosed: Presented['disclosed']
  /** The verifier's registration as the holder saw it; null if the wallet does not check it. */
  readonly registration: RegistrationView | null
}

const OPENID4VP = ['openid4vp-v1-signed', 'openid4vp-v1-multisigned', 'openid4vp-v1-unsigned']
const ISO = 'org-iso-mdoc'

/** `offer` is `{ requests: [{ protocol, data }] }`. Throws RequestRefused, and NoMatchingCredential by Annex C, where a platform rejects. */
export async function answerDcApi(offer: unknown, options: DcApiOptions): Promise<DcApiAnswer> {
  const requests = member(offer, 'requests')
  demand(Array.isArray(requests) && requests.every(isObject), 'offer_invalid', 'requests is an array of objects')
  const spoken = options.protocols ?? [...OPENID4VP, ISO]
  const known = spoken.filter((protocol) => protocol === ISO || OPENID4VP.includes(protocol))
  const protocol = known.find((name) => requests.some((request) => member(request, 'protocol') === name))
  demand(protocol !== undefined, 'protocol_unsupported', 'none of those offered')
  const data = member(
    requests.find((request) => member(request, 'protocol') === protocol),
    'data',
  )
  const expected = { ...options, trusted: options.trustedVerifiers ?? [] }
  if (protocol === ISO) {
    return answerAnnexC(readAnnexCOffer(data, { ...expected, readerAuth: options.readerAuth ?? 'required' }), options)
  }
  return answerOpenId4Vp(await readOpenId4VpOffer(protocol, data, expected), options)
}

async function answerOpenId4Vp(offer: OpenId4VpOffer, options: DcApiOptions): Promise<DcApiAnswer> {
  const { scenario, misbehaviour } = behaviourOf(options)
  const { encryption, verifier } = offer
  const carried = { kind: 'verifier_info', value: offer.verifierInfo } as const
  const registration = await assessFor({ ...offer, carried }, options)
  const declines = scenario.declines || isRefusedFor(registration, options.registration)
  const choices = declines ? null : tryChoose(offer.query, options)
  const protocol = misbehaviour.protocol?.(offer.protocol) ?? offer.protocol
  if (choices === null) return { protocol, data: { error: 'access_denied' }, verifier, disclosed: [], registration }
  const situation: Situation = {
    ...offer,
    origin: options.origin,
    thumbprint: encryption === null ? null : thumbprint(encryption.key),
    encryptionInfo: null,
  }
  const binding = scenario.binding(bindingFor(situation, options))
  const usual: Proof = {
    audience: `origin:${binding.clientId}`,
    nonce: binding.nonce,
    transcript: dcApiTranscript({ ...situation, origin: binding.clientId, nonce: binding.nonce }),
    readerKey: encryption?.key ?? null,
    now: binding.now,
    deviceAuth: 'signature',
  }
  const proof = misbehaviour.proof?.(usual, situation) ?? usual
  const agreements = agreementsFor(offer, choices, options)
  const vpToken: JsonObject = Object.fromEntries(
    choices.map(({ queryId, credential, paths }) => {
      const agreement = agreements.get(queryId)
      const bound = { ...proof, ...(agreement === undefined ? {} : { agreement }) }
      return [queryId, [scenario.spoil(presentProof(credential, paths, bound), credential.format)]]
    }),
  )
  const clear = { vp_token: vpToken }
  const data = encryption === null ? clear : { response: await encryptResponse(clear, encryption) }
  return {
    protocol,
    data: misbehaviour.data?.(data, clear) ?? data,
    verifier,
    disclosed: choices.map(shownChoice),
    registration,
  }
}

async function answerAnnexC(offer: AnnexCOffer, options: DcApiOptions): Promise<DcApiAnswer> {
  const { scenario, misbehaviour } = behaviourOf(options)
  const { encryptionInfo, recipient, verifier } = offer
  const carried = { kind: 'documents', values: offer.registrations } as const
  const registration = await assessFor({ ...offer, clientId: null, carried }, options)
  const declines = scenario.declines || isRefusedFor(registration, options.registration)
  const choices = declines ? null : tryChoose(offer.query, { ...options, formats: ['mso_mdoc'], picks: new Map() })
  // Annex C has no message for "no credential", so the platform rejects the call.
  if (choices === null || choices.length === 0) throw new NoMatchingCredential()
  const nonce = encryptionInfo
  const situation: Situation = { origin: options.origin, clientId: null, nonce, thumbprint: null, encryptionInfo }
  const binding = scenario.binding(bindingFor(situation, options))
  const usual: Proof = {
    audience: '',
    nonce,
    // encryptionInfo contains the nonce, so another nonce changes its text.
    transcript: annexCTranscript(binding.nonce, binding.clientId),
    readerKey: recipient,
    now: binding.now,
    deviceAuth: 'signature',
  }
  const documents = choices.flatMap(({ credential, paths }) => {
    const proof = misbehaviour.proof?.(usual, situation) ?? usual
    return credential.format === 'mso_mdoc' ? [presentDocument(credential, paths, proof)] : []
  })
  const ordered = options.reversesDocuments === true ? documents.toReversed() : documents
  const response = deviceResponse(misbehaviour.documents?.(ordered) ?? ordered)
  const presented = scenario.spoil(toBase64url(encodeCbor(response)), 'mso_mdoc')
  const right = annexCTranscript(encryptionInfo, options.origin)
  const info = misbehaviour.info?.(right, situation) ?? right
  const { enc, cipherText } = await sealHpke({ recipient, info, plaintext: Buffer.from(presented, 'base64url') })
  const sealed = ['dcapi', mapOf({ enc: misbehaviour.enc?.(enc) ?? enc, cipherText })]
  const data = { response: toBase64url(encodeCbor(sealed)) }
  return {
    protocol: misbehaviour.protocol?.(ISO) ?? ISO,
    data: misbehaviour.data?.(data, data) ?? data,
    verifier,
    disclosed: choices.map(shownChoice),
    registration,
  }
}

/** The scenarios use the terms of the redirect flow: the origin replaces the client id. */
function bindingFor({ origin, nonce }: Situation, { now }: DcApiOptions): Binding {
  return { clientId: origin, nonce, responseUri: origin, encryptionKey: null, now, deviceAuth: 'signature' }
}

function behaviourOf(options: DcApiOptions): {
  readonly scenario: Scenario
  readonly misbehaviour: Partial<Misbehaviour>
} {
  const { misbehaviour } = options
  return {
    scenario: SCENARIOS[options.scenario ?? 'good'],
    misbehaviour: misbehaviour === undefined ? {} : MISBEHAVIOURS[misbehaviour],
  }
}

/** Null if no credential answers: OpenID4VP A.4 has an error for it. */
function tryChoose(query: DcqlQuery, options: DcApiOptions): readonly Choice[] | null {
  const { scenario } = behaviourOf(options)
  const { formats, issuer, now } = options
  const available =
    options.credentials ?? scenario.credentials({ issuer, holderKey: options.holderKey ?? generateKey(), now })
  const offered = formats === undefined ? available : available.filter(({ format }) => formats.includes(format))
  try {
    const choices = chooseCredentials(query, offered, options.picks)
    return scenario.disclosure === 'as_asked' ? choices : choices.map((choice) => disclosing(choice, scenario))
  } catch (error) {
    if (error instanceof NoMatchingCredential) return null
    throw error
  }
}

function disclosing(choice: Choice, { disclosure }: Scenario): Choice {
  return { ...choice, paths: disclosure === 'everything' ? allPaths(choice.credential) : choice.paths.slice(1) }
}
