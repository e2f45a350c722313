// Tests that XML documents that two parsers could read differently are refused as trusted lists.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NOW } from './mint-pki.ts'
import { AGE_LIST, isoTime } from './mint-trusted-list.ts'
import { first, mint, named, reading, UNSIGNED, unread } from './trusted-list-world.ts'

const NO_PART = unread('it has something that is not an element, attribute or text')

test('lines may have either line end', async () => {
  assert.deepEqual(await reading(mint({ document: (xml) => xml.replaceAll('\n', '\r\n') })), named(first))
  assert.deepEqual(await reading(mint({ document: (xml) => xml.replaceAll('\n', '\r') })), named(first))
})

const inDocument: [string, (xml: string) => string, string][] = [
  ['without a signature', (xml) => xml.replace(/<ds:Signature .*<\/ds:Signature>/s, ''), unread('it has no signature')],
  [
    'with two signatures',
    (xml) => xml.replace(/<ds:Signature .*<\/ds:Signature>/s, '$&$&'),
    unread('it has several signatures'),
  ],
  [
    'with a second signature deep in it',
    (xml) => xml.replace('</ds:Object>', `</ds:Object><ds:Object><ds:Signature/></ds:Object>`),
    unread('it has several signatures'),
  ],
  ['with another value', (xml) => xml.replace('<TSLSequenceNumber>7', '<TSLSequenceNumber>8'), UNSIGNED],
  [
    'with another service',
    (xml) => xml.replace(AGE_LIST.recognized, `${AGE_LIST.recognized} `).replace('<TSPServices>', '<TSPServices> '),
    UNSIGNED,
  ],
  [
    'whose signing time was changed',
    (xml) => xml.replace(isoTime(NOW - 60).concat('</xades:SigningTime>'), `${isoTime(NOW)}</xades:SigningTime>`),
    UNSIGNED,
  ],
  [
    'whose properties were taken out',
    (xml) => xml.replace(/<ds:Object>.*<\/ds:Object>/s, ''),
    unread('the properties of the signature are missing'),
  ],
  ['with a comment in a certificate', (xml) => xml.replace('</X509Certificate>', '<!-- -->$&'), NO_PART],
  ['with a comment in a service type', (xml) => xml.replace('service-type/paa', 'service-type/<!-- -->paa'), NO_PART],
  ['with a comment in its digest', (xml) => xml.replace('<ds:DigestValue>', '$&<!-- -->'), NO_PART],
  ['with a document type', (xml) => xml.replace('?>', '?><!DOCTYPE TrustServiceStatusList>'), NO_PART],
  [
    'with an entity of its own',
    (xml) => xml.replace('?>', '?><!DOCTYPE l [<!ENTITY e "7">]>').replace('>7<', '>&e;<'),
    NO_PART,
  ],
  [
    'with an entity from elsewhere',
    (xml) => xml.replace('?>', '?><!DOCTYPE l [<!ENTITY e SYSTEM "file:///etc/hostname">]>').replace('>7<', '>&e;<'),
    NO_PART,
  ],
  [
    'with entities of entities of entities',
    (xml) =>
      xml.replace(
        '?>',
        `?><!DOCTYPE l [<!ENTITY a "aaaaaaaaaa">${['b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'].map((name, at) => `<!ENTITY ${name} "${`&${'abcdefgh'[at]};`.repeat(10)}">`).join('')}]>`,
      ),
    NO_PART,
  ],
  ['with an undeclared entity', (xml) => xml.replace('>7<', '>&e;<'), unread('it refers to an entity')],
  ['with a processing instruction', (xml) => xml.replace('?>', '?><?xml-stylesheet href="x"?>'), NO_PART],
  ['with a CDATA section', (xml) => xml.replace('>7<', '><![CDATA[7]]><'), NO_PART],
  ['that begins with a byte order mark', (xml) => `\ufeff${xml}`, NO_PART],
  ['that declares another encoding', (xml) => xml.replace('UTF-8', 'ISO-8859-1'), NO_PART],
  ['of another version of XML', (xml) => xml.replace('version="1.0"', 'version="1.1"'), NO_PART],
  [
    'with two elements of the same identifier',
    (xml) => xml.replace('<SchemeInformation>', '<SchemeInformation Id="list">'),
    unread('two elements have the same identifier'),
  ],
  [
    'with an xml:id that equals another identifier',
    (xml) => xml.replace('<SchemeInformation>', '<SchemeInformation xml:id="list">'),
    unread('two elements have the same identifier'),
  ],
  [
    'with two SignedInfo, the right one first',
    (xml) => xml.replace(/<ds:SignedInfo>.*<\/ds:SignedInfo>/s, (all) => `${all}${all.replace('Id="reference" ', '')}`),
    unread('SignatureValue is missing'),
  ],
  [
    'with a second SignedInfo at its end',
    (xml) => xml.replace('</ds:Signature>', '<ds:SignedInfo/></ds:Signature>'),
    unread('SignedInfo appears twice'),
  ],
  [
    'whose signature is deeper',
    (xml) => xml.replace(/(<ds:Signature .*<\/ds:Signature>)/s, '<x>$1</x>'),
    unread('Signature is missing'),
  ],
  [
    'with an attribute twice',
    (xml) => xml.replace(' Id="list"', ' Id="list" Id="list"'),
    unread('an attribute appears twice'),
  ],
  [
    'with an undeclared prefix',
    (xml) =>
      xml
        .replace('<SchemeInformation>', '<y:SchemeInformation>')
        .replace('</SchemeInformation>', '</y:SchemeInformation>'),
    unread('a prefix is not declared'),
  ],
  ['with something behind its end', (xml) => `${xml}<x/>`, unread('there is content outside the root element')],
  ['cut short', (xml) => xml.slice(0, -26), unread('an element does not end')],
]
for (const [title, document, why] of inDocument) {
  test(`a list ${title} is refused`, async () => {
    const changed = mint({ document })
    assert.notDeepEqual(changed, mint({}), 'the case changes the document')
    assert.equal(await reading(changed), why)
  })
}

test('a list in UTF-16, in Latin-1 or in broken UTF-8 is refused', async () => {
  const xml = mint().toString()
  assert.equal(await reading(Buffer.from(`\ufeff${xml}`, 'utf16le')), unread('it is not UTF-8 text'))
  assert.equal(await reading(Buffer.from(xml, 'latin1')), unread('it is not UTF-8 text'))
  assert.equal(await reading(Buffer.from(`${xml}\0`)), unread('it has a character that XML does not have'))
})
