// Tests that RSA keys of the operator's OpenID provider have the limits of certificates.

import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import test from 'node:test'
import { roundOf } from '../../src/features/staff/domain/oidc.ts'
import { createOidcProvider } from '../../src/features/staff/outbound/provider.ts'
import { makeEgress } from '../../src/platform/egress/client.ts'
import { CALLBACK, CLIENT, signed, startProvider } from '../harness/servers/oidc-provider.ts'
import { cidrs, testPolicy } from './world.ts'

const clock = { now: () => Date.now() }
const provider = await startProvider(clock.now)
provider.account = { sub: 'sub-zoe', email: 'zoe@example.com', email_verified: true }
const egress = makeEgress({ policy: testPolicy({ environment: 'test', allow: cidrs('127.0.0.0/8') }) })
const settings = { issuer: provider.issuer, clientId: CLIENT.id, clientSecret: CLIENT.secret, name: 'Sonnenhof ID' }

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const own = { private: rsa.privateKey, public: rsa.publicKey, kid: 'rsa' }
const { n = '', e = '' } = rsa.publicKey.export({ format: 'jwk' })
const NO_KEY = 'error when selecting a JWT verification key, no applicable keys found'

for (const [name, exponents, reason] of [
  ['an RSA key within the limits of certificates is used', [e], null],
  ['an RSA key whose exponent is as long as the modulus is ignored', [n], NO_KEY],
  ['an RSA key with an exponent of one is ignored', ['AQ'], NO_KEY],
  ['an RSA key whose exponent is not a number is ignored', [''], NO_KEY],
  ['no key of a set with 51 keys is used', new Array<string>(51).fill(e), NO_KEY],
] as const) {
  test(name, async () => {
    const keys = exponents.map((exponent) => ({ kty: 'RSA', n, e: exponent, kid: 'rsa', alg: 'RS256', use: 'sig' }))
    provider.spoiling = {
      metadata: (all) => ({ ...all, id_token_signing_alg_values_supported: ['RS256'] }),
      at: {
        '/realm/jwks': (_request, response) =>
          void response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify({ keys })),
      },
      token: (claims) => signed(claims, { keys: own }, { alg: 'RS256', kid: 'rsa' }),
    }
    const asking = createOidcProvider(settings, { egress, clock })
    const redirectUri = `https://verify.example${CALLBACK}`
    const round = roundOf(name)
    const startedMs = clock.now()
    const requested = await asking.ask({ round, redirectUri, again: null })
    assert.ok(requested.outcome === 'ready')
    const parameters = new URL(provider.visit(requested.url), redirectUri).searchParams
    const proof = await asking.prove({ round, redirectUri, parameters, startedMs, again: false })
    assert.equal('reason' in proof ? proof.reason : null, reason)
  })
}
