// Tests the parsed subset of XML: signed lists need no more, and its limits apply before any signature is verified.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MalformedXml, parseXml, XML_LIMITS } from '../../src/xml/parse.ts'

const parse = (text: string) => parseXml(Buffer.from(text))
const refuses = (text: string, why: RegExp) =>
  assert.throws(
    () => parse(text),
    (error) => error instanceof MalformedXml && why.test(error.message),
    text.slice(0, 80),
  )

test('elements, attributes, namespaces and text are read', () => {
  assert.deepEqual(
    parse('<?xml version="1.0"?>\n<p:a xmlns:p="urn:p" p:b=\'&quot;1&#x31;\' c="x\ty">t&amp;<b/></p:a>\n'),
    {
      prefix: 'p',
      namespace: 'urn:p',
      name: 'a',
      attributes: [
        { prefix: 'p', namespace: 'urn:p', name: 'b', value: '"11' },
        { prefix: '', namespace: '', name: 'c', value: 'x y' },
      ],
      children: ['t&', { prefix: '', namespace: '', name: 'b', attributes: [], children: [] }],
    },
  )
})

test('a namespace applies inside the element that declares it; the default namespace applies only to elements', () => {
  const root = parse('<a xmlns="urn:1"><b xmlns="" c="d"/><b c="d"/></a>')
  const namespaces = root.children.map((child) => (typeof child === 'string' ? child : child.namespace))
  assert.deepEqual([root.namespace, ...namespaces], ['urn:1', '', 'urn:1'])
  const inner = root.children[1]
  assert.ok(typeof inner === 'object')
  assert.equal(inner.attributes[0]?.namespace, '')
})

test('line ends become line feeds, and character references stay', () => {
  assert.deepEqual(parse('<a b="1\r\n2&#13;&#10;&#9;">\r\n\r&#13;</a>').children, ['\n\n\r'])
  assert.equal(parse('<a b="1\r\n2&#13;&#10;&#9;"/>').attributes[0]?.value, '1 2\r\n\t')
})

const malformed: [string, string, RegExp][] = [
  ['nothing', '', /not an element/],
  ['text alone', 'text', /not an element/],
  ['two roots', '<a/><a/>', /outside the root/],
  ['an element that does not end', '<a><b></b>', /does not end/],
  ['a tag that does not end', '<a b="c"', /does not end/],
  ['an end tag with another name', '<a></b>', /end tag of an element has another name/],
  ['an end tag with another prefix', '<p:a xmlns:p="u" xmlns:q="u"></q:a>', /end tag of an element has another name/],
  ['an attribute without quotes', '<a b=c/>', /does not end/],
  ['an attribute without a value', '<a b/>', /does not end/],
  ['two attributes without a space', '<a b="c"d="e"/>', /does not end/],
  ['a tag in an attribute', '<a b="<"/>', /does not end/],
  ['an attribute twice by two prefixes', '<a xmlns:p="u" xmlns:q="u" p:b="" q:b=""/>', /twice/],
  ['a name with two colons', '<a:b:c xmlns:a="u"/>', /does not end/],
  ['a name of other letters', '<é/>', /not an element/],
  ['an undeclared prefix', '<p:a/>', /not declared/],
  ['an undeclared prefix of an attribute', '<a p:b=""/>', /not declared/],
  ['a prefix that only a sibling declares', '<a><b xmlns:p="u"/><p:c/></a>', /not declared/],
  ['a prefix for nothing', '<a xmlns:p=""/>', /declared wrongly/],
  ['a prefix twice', '<a xmlns:p="u" xmlns:p="v"/>', /declared wrongly/],
  ['the prefix of XML for something else', '<a xmlns:xml="u"/>', /declared wrongly/],
  ['another prefix for that of XML', '<a xmlns:p="http://www.w3.org/XML/1998/namespace"/>', /declared wrongly/],
  ['a prefix of declarations', '<xmlns:a/>', /not declared/],
  ['a namespace of other letters', '<a xmlns="urn:é"/>', /declared wrongly/],
  ['the end of CDATA', '<a>]]></a>', /CDATA/],
  ['an ampersand', '<a>a & b</a>', /entity/],
  ['an ampersand in an attribute', '<a b="&"/>', /entity/],
  ['a reference to no character', '<a>&#0;</a>', /no character/],
  ['a reference to half a character', '<a>&#xD800;</a>', /no character/],
  ['a reference beyond characters', '<a>&#x110000;</a>', /no character/],
  ['a control character', '<a>\u0001</a>', /character/],
  ['a declaration behind white space', ' <?xml version="1.0"?><a/>', /not an element/],
]
for (const [title, text, why] of malformed) test(`refuses ${title}`, () => refuses(text, why))

test('limits bytes, elements, depth, attributes, and namespaces in scope', () => {
  const { bytes, elements, depth, attributes, namespaces } = XML_LIMITS
  const around = (inside: string) => `<a>${inside}</a>`
  parse(around('x'.repeat(bytes - 7)))
  refuses(around('x'.repeat(bytes - 6)), /too large/)
  parse(around('<b/>'.repeat(elements - 1)))
  refuses(around('<b/>'.repeat(elements)), /too many elements/)
  parse('<a>'.repeat(depth) + '</a>'.repeat(depth))
  refuses('<a>'.repeat(depth + 1) + '</a>'.repeat(depth + 1), /too deeply/)
  refuses('<a>'.repeat(1_000_000), /too deeply/)
  const attributesOf = (count: number) => Array.from({ length: count }, (_, nth) => ` b${nth}=""`).join('')
  parse(`<a${attributesOf(attributes)}/>`)
  refuses(`<a${attributesOf(attributes + 1)}/>`, /too many attributes/)
  parse(around('<b c=""/>'.repeat(elements - 1)))
  refuses(around('<b c="" d=""/>'.repeat(elements / 2 + 1)), /too many attributes/)
  // Two namespaces exist without a declaration: the default, and the namespace of XML itself.
  const nested = (count: number) => {
    const tags = Array.from({ length: count }, (_, nth) => ` xmlns:p${nth}="u"`)
    return `<a${tags.slice(0, 30).join('')}><b${tags.slice(30, 60).join('')}><c${tags.slice(60).join('')}/></b></a>`
  }
  parse(nested(namespaces - 2))
  refuses(nested(namespaces - 1), /too many namespaces/)
  const long = (length: number) => `<p:a xmlns:p="${'u'.repeat(length)}"/>`
  parse(long(XML_LIMITS.namespaceLength))
  refuses(long(XML_LIMITS.namespaceLength + 1), /namespace is too long/)
  const declaring = (count: number) => around('<b xmlns:p="u"/>'.repeat(count))
  parse(declaring(XML_LIMITS.declaring))
  refuses(declaring(XML_LIMITS.declaring + 1), /declares too many namespaces/)
  parse(`<a xmlns:p="u">${'<b xmlns:p="u"/>'.repeat(XML_LIMITS.declaring + 1)}</a>`)
})

test('limits carriage returns, and line ends in attributes', () => {
  const lines = (count: number) => `<a>${'\r'.repeat(count)}</a>`
  assert.deepEqual(parse(lines(1_000)).children, ['\n'.repeat(1_000)])
  parse(`<a>${'1234567\r'.repeat(200_000)}</a>`)
  refuses(lines(1_200), /lines are too short/)
  const breaks = (count: number) => `<a b="${'\n'.repeat(count / 2)}" c="${'\t'.repeat(count / 2)}"/>`
  const { elements } = XML_LIMITS
  assert.deepEqual(
    parse(breaks(elements)).attributes.map(({ value }) => value),
    [' '.repeat(elements / 2), ' '.repeat(elements / 2)],
  )
  refuses(breaks(elements + 2), /too many line ends/)
})

test('a lower limit on elements also lowers the limits on references, namespaces and line ends', () => {
  const { elements, references, declaring } = XML_LIMITS
  const tenth = (text: string) => parseXml(Buffer.from(text), elements / 10)
  const declares = (count: number) => `<a>${'<b xmlns:p="u"/>'.repeat(count)}</a>`
  const refers = (count: number) => `<a>${'&lt;'.repeat(count)}</a>`
  const breaks = (count: number) => `<a b="${'\n'.repeat(count)}"/>`
  for (const text of [declares(declaring / 10), refers(references / 10), breaks(elements / 10)]) tenth(text)
  assert.throws(() => tenth(declares(declaring / 10 + 1)), /declares too many namespaces/)
  assert.throws(() => tenth(refers(references / 10 + 1)), /too many character references/)
  assert.throws(() => tenth(breaks(elements / 10 + 1)), /too many line ends/)
})

test('counts references in text and attributes before it expands one', () => {
  const { references } = XML_LIMITS
  const text = (count: number) => `<a>${'&lt;'.repeat(count)}</a>`
  assert.deepEqual(parse(text(references)).children, ['<'.repeat(references)])
  refuses(text(references + 1), /too many character references/)
  const values = (count: number) => `<a b="${'&#x41;'.repeat(count / 2)}"><c d="${'&#65;'.repeat(count / 2)}"/></a>`
  parse(values(references))
  refuses(values(references + 2), /too many character references/)
  // The first reference is invalid. If it were expanded before all are counted, the error would be another.
  refuses(`<a>&#0;${'&amp;'.repeat(references)}</a>`, /too many character references/)
  // Ampersands that begin no reference count, too.
  refuses(`<a>${'&'.repeat(references + 1)}</a>`, /too many character references/)
})
