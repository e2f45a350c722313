// Tests that device tokens are recognised offline, and distinct from keys and from each other.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import test from 'node:test'
import { looksLikeApiKey, mintApiKey } from '../../src/core/tenants/domain/api-key.ts'
import { looksLikeAccessToken, looksLikeRefreshToken, mintPair } from '../../src/features/devices/domain/token.ts'
import { newDeviceId } from '../../src/platform/ids.ts'

const random = (size: number) => new Uint8Array(randomBytes(size))

test('an access token is vd_, a refresh token vdr_, each with 32 random symbols and a checksum', () => {
  const pair = mintPair(random)
  assert.match(pair.accessToken, /^vd_[0-9A-Za-z]{38}$/)
  assert.match(pair.refreshToken, /^vdr_[0-9A-Za-z]{38}$/)
  assert.ok(looksLikeAccessToken(pair.accessToken))
  assert.ok(looksLikeRefreshToken(pair.refreshToken))
})

test('none is recognised as another kind of secret', () => {
  const { accessToken, refreshToken } = mintPair(random)
  const key = mintApiKey(random, 'test')
  assert.ok(!looksLikeAccessToken(refreshToken) && !looksLikeAccessToken(key))
  assert.ok(!looksLikeRefreshToken(accessToken) && !looksLikeRefreshToken(key))
  assert.ok(!looksLikeApiKey(accessToken) && !looksLikeApiKey(refreshToken))
})

test('a token with one changed character is not recognised', () => {
  const { accessToken } = mintPair(random)
  for (let at = 3; at < accessToken.length; at += 1) {
    const other = accessToken[at] === 'a' ? 'b' : 'a'
    assert.ok(!looksLikeAccessToken(accessToken.slice(0, at) + other + accessToken.slice(at + 1)))
  }
})

test('a device id is a UUID of version 4', () => {
  for (let round = 0; round < 100; round += 1) {
    assert.match(newDeviceId(random), /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  }
})
