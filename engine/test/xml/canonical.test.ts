// Tests canonical XML with written-out examples of Exclusive XML Canonicalization 1.0.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { canonicalXml } from '../../src/xml/canonical.ts'
import { parseXml, XML_LIMITS, type XmlElement } from '../../src/xml/parse.ts'
import { leastCpuMs } from '../cpu-time.ts'

const canonical = (text: string, within: readonly number[] = []) => {
  let element: XmlElement | string | undefined = parseXml(Buffer.from(text))
  for (const at of within) element = typeof element === 'object' ? element.children[at] : undefined
  assert.ok(typeof element === 'object')
  return Buffer.from(canonicalXml(element)).toString()
}

const examples: [string, string, string, (readonly number[])?][] = [
  ['an empty element has a start tag and an end tag', '<a/>', '<a></a>'],
  [
    'white space inside tags is removed, and white space between them stays',
    '<a  b = "c"\n>\n <b ></b\t></a >',
    '<a b="c">\n <b></b></a>',
  ],
  [
    'attributes are sorted by namespace and name',
    '<a y="2" q:a="3" p:z="4" x="1" xmlns:p="urn:a" xmlns:q="urn:b"/>',
    '<a xmlns:p="urn:a" xmlns:q="urn:b" x="1" y="2" p:z="4" q:a="3"></a>',
  ],
  [
    'a namespace is declared where it is first used, and again in other subtrees that use it',
    '<a xmlns:p="urn:p"><p:b><p:c/></p:b><p:d/></a>',
    '<a><p:b xmlns:p="urn:p"><p:c></p:c></p:b><p:d xmlns:p="urn:p"></p:d></a>',
  ],
  [
    'a declaration ends with its element, also if the prefix has another meaning around it',
    '<p:a xmlns:p="urn:1"><p:b xmlns:p="urn:2" xmlns:q="urn:q"><q:c/></p:b><p:d xmlns:q="urn:q"><q:e/><q:f/></p:d></p:a>',
    '<p:a xmlns:p="urn:1"><p:b xmlns:p="urn:2"><q:c xmlns:q="urn:q"></q:c></p:b><p:d><q:e xmlns:q="urn:q"></q:e><q:f xmlns:q="urn:q"></q:f></p:d></p:a>',
  ],
  ['an unused namespace is omitted', '<a xmlns:p="urn:p" xmlns:q="urn:q" q:b=""/>', '<a xmlns:q="urn:q" q:b=""></a>'],
  [
    'a prefix that gets another meaning is declared again',
    '<p:a xmlns:p="urn:1"><p:b xmlns:p="urn:2"/><p:b/></p:a>',
    '<p:a xmlns:p="urn:1"><p:b xmlns:p="urn:2"></p:b><p:b></p:b></p:a>',
  ],
  [
    'the end of a default namespace is declared',
    '<a xmlns="urn:1"><b xmlns=""><c/></b></a>',
    '<a xmlns="urn:1"><b xmlns=""><c></c></b></a>',
  ],
  [
    'an empty default namespace is not declared where none was in use',
    '<a xmlns=""><p:b xmlns:p="urn:p" xmlns="urn:1"><c xmlns=""/></p:b></a>',
    '<a><p:b xmlns:p="urn:p"><c></c></p:b></a>',
  ],
  [
    'the characters <, >, & and carriage return are escaped in text',
    '<a>&#60;&gt;&amp;"\'&quot;&apos;\t&#13;é</a>',
    '<a>&lt;&gt;&amp;"\'"\'\t&#xD;é</a>',
  ],
  [
    'the characters <, &, quotation mark, tab and line ends are escaped in attributes',
    "<a b='&lt;&quot;>&apos;&amp;&#9;&#10;&#13;'/>",
    '<a b="&lt;&quot;>\'&amp;&#x9;&#xA;&#xD;"></a>',
  ],
  [
    'attributes of XML itself need no declaration, and are not inherited',
    '<a xml:lang="en"><b xml:space="preserve"/></a>',
    '<b xml:space="preserve"></b>',
    [0],
  ],
  [
    'a part of a document declares the namespaces that it uses',
    '<p:a xmlns:p="urn:p" xmlns="urn:d" xmlns:q="urn:q"><b><p:c/></b></p:a>',
    '<b xmlns="urn:d"><p:c xmlns:p="urn:p"></p:c></b>',
    [0],
  ],
]
for (const [title, text, expected, within] of examples) {
  test(title, () => {
    assert.equal(canonical(text, within), expected)
    assert.equal(canonical(expected), expected, 'the canonical form does not change if it is canonicalized again')
  })
}

test('a short document with a long canonical form is refused', () => {
  const uses = (many: number) => `<a xmlns:p="${'u'.repeat(256)}">${'<p:b/>'.repeat(many)}</a>`
  const root = parseXml(Buffer.from(uses(20_000)))
  assert.throws(() => canonicalXml(root), /canonical form is too large/)
  canonicalXml(parseXml(Buffer.from(uses(10_000))))
})

test('namespaces that are declared around elements do not cost time for each element', () => {
  const forEach = (from: number, to: number, text: (at: number) => string) =>
    Array.from({ length: to - from }, (_, index) => text(from + index)).join('')
  const declares = (from: number, to: number) => forEach(from, to, (at) => ` xmlns:p${at}="u${at}"`)
  const uses = (from: number, to: number) => forEach(from, to, (at) => ` p${at}:a=""`)
  const rootWith = (one: string, other: string) => {
    const leaves = '<p61:l/>'.repeat(8_000)
    const text = `<a${declares(0, 31)}><b${declares(31, 62)}><c${one}><d${other}>${leaves}</d></c></b></a>`
    return parseXml(Buffer.from(text))
  }
  const [few, many] = [rootWith('', ''), rootWith(uses(0, 30), uses(30, 61))]
  const fewMs = leastCpuMs(0, () => canonicalXml(few))
  const manyMs = leastCpuMs(3 * fewMs, () => canonicalXml(many))
  assert.ok(manyMs < 3 * fewMs, `${manyMs} ms with 61 namespaces around each element, ${fewMs} with none`)
})

test('an excluded element is left out with all its content, and nothing else', () => {
  const root = parseXml(Buffer.from('<a>1<b><c/></b>2<b/></a>'))
  const child = root.children[1]
  assert.ok(typeof child === 'object')
  assert.equal(Buffer.from(canonicalXml(root, child)).toString(), '<a>12<b></b></a>')
})

test('counts the characters that it escapes while it writes', () => {
  const { references } = XML_LIMITS
  assert.equal(canonical(`<a>${'>'.repeat(references)}</a>`).length, 7 + 4 * references)
  const tooMany = /too many references/
  assert.throws(() => canonical(`<a>${'>'.repeat(references + 1)}</a>`), tooMany)
  assert.throws(
    () => canonical(`<a b='${'"'.repeat(references / 2)}'><c d='${'"'.repeat(references / 2 + 1)}'/></a>`),
    tooMany,
  )
})
