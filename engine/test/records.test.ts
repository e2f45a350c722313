// Tests that unknown formats and channels are refused, and never treated as a known one.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { carriesTransaction, hasReaderKey, requireBinding, responseModeOf } from '../src/channels/table.ts'
import { requiredChecks } from '../src/conclude.ts'
import {
  CREDENTIAL_FORMATS,
  FORMAT_NAMES,
  formatOf,
  isCredentialFormat,
  queriedFormatOf,
  vouchedFormatOf,
} from '../src/formats.ts'
import { parseQuery } from '../src/openid4vp/dcql.ts'

const STRANGERS = ['', 'jwt_vc_json', 'toString', '__proto__', 'constructor', 'default'] as never[]

test('refuses an unknown format in every lookup and in a query', () => {
  for (const stranger of STRANGERS) {
    assert.equal(isCredentialFormat(stranger), false)
    assert.throws(() => formatOf(stranger), /bug: unknown format/)
    assert.throws(() => queriedFormatOf(stranger), /bug/)
    assert.throws(() => vouchedFormatOf(stranger), /bug/)
    assert.throws(() => requiredChecks(stranger), /bug/)
    const requested = { id: 'a', format: stranger, meta: { vct_values: ['a'] } }
    assert.throws(
      () => parseQuery({ credentials: [requested] }),
      /only the formats "dc\+sd-jwt" and "mso_mdoc" are supported/,
    )
  }
})

test('a query cannot ask for a proof alone; anchors vouch for the proved format', () => {
  assert.deepEqual(CREDENTIAL_FORMATS, ['dc+sd-jwt', 'mso_mdoc'])
  assert.deepEqual(FORMAT_NAMES.map(vouchedFormatOf), ['dc+sd-jwt', 'mso_mdoc', 'mso_mdoc'])
  assert.throws(() => queriedFormatOf('mso_mdoc_zk' as never), /bug: a query cannot ask for this format/)
})

test('no format removes a check that all formats must pass', () => {
  const all = FORMAT_NAMES.map((name) => new Set(requiredChecks(name)))
  const [first = new Set()] = all
  const common = all.reduce((left, right) => left.intersection(right), first)
  for (const check of [
    'issuer_trusted',
    'issuer_signature_valid',
    'within_validity',
    'holder_signature_valid',
  ] as const)
    assert.ok(common.has(check), check)
  assert.equal(common.size, 14)
})

test('refuses an unknown channel in every lookup', () => {
  for (const kind of STRANGERS) {
    assert.throws(() => requireBinding({ kind, clientId: 'a', responseUri: 'b' }), /bug: unknown channel/)
    assert.throws(() => responseModeOf(kind, { isEncrypted: true }), /bug/)
    assert.throws(() => hasReaderKey(kind), /bug/)
    assert.throws(() => carriesTransaction(kind), /bug/)
  }
})

test('the channels redirect and dc_api each have their own response modes, and annex_c has none', () => {
  const modes = (['redirect', 'dc_api', 'annex_c'] as const).flatMap((kind) =>
    [false, true].map((isEncrypted) => responseModeOf(kind, { isEncrypted })),
  )
  assert.deepEqual(modes, ['direct_post', 'direct_post.jwt', 'dc_api', 'dc_api.jwt', null, null])
})
