// Provides a registered merchant for tests of registration, with a service behind an intermediary and a service that asks itself.

import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { bitString, explicit, integer, oid, sequence } from '../src/encoding/der.ts'
import type { PrivateJwk } from '../src/keys.ts'
import { certificateBytes, fromPem, type Identity, toPem } from '../src/pki.ts'
import { type AccessRequest, issueAccessCertificate } from '../src/registrar/access-certificate.ts'
import { type Party, readParty } from '../src/registrar/party.ts'
import {
  issueRegistrationCertificate,
  type RegistrationRequest,
  registrationStatusList,
  registrationStatusUri,
} from '../src/registrar/registration-certificate.ts'
import { createRegistrar, type RegistrarState, registerParty } from '../src/registrar/state.ts'
import { now } from './verifier.ts'

export const MERCHANT = 'VATDE-DE123456789'
export const INTERMEDIARY = 'VATDE-DE987654321'

export const merchantJson = {
  tradeName: 'Weinhandlung Muster',
  legalName: 'Muster Weine GmbH',
  identifier: [{ type: 'http://data.europa.eu/eudi/id/VATIN', identifier: 'DE123456789' }],
  country: 'DE',
  infoURI: 'https://shop.example/',
  supervisoryAuthority: { name: 'An invented authority', country: 'DE', email: 'authority@example.org' },
  services: [
    {
      serviceTradeName: 'Muster online shop',
      serviceIdentifier: 'shop',
      supportURI: ['https://shop.example/contact'],
      description: [{ lang: 'en', content: 'Sells wine' }],
      usesIntermediary: [INTERMEDIARY],
      intendedUses: [
        {
          intendedUseIdentifier: 'identity',
          purpose: [{ lang: 'en', content: 'To know who buys' }],
          privacyPolicy: 'https://shop.example/privacy',
          credentials: [
            {
              format: 'dc+sd-jwt',
              meta: { vct_values: ['urn:eudi:pid:1'] },
              claims: [{ path: ['given_name'] }, { path: ['family_name'] }],
            },
            {
              format: 'mso_mdoc',
              meta: { doctype_value: 'eu.europa.ec.eudi.pid.1' },
              claims: [{ path: ['eu.europa.ec.eudi.pid.1', 'family_name'] }],
            },
          ],
        },
      ],
    },
    {
      serviceTradeName: 'Muster counter',
      serviceIdentifier: 'counter',
      intendedUses: [
        {
          intendedUseIdentifier: 'age',
          purpose: [{ lang: 'en', content: 'To sell to adults alone' }],
          privacyPolicy: 'https://shop.example/privacy',
          credentials: [
            { format: 'dc+sd-jwt', meta: { vct_values: ['urn:eudi:pid:1'] }, claims: [{ path: ['family_name'] }] },
          ],
        },
      ],
    },
  ],
}

export const intermediaryJson = {
  tradeName: 'Example Intermediary',
  legalName: 'Example Intermediary AG',
  identifier: [{ type: 'http://data.europa.eu/eudi/id/VATIN', identifier: 'DE987654321' }],
  country: 'DE',
  services: [{ serviceTradeName: 'Verifying for others', serviceIdentifier: 'verify', isIntermediary: true }],
}

export const merchant: Party = readParty(merchantJson)

export function registrarWithMerchant(): RegistrarState {
  const fresh = createRegistrar({ base: 'https://registrar.example/sandbox', now })
  return registerParty(registerParty(fresh, merchant), readParty(intermediaryJson))
}

/** A signing request for a certificate (PKCS #10). */
export function signingRequest(forKey?: 'another'): { readonly pem: string; readonly key: PrivateJwk } {
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const signing = forKey === undefined ? pair : generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const spki = new Uint8Array(pair.publicKey.export({ format: 'der', type: 'spki' }))
  const information = sequence(integer(0), sequence(), spki, explicit(0))
  const signature = new Uint8Array(sign('sha256', information, signing.privateKey))
  const pem = toPem(
    sequence(information, sequence(oid('1.2.840.10045.4.3.2')), bitString(signature)),
    'CERTIFICATE REQUEST',
  )
  return { pem, key: pair.privateKey.export({ format: 'jwk' }) as unknown as PrivateJwk }
}

export function accessOf(
  state: RegistrarState,
  wanted: Pick<AccessRequest, 'serviceIdentifier' | 'intermediary'> & Partial<Pick<AccessRequest, 'purpose'>>,
): Identity {
  const { pem, key } = signingRequest()
  const chain = issueAccessCertificate(state, {
    signingRequest: pem,
    identifier: MERCHANT,
    purpose: 'openid4vp',
    now,
    days: 90,
    ...wanted,
  })
  return { name: {}, key, certificate: Buffer.from(fromPem(chain)).toString('base64') }
}

export const IDENTITY: RegistrationRequest = {
  identifier: MERCHANT,
  serviceIdentifier: 'shop',
  intendedUseIdentifier: 'identity',
  now,
  days: 90,
  version: '1.2.1',
}

export const issued = (state: RegistrarState, change: Partial<RegistrationRequest> = {}) =>
  issueRegistrationCertificate(state, { ...IDENTITY, ...change })

/** Serves only the status list. */
export function statusFetch(state: RegistrarState, at = now): typeof globalThis.fetch {
  return async (input) =>
    String(input) === registrationStatusUri(state.base)
      ? new Response(registrationStatusList(state, at), { headers: { 'content-type': 'application/statuslist+jwt' } })
      : new Response('', { status: 404 })
}

export const providersOf = (state: RegistrarState) => [certificateBytes(state.provider.authority)]

export const hashIdOf = ({ certificate }: Identity) =>
  `x509_hash:${createHash('sha256').update(Buffer.from(certificate, 'base64')).digest('base64url')}`
