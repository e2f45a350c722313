// Mutates answers of the Digital Credentials API and Annex C: none with other signed content is accepted.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { presentedIn } from '../../../wallet/mutations/annex-c.ts'
import { assembleJwe } from '../../../wallet/mutations/jwe.ts'
import { mdocTrial } from '../../../wallet/mutations/mdoc/mdoc-trial.ts'
import { sdJwtTrial } from '../../../wallet/mutations/sd-jwt/sd-jwt-trial.ts'
import { createWorld, KID, ORIGIN, type Trial } from '../../../wallet/mutations/world.ts'
import { sealHpke } from '../../../wallet/src/dc-api/hpke.ts'
import { annexCTranscript } from '../../../wallet/src/dc-api/transcript.ts'
import { encodeCbor, mapOf } from '../../../wallet/src/encoding/cbor.ts'
import { publicJwk, toBase64url } from '../../../wallet/src/keys.ts'
import { type Json, readDcApiResponse, type Verdict, verifyPresentation } from '../../src/index.ts'
import { expectedOf, offerOf, trustOf } from '../trial.ts'
import { parseTree, spoilTree, writeTree } from './cbor-tree.ts'
import * as json from './json-tree.ts'
import * as mdocMutants from './mdoc-mutants.ts'
import * as sdJwtMutants from './sd-jwt-mutants.ts'
import { spoilBytes, spoilText, steps } from './step.ts'
import { conclusion, fuzz, where } from './subjects.ts'

const dcApi = createWorld('dc_api')
const annexC = createWorld('annex_c')

/** `post` judges the body of a page; `judge` judges a vp_token directly. */
function subject(trial: Trial) {
  const [offer, expected, trust] = [offerOf(trial), expectedOf(trial), trustOf(trial)]
  const post = async (body: Uint8Array): Promise<Verdict | null> => {
    const response = readDcApiResponse(body, offer)
    if (response.kind !== 'presentation') return null
    return verifyPresentation(response.presented, { ...expected, channel: response.channel }, trust)
  }
  return { trial, post, judge: (vpToken: Json) => verifyPresentation(vpToken, expected, trust) }
}

const mdl = subject(mdocTrial(annexC))
const plaintext = presentedIn(mdl.trial)

const { channel } = annexC
assert.ok(channel.kind === 'annex_c')
const info = annexCTranscript(channel.encryptionInfo, ORIGIN)

async function sealed(bytes: Uint8Array): Promise<Uint8Array> {
  const { enc, cipherText } = await sealHpke({ recipient: publicJwk(annexC.hpkeKey), info, plaintext: bytes })
  return encodeCbor(['dcapi', mapOf({ enc, cipherText })])
}

const body = (data: Json, protocol = 'org-iso-mdoc'): Uint8Array => Buffer.from(JSON.stringify({ protocol, data }))
const postSealed = (message: Uint8Array) => mdl.post(body({ response: toBase64url(message) }))

const original = conclusionOf(await postSealed(await sealed(plaintext)))

function conclusionOf(verdict: Verdict | null): unknown {
  return verdict === null ? null : conclusion(verdict)
}

/** Asserts that the mutant was refused, or has the claims and signed content of the original. */
async function sameMdl(verdict: Promise<Verdict | null>, bytes = plaintext): Promise<void> {
  const concluded = conclusionOf(await verdict)
  if (concluded === null) return
  assert.deepEqual(concluded, original)
  assert.deepEqual(mdocMutants.signedContent(bytes), mdocMutants.signedContent(plaintext))
}

test('the originals are accepted', async () => {
  assert.notEqual(original, null)
  assert.notEqual(conclusion(await pid.judge(pid.trial.vpToken as Json)), null)
  assert.notEqual(conclusionOf(await pid.post(Buffer.from(JSON.stringify(answer)))), null)
})

const response = parseTree(plaintext)
fuzz(
  'Annex C: a spoiled device response, encrypted again',
  0.3,
  fc.asyncProperty(steps, (spoils) => {
    const bytes = writeTree(spoilTree(response, spoils))
    return sameMdl(sealed(bytes).then(postSealed), bytes)
  }),
)
fuzz(
  'Annex C: spoiled bytes of the device response, encrypted again',
  0.1,
  fc.asyncProperty(steps, (spoils) => {
    const bytes = spoils.reduce(spoilBytes, plaintext)
    return sameMdl(sealed(bytes).then(postSealed), bytes)
  }),
)

const message = await sealed(plaintext)
const tree = parseTree(message)
fuzz(
  'Annex C: a spoiled sealed message',
  0.15,
  fc.asyncProperty(steps, (spoils) => sameMdl(postSealed(writeTree(spoilTree(tree, spoils))))),
)
fuzz(
  'Annex C: spoiled bytes of the sealed message',
  0.1,
  fc.asyncProperty(steps, (spoils) => sameMdl(postSealed(spoils.reduce(spoilBytes, message)))),
)
fuzz(
  'Annex C: a spoiled posted text',
  0.05,
  fc.asyncProperty(steps, (spoils) => {
    const text = spoils.reduce(spoilText, Buffer.from(body({ response: toBase64url(message) })).toString())
    return sameMdl(mdl.post(Buffer.from(text)))
  }),
)

const pid = subject(sdJwtTrial(dcApi))
const presented = String((pid.trial.vpToken as { readonly pid: readonly string[] }).pid[0])
const jwe = assembleJwe({
  payload: { vp_token: { pid: [presented] } },
  key: publicJwk(dcApi.encryptionKey),
  kid: KID,
})
const answer = { protocol: 'openid4vp-v1-signed', data: { response: jwe } }
const accepted = conclusion(await pid.judge(pid.trial.vpToken as Json))

async function samePid(verdict: Promise<Verdict | null>): Promise<void> {
  const concluded = conclusionOf(await verdict)
  if (concluded !== null) assert.deepEqual(concluded, accepted)
}

const frame = json.parseTree(answer)
fuzz(
  'OpenID4VP: a spoiled posted object',
  0.1,
  fc.asyncProperty(steps, (spoils) => samePid(pid.post(Buffer.from(json.writeTree(json.spoilTree(frame, spoils)))))),
)
fuzz(
  'OpenID4VP: a spoiled posted text',
  0.05,
  fc.asyncProperty(steps, (spoils) => samePid(pid.post(Buffer.from(spoils.reduce(spoilText, JSON.stringify(answer)))))),
)

const parts = sdJwtMutants.takeApart(presented)
fuzz(
  'OpenID4VP: a spoiled presentation with the old signatures',
  0.15,
  fc.asyncProperty(steps, where, (spoils, at) =>
    samePid(pid.judge({ pid: [sdJwtMutants.unsignedMutant(parts, spoils, at)] })),
  ),
)
