// A registrar for tests: it signs registration certificates under an authority that a realm trusts only for that.

import assert from 'node:assert/strict'
import { createPrivateKey, sign } from 'node:crypto'
import { createServer } from 'node:http'
import { after } from 'node:test'
import { deflateSync } from 'node:zlib'
import { mintAuthority, mintSigner } from '@vidimus/wallet'
import { certificateBytes, type Identity } from '../../../wallet/src/pki.ts'
import { changeIdentity } from '../../src/features/registration/usecases/manage-identity.ts'
import {
  addRegistration,
  type RegistrationAddition,
} from '../../src/features/registration/usecases/manage-registrations.ts'
import { addAnchor } from '../../src/features/trust/usecases/manage-anchors.ts'
import type { Environment } from '../../src/platform/world.ts'
import { allNotified } from './notified.ts'
import { OPERATOR, type TestService } from './service.ts'

export const OWN_ID = 'NTRUT-VIDIMUS'
export const MERCHANT_ID = 'VATUT-123456789'
const YEAR = 365 * 86_400

export interface Registrar {
  readonly authority: Identity
  readonly signer: Identity
  /** Statuses by index, as in the list; and whether its host answers. */
  readonly list: { uri: string; revoked: Set<number>; up: boolean }
  /** Returns the claims with these changes, signed; undefined removes a member. */
  certify(claims?: object, by?: Identity): string
}

export async function testRegistrar(service: TestService): Promise<Registrar> {
  const now = () => Math.floor(service.clock.now() / 1000)
  const period = { notBefore: now() - 1000, notAfter: now() + 5 * YEAR }
  const authority = mintAuthority({ commonName: 'Registrar Root', country: 'UT' }, period)
  const signer = mintSigner(authority, { commonName: 'Registrar', country: 'UT' }, period)
  const list = { uri: '', revoked: new Set<number>(), up: true }
  const server = createServer((_request, response) => {
    if (!list.up) return response.destroy()
    const packed = Buffer.alloc(16)
    for (const index of list.revoked) packed[index >> 3] = (packed[index >> 3] ?? 0) | (1 << (index & 7))
    const claims = {
      sub: list.uri,
      iat: now(),
      ttl: 60,
      status_list: { bits: 1, lst: deflateSync(packed).toString('base64url') },
    }
    response.setHeader('content-type', 'application/statuslist+jwt')
    return response.end(signJwt(signer, 'statuslist+jwt', claims))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  after(() => server.close())
  const address = server.address()
  assert.ok(typeof address === 'object' && address !== null)
  list.uri = `http://127.0.0.1:${address.port}/status`
  const certify = (claims: object = {}, by = signer) => signJwt(by, 'rc-wrp+jwt', { ...usualClaims(now()), ...claims })
  return { authority, signer, list, certify }
}

const usualClaims = (now: number) => ({
  name: 'Corner Shop Online',
  sub: MERCHANT_ID,
  sub_ln: 'Corner Shop GmbH',
  country: 'UT',
  privacy_policy: 'https://shop.example/privacy',
  iat: now,
  exp: now + 90 * 86_400,
  purpose: [
    { lang: 'en', value: 'To check that you are old enough' },
    { lang: 'de', value: 'Um Ihr Alter zu prüfen' },
  ],
  credentials: [
    {
      format: 'dc+sd-jwt',
      meta: { vct_values: ['urn:eudi:pid:1'] },
      claim: [{ path: ['family_name'] }, { path: ['nationalities', null] }],
    },
    {
      format: 'mso_mdoc',
      meta: { doctype_value: 'org.iso.18013.5.1.mDL' },
      claim: [{ path: ['org.iso.18013.5.1', 'family_name'] }],
    },
  ],
  intermediary: { sub: { id: OWN_ID, sname: 'Vidimus' } },
  srv_id: 'shop-1',
  intended_use_id: 'age-check',
})

function signJwt(by: Identity, typ: string, claims: object): string {
  const header = { typ, alg: 'ES256', x5c: [by.certificate] }
  const text = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
  const key = createPrivateKey({ key: { ...by.key }, format: 'jwk' })
  return `${text}.${sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`
}

/** Makes a tenant trust the registrar. The tenant is registered there, like the operator that acts for it. */
export async function registerTenant(
  service: TestService,
  registrar: Registrar,
  realm: { readonly tenantId: string; readonly environment: Environment },
  identifier = MERCHANT_ID,
): Promise<void> {
  const { tenantId, environment } = realm
  await addAnchor(service.deps, {
    owner: realm,
    kind: 'ca',
    profile: 'generic',
    types: ['rc-wrp+jwt:*'],
    certificate: certificateBytes(registrar.authority),
    actor: OPERATOR,
  })
  const shared = { registryUri: 'https://register.example/api', environment, actor: OPERATOR }
  for (const [owner, id, isIntermediary] of [
    [null, OWN_ID, true],
    [tenantId, identifier, false],
  ] as const) {
    const identity = { identifier: id, tradeName: 'Hofladen GmbH', registryUri: shared.registryUri, isIntermediary }
    const changed = await changeIdentity(service.deps, { tenantId: owner, environment, identity, actor: OPERATOR })
    assert.equal(changed.outcome, 'changed')
  }
}

/** The resulting registration, or why there is none; from then on creations use it. */
export async function addTo(
  service: TestService,
  realm: { readonly tenantId: string; readonly environment: Environment },
  jwt: string,
): Promise<RegistrationAddition> {
  const added = await addRegistration(service.deps, { realm, jwt, intendedUse: null, actor: OPERATOR })
  await allNotified(service)
  return added
}
