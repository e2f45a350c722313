// Tests base64url and byte comparisons.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { decodeBase64, decodeBase64url, decodeUtf8, encodeBase64url, equalBytes, equalText } from '../src/bytes.ts'

test('base64url has one text for each byte string', () => {
  assert.deepEqual([...(decodeBase64url('_-8') ?? [])], [0xff, 0xef])
  assert.deepEqual([...(decodeBase64url('') ?? [1])], [])
  for (const text of ['_-8=', '/+8', '_-9', '_', '_-8\n', ' _-8', '_-8.', 'A', 'AAAAA', 'ÿÿÿÿ', 'AA\u0000A']) {
    assert.equal(decodeBase64url(text), null, JSON.stringify(text))
  }
})

test('base64url is strict about every character, at every position of a group', () => {
  // The definition: the text is exactly what its bytes encode to.
  const defined = (text: string) => (Buffer.from(text, 'base64url').toString('base64url') === text ? text : null)
  const decoded = (text: string) => {
    const bytes = decodeBase64url(text)
    return bytes === null ? null : encodeBase64url(bytes)
  }
  for (let code = 0; code < 0x10000; code++) {
    const character = String.fromCharCode(code)
    for (const [before, after] of [
      ['', ''],
      ['A', ''],
      ['AA', ''],
      ['AAA', ''],
      ['', 'AAA'],
      ['AA', 'AAAA'],
    ]) {
      const text = `${before}${character}${after}`
      if (decoded(text) !== defined(text)) assert.fail(`differs at U+${code.toString(16)} in ${JSON.stringify(text)}`)
    }
  }
})

test('decodes what it encoded; a text with one changed character is decoded only if it encodes other bytes exactly', () => {
  const changed = fc.tuple(fc.uint8Array({ maxLength: 600 }), fc.nat(), fc.string({ unit: 'binary', maxLength: 2 }))
  fc.assert(
    fc.property(changed, ([bytes, at, put]) => {
      const text = encodeBase64url(bytes)
      assert.deepEqual(Buffer.from(decodeBase64url(text) ?? [1]), Buffer.from(bytes))
      const place = at % (text.length + 1)
      const other = text.slice(0, place) + put + text.slice(place + 1)
      const read = decodeBase64url(other)
      assert.equal(read !== null, Buffer.from(other, 'base64url').toString('base64url') === other)
    }),
    { numRuns: 2_000 },
  )
})

test('decodes base64 only if it is padded, standard and canonical', () => {
  assert.deepEqual([...(decodeBase64('/+8=') ?? [])], [0xff, 0xef])
  for (const text of ['/+8', '_-8=', '/+9=', '/+8=\n', '/+8==', '-----BEGIN']) {
    assert.equal(decodeBase64(text), null, JSON.stringify(text))
  }
})

test('encodes only the bytes of a view, not the buffer around it', () => {
  assert.equal(encodeBase64url(new Uint8Array([9, 0xff, 0xef, 9]).subarray(1, 3)), '_-8')
})

test('decodes only valid UTF-8, and keeps a byte order mark', () => {
  assert.equal(decodeUtf8(Buffer.from('Zoë')), 'Zoë')
  assert.equal(decodeUtf8(Buffer.from([0xef, 0xbb, 0xbf, 0x7b])), '\ufeff{')
  for (const bytes of [[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xe2, 0x82]]) {
    assert.equal(decodeUtf8(Uint8Array.from(bytes)), null)
  }
})

test('byte strings are equal only if their lengths and all bytes are equal', () => {
  assert.equal(equalBytes(Uint8Array.of(1, 2), Uint8Array.of(1, 2)), true)
  assert.equal(equalBytes(Uint8Array.of(1, 2), Uint8Array.of(1, 3)), false)
  assert.equal(equalBytes(Uint8Array.of(), Uint8Array.of(0)), false)
  assert.equal(equalText('nonce', 'nonce'), true)
  assert.equal(equalText('nonce', 'nonce '), false)
})
