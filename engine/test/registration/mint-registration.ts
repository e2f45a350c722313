// Registration certificates of an invented registrar, in the formats of both published versions.

import { sign } from 'node:crypto'
import type { Minted } from '../trust/mint-certificate.ts'
import { mintAuthority, mintSigner, NOW } from '../trust/mint-pki.ts'

export { NOW }
export const STATUS_URI = 'https://registrar.example/status/7'
export const provider = mintAuthority({ subject: { CN: 'Invented Registrar Root', C: 'UT' } })
export const registrar = mintSigner(provider, { subject: { CN: 'Invented Registrar', C: 'UT' } })

/** ETSI TS 119 475 V1.2.1. */
export const CLAIMS = {
  name: 'Corner Shop Online',
  sub: 'VATUT-UT123456789',
  sub_ln: 'Corner Shop GmbH',
  country: 'UT',
  registry_uri: 'https://register.example/api',
  srv_description: [{ lang: 'en', value: 'Sells things that need an age' }],
  entitlements: ['https://uri.etsi.org/19475/Entitlement/Service_Provider'],
  privacy_policy: 'https://shop.example/privacy',
  policy_id: ['0.4.0.19475.3.1'],
  iat: NOW - 3600,
  exp: NOW + 90 * 86_400,
  status: { status_list: { idx: 3, uri: STATUS_URI } },
  purpose: [
    { lang: 'en', value: 'To check that you are old enough' },
    { lang: 'de', value: 'Um Ihr Alter zu prüfen' },
  ],
  credentials: [
    {
      format: 'dc+sd-jwt',
      meta: { vct_values: ['urn:eudi:pid:1'] },
      claim: [{ path: ['age_equal_or_over', '18'] }, { path: ['nationalities', null] }],
    },
  ],
  intermediary: { sub: { id: 'NTRUT-9', sname: 'Vidimus' } },
  srv_id: 'shop-1',
  intended_use_id: 'age-check',
} as const

/** ETSI TS 119 475 V1.1.1. */
export const OLD_CLAIMS = {
  name: 'Corner Shop Online',
  sub: {
    legal_name: ['Corner Shop GmbH'],
    id: [{ type: 'http://data.europa.eu/eudi/id/VATIN', identifier: 'UT123456789' }],
  },
  country: 'UT',
  service: [{ lang: 'en', value: 'Sells things' }],
  privacy_policy: [{ type: 'http://data.europa.eu/eudi/policy/privacy', policyURI: 'https://shop.example/privacy' }],
  purpose: [{ lang: 'en', content: 'To check your age' }],
  dpa: { name: 'Authority', country: 'UT' },
  iat: NOW - 3600,
  credentials: [
    { format: 'mso_mdoc', meta: { doctype_value: 'org.iso.18013.5.1.mDL' }, claims: [{ path: ['a', 'b'] }] },
  ],
  act: { sub: 'NTRUT-9', name: 'Vidimus' },
} as const

export interface RegistrationPlan {
  readonly header?: object
  readonly claims?: object
  readonly by?: Minted
  readonly spoil?: boolean
}

/** `undefined` removes a member. */
export function mintRegistration(plan: RegistrationPlan = {}): string {
  const by = plan.by ?? registrar
  const x5c = [Buffer.from(by.der).toString('base64')]
  const header = { typ: 'rc-wrp+jwt', alg: 'ES256', x5c, ...plan.header }
  const text = [header, plan.claims ?? CLAIMS]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')
  const signature = sign('sha256', Buffer.from(text), { key: by.privateKey, dsaEncoding: 'ieee-p1363' })
  if (plan.spoil === true) signature[5] = (signature[5] ?? 0) ^ 1
  return `${text}.${signature.toString('base64url')}`
}
