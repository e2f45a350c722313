// Builds hostile envelopes: forms, encryption and JSON, which are read before any presentation is checked.

import { type Hostile, inClear, sealed } from './world.ts'

const BYTES = 1_990_000
const fill = (text: string, bytes = BYTES) => text.repeat(Math.floor(bytes / Buffer.byteLength(text)))

export function envelopes(): readonly Hostile[] {
  return [
    inClear('form: pluses', `vp_token=${fill('+')}`),
    inClear('form: escapes', `vp_token=${fill('%41')}`),
    inClear('form: escapes of two bytes', `vp_token=${fill('%c3%a9')}`),
    inClear('form: pluses and letters in turn', `vp_token=${fill('a+')}`),
    inClear('form: ampersands', fill('&')),
    inClear('form: fields', fill('a=b&')),
    inClear('form: equals signs', fill('=')),
    inClear('form: letters beyond ASCII', `vp_token=${fill('é')}`),
    inClear('form: a broken escape at the end', `vp_token=${fill('+')}%`),
    inClear('form: not UTF-8 at the end', Buffer.concat([Buffer.from(fill('é')), Buffer.of(0xff)])),
    inClear('form: a long error description', `error=x&error_description=${fill('%e2%80%ae')}`),
    inClear('JSON: nested arrays', `vp_token=${fill('[')}`),
    inClear('JSON: a wide array', `vp_token={"identity":[${fill('0,')}0]}`),
    inClear('JSON: a wide array of strings', `vp_token={"identity":[${fill('"",')}""]}`),
    inClear('JSON: a wide object', `vp_token={${members(150_000)}}`),
    inClear(
      'JSON: long member names of equal length',
      `vp_token={${members(120, (i) => `${'a'.repeat(16_400)}${1000 + i}`)}}`,
    ),
    inClear(
      'form: long field names of equal length',
      Array.from({ length: 60 }, (_, i) => `${'a'.repeat(32_000)}${1000 + i}=`).join('&'),
    ),
    inClear('JSON: members like array indices', `vp_token={${members(150_000, (i) => i * 4001)}}`),
    inClear('JSON: members at indices far apart', `vp_token={${members(5_990, farApart(5_990))}}`),
    inClear(
      'JSON: objects of members at indices far apart',
      `vp_token={"a":[${Array(23)
        .fill(`{${members(256, farApart(256))}}`)
        .join()}]}`,
    ),
    inClear('JSON: escapes in one string', `vp_token={"identity":["${fill('\\n')}"]}`),
    inClear('JSON: escapes in many strings', `vp_token={"identity":[${fill('"\\u0041",')}""]}`),
    inClear('JSON: a string that does not end', `vp_token={"identity":["${fill('a')}`),
    inClear('JSON: white space', `vp_token=${fill(' ')}{}`),
    inClear('JSON: a long number', `vp_token={"identity":[${fill('1')}]}`),
    inClear('JSON: decimals', `vp_token={"identity":[1.${fill('0')}1]}`),
    sealed(
      'JWE: numbers of 760 digits between two doubles',
      `{"junk":[${Array.from({ length: 1_850 }, (_, at) => betweenDoubles(at, 760)).join()}]}`,
    ),
    sealed(
      'JWE: numbers of 64 digits between two doubles',
      `{"junk":[${Array.from({ length: 5_900 }, (_, at) => betweenDoubles(at, 58)).join()}]}`,
    ),
    inClear('JSON: objects in objects', `vp_token=${fill('{"a":', 180)}[${fill('{"b":1,"c":2},')}0]`),
    inClear('encrypted although asked for in clear', `response=${fill('A')}`),
    sealed('JWE: a wide array', `{"vp_token":{"identity":[${fill('0,', 1_400_000)}0]}}`),
    sealed('JWE: a wide object', `{"vp_token":{${members(110_000)}}}`),
    sealed('JWE: letters beyond ASCII', `{"vp_token":{"identity":["${fill('é', 1_400_000)}"]}}`),
    sealed('JWE: not UTF-8 at the end', Buffer.concat([Buffer.from(fill('é', 1_400_000)), Buffer.of(0xff)])),
    sealed('JWE: a wrong tag', fill('a', 1_400_000), { segments: (s) => s.with(4, 'AAAAAAAAAAAAAAAAAAAAAA') }),
    sealed('JWE: a header of many members', '{}', {
      header: Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`m${i}`, 0])),
    }),
    sealed('JWE: a huge header', '{}', { header: { more: fill('a', 1_400_000) } }),
    sealed('JWE: PBES2 with the maximum p2c (iteration count)', '{}', {
      header: { alg: 'PBES2-HS256+A128KW', p2c: 2_147_483_647, p2s: 'AAAA' },
    }),
    sealed('JWE: compressed', fill('a', 1_400_000), { header: { zip: 'DEF' } }),
    sealed('JWE: long party information', '{}', { header: { apu: fill('A', 1200), apv: fill('A', 1200) } }),
    sealed('JWE: dots', '{}', { segments: () => fill('.').split('.') }),
    sealed('JWE: a long encrypted key', '{}', { segments: (s) => s.with(1, fill('A')) }),
    sealed('JWE: a long tag', '{}', { segments: (s) => s.with(4, fill('A')) }),
  ]
}

/** Consecutive indices, then pairs so far apart that V8 turns its array into a table and back. */
function farApart(count: number): (index: number) => number {
  const consecutive = Math.floor(count * 0.94)
  return (at) =>
    at < consecutive ? at : consecutive + 5_500 + 1_026 * Math.floor((at - consecutive) / 2) + ((at - consecutive) % 2)
}

/** A number whose digits lie halfway between two doubles, so that reading it takes all of them. */
function betweenDoubles(number: number, digits: number): string {
  const double = (1n << 52n) + ((BigInt(number) * 519_019_463n) % (1n << 52n))
  const text = ((2n * double + 1n) * 5n ** 1_070n).toString()
  return `${text[0]}.${text.slice(1, digits)}e${text.length - 1_071}`
}

function members(count: number, name: (index: number) => number | string = (i) => `k${i}`): string {
  return Array.from({ length: count }, (_, i) => `"${name(i)}":0`)
    .join()
    .slice(0, BYTES - 60)
    .replace(/,[^,]*$/, '')
}
