// Builds presentations with libraries and without our code. They must be accepted.

import { createHash, createPrivateKey, sign } from 'node:crypto'
import {
  CoseKey,
  DateOnly,
  DeviceKey,
  DeviceRequest,
  DocRequest,
  Holder,
  Issuer,
  ItemsRequest,
  type MdocContext,
  SessionTranscript,
} from '@owf/mdoc'
import { digest, ES256, generateSalt } from '@sd-jwt/crypto-nodejs'
import { SDJwtVcInstance } from '@sd-jwt/sd-jwt-vc'
import type { JsonObject } from '../src/encoding/json.ts'
import { TYPE } from '../src/issuer.ts'
import type { PrivateJwk } from '../src/keys.ts'
import { publicJwk, thumbprint } from '../src/keys.ts'
import { PERSON } from '../src/person.ts'
import { certificateBytes } from '../src/pki.ts'
import type { Mutation } from './mutation.ts'
import type { Trial, World } from './world.ts'
import { CLIENT_ID, DAY, MDL_NAMESPACE, NONCE, NOW, RESPONSE_URI, trialOf } from './world.ts'

export const LIBRARY_MUTATIONS: readonly Mutation[] = [
  {
    id: 'V006',
    only: ['redirect'],
    title: 'a PID made by @sd-jwt',
    format: 'dc+sd-jwt',
    expectedCheck: 'accepted',
    positive: true,
    claims: [{ family_name: PERSON.familyName, address: { country: PERSON.country } }],
    make: sdJwtByLibrary,
  },
  {
    id: 'V006',
    only: ['redirect'],
    title: 'an mDL made by @owf/mdoc',
    format: 'mso_mdoc',
    expectedCheck: 'accepted',
    positive: true,
    claims: [{ [MDL_NAMESPACE]: { family_name: PERSON.familyName, birth_date: PERSON.birthDate } }],
    make: mdocByLibrary,
  },
]

async function sdJwtByLibrary(world: World): Promise<Trial> {
  const { signer } = world.issuer.sdJwt
  const instance = new SDJwtVcInstance({
    hasher: digest,
    hashAlg: 'sha-256',
    saltGenerator: generateSalt,
    signAlg: 'ES256',
    signer: await ES256.getSigner({ ...signer.key }),
    kbSignAlg: 'ES256',
    kbSigner: await ES256.getSigner({ ...world.holderKey }),
  })
  const claims = {
    vct: TYPE.pidSdJwt,
    iat: NOW - DAY,
    exp: NOW + DAY,
    cnf: { jwk: { ...publicJwk(world.holderKey) } },
    family_name: PERSON.familyName,
    given_name: PERSON.givenName,
    address: { country: PERSON.country, locality: PERSON.city },
  }
  const frame = { _sd: ['family_name', 'given_name', 'address'], address: { _sd: ['country', 'locality'] } }
  const issued = await instance.issue(claims, frame as never, { header: { x5c: [signer.certificate] } })
  const presented = await instance.present(issued, { family_name: true, address: { country: true } } as never, {
    kb: { payload: { aud: CLIENT_ID, nonce: NONCE, iat: NOW } },
  })
  const query: JsonObject = {
    credentials: [
      {
        id: 'pid',
        format: 'dc+sd-jwt',
        meta: { vct_values: [TYPE.pidSdJwt] },
        claims: [{ path: ['family_name'] }, { path: ['address', 'country'] }],
      },
    ],
  }
  return trialOf(world, { pid: [presented] }, query)
}

async function mdocByLibrary(world: World): Promise<Trial> {
  const { signer } = world.issuer.mdoc
  const issuer = new Issuer(TYPE.mdl, CONTEXT)
  issuer.addIssuerNamespace(MDL_NAMESPACE, {
    family_name: PERSON.familyName,
    given_name: PERSON.givenName,
    birth_date: new DateOnly(PERSON.birthDate),
  })
  const issuerSigned = await issuer.sign({
    signingKey: CoseKey.fromJwk({ ...signer.key, alg: 'ES256' }),
    certificates: [certificateBytes(signer)],
    algorithm: -7,
    digestAlgorithm: 'SHA-256',
    deviceKeyInfo: { deviceKey: DeviceKey.fromJwk({ ...publicJwk(world.holderKey) }) },
    validityInfo: { signed: date(NOW - DAY), validFrom: date(NOW - DAY), validUntil: date(NOW + DAY) },
  })
  const items = ItemsRequest.create({
    docType: TYPE.mdl,
    namespaces: { [MDL_NAMESPACE]: { family_name: false, birth_date: false } },
  } as never)
  const response = await Holder.createDeviceResponseForDeviceRequest(
    {
      deviceRequest: DeviceRequest.create({ docRequests: [DocRequest.create({ itemsRequest: items })] }),
      issuerSigned: [issuerSigned],
      sessionTranscript: await SessionTranscript.forOid4Vp(
        {
          clientId: CLIENT_ID,
          nonce: NONCE,
          responseUri: RESPONSE_URI,
          jwkThumbprint: thumbprint(world.encryptionKey),
        },
        CONTEXT,
      ),
      signature: { signingKey: CoseKey.fromJwk({ ...world.holderKey, alg: 'ES256' }) },
    },
    CONTEXT,
  )
  const claims = ['family_name', 'birth_date'].map((element) => ({ path: [MDL_NAMESPACE, element] }))
  const query: JsonObject = {
    credentials: [{ id: 'mdl', format: 'mso_mdoc', meta: { doctype_value: TYPE.mdl }, claims }],
  }
  return trialOf(world, { mdl: [response.encodedForOid4Vp] }, query)
}

const date = (unixSeconds: number): Date => new Date(unixSeconds * 1000)

/** The callbacks that the library requires. Only building a signed response is needed here. */
const CONTEXT: MdocContext = {
  crypto: {
    // The library's digest ids take four random bytes. ISO/IEC 18013-5 12.3.5 requires them below 2^31.
    random: (length) =>
      crypto
        .getRandomValues(new Uint8Array(length))
        .map((byte, index) => (length === 4 && index === 0 ? byte & 0x7f : byte)),
    digest: ({ digestAlgorithm, bytes }) =>
      new Uint8Array(createHash(digestAlgorithm.replace('-', '')).update(bytes).digest()),
    calculateEphemeralMacKey: unused,
  },
  cose: {
    sign1: {
      sign: ({ toBeSigned, key }) => {
        const privateKey = createPrivateKey({ key: privateJwk(key), format: 'jwk' })
        return new Uint8Array(sign('sha256', toBeSigned, { key: privateKey, dsaEncoding: 'ieee-p1363' }))
      },
      verify: unused,
    },
    mac0: { sign: unused, verify: unused },
  },
  x509: {
    getIssuerNameField: unused,
    getPublicKey: unused,
    verifyCertificateChain: unused,
    getCertificateData: unused,
  },
}

function privateJwk(key: CoseKey): { kty: string; crv: string; x: string; y: string; d: string } {
  const { kty, crv, x, y, d } = key.jwk as unknown as PrivateJwk
  return { kty, crv, x, y: y ?? '', d }
}

function unused(): never {
  throw new Error('bug: only signing is needed')
}
