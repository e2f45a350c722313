// Tests that exactly the known parameters of a pushed request are stored.

import assert from 'node:assert/strict'
import test from 'node:test'
import { KNOWN_PARAMETERS, readAuthorization, responseOptionsOf } from '../../src/features/oidc/domain/request.ts'

test('every parameter that reading a request uses is known', () => {
  // The service reads these three earlier: the client, the redirect address, and the language of the page.
  const read = new Set<string>(['client_id', 'redirect_uri', 'ui_locales'])
  class Recorded extends Map<string, string> {
    override get(name: string): string | undefined {
      read.add(name)
      return super.get(name)
    }
    override has(name: string): boolean {
      read.add(name)
      return super.has(name)
    }
  }
  const parameters = new Recorded([
    ['response_type', 'code'],
    ['scope', 'openid vc_authn'],
    ['code_challenge', 'a'.repeat(43)],
    ['code_challenge_method', 'S256'],
  ])
  readAuthorization(parameters, {
    redirectUri: 'https://shop.example/back',
    client: { authMethod: 'client_secret', profile: 'openid' },
  })
  responseOptionsOf(parameters)
  assert.deepEqual([...read].sort(), [...KNOWN_PARAMETERS].sort())
})
