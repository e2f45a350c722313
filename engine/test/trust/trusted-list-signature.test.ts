// Tests signatures of trusted lists in XML: services count only if the configured certificate signed exactly this document.

import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import type { StatusAnswer } from '../../src/expected.ts'
import { mintCrl } from '../status/mint-status.ts'
import { extension, keyUsage } from './mint-certificate.ts'
import { mintAuthority, mintSigner, NOW } from './mint-pki.ts'
import { canonicalList, certificateIdentity, DS, mintSignature } from './mint-trusted-list.ts'
import { readTrustedList } from './read-list.ts'
import {
  first,
  mint,
  named,
  operator,
  reading,
  rsa,
  rsaSigner,
  services,
  signer,
  terms,
  UNSIGNED,
  unread,
} from './trusted-list-world.ts'

const attacker = mintSigner(mintAuthority({ subject: { CN: 'Operators of lists' } }))
const planted = mintAuthority({ subject: { CN: 'Planted' } })

for (const [title, by] of [
  ['elliptic', signer],
  ['RSA', rsaSigner],
] as const) {
  for (const hash of ['sha256', 'sha384', 'sha512'] as const) {
    test(`an ${title} key signs with ${hash}`, async () => {
      assert.deepEqual(await reading(mint({ hash, digest: hash }, by), by), named(first))
    })
  }
}

test('a reference to the whole list may use its Id, and the signed properties may be left out', async () => {
  assert.deepEqual(await reading(mint({ reference: '#list' })), named(first))
  const info = (whole: string) => whole.replace(/<ds:Reference Type=.*<\/ds:Reference>/, '')
  assert.deepEqual(await reading(mint({ info })), named(first))
})

const inSignedInfo: [string, (info: string) => string, string][] = [
  [
    'with XSLT',
    (info) => info.replace(`${DS}enveloped-signature`, 'http://www.w3.org/TR/1999/REC-xslt-19991116'),
    'its transforms are not supported',
  ],
  [
    'with XPath',
    (info) => info.replace(`${DS}enveloped-signature`, 'http://www.w3.org/TR/1999/REC-xpath-19991116'),
    'its transforms are not supported',
  ],
  [
    'with XPath filters',
    (info) => info.replace(`${DS}enveloped-signature`, 'http://www.w3.org/2002/06/xmldsig-filter2'),
    'its transforms are not supported',
  ],
  [
    'with base64',
    (info) => info.replace(`${DS}enveloped-signature`, `${DS}base64`),
    'its transforms are not supported',
  ],
  [
    'with an additional transform',
    (info) => info.replace('</ds:Transforms>', `<ds:Transform Algorithm="${DS}base64"></ds:Transform>$&`),
    'its transforms are not supported',
  ],
  [
    'with its transforms in another order',
    (info) => info.replace(/(<ds:Transform .*?<\/ds:Transform>)(<ds:Transform .*?<\/ds:Transform>)/, '$2$1'),
    'its transforms are not supported',
  ],
  [
    'with a reference that is not canonicalized',
    (info) => info.replace(/(<ds:Transform .*?<\/ds:Transform>)(<ds:Transform .*?<\/ds:Transform>)/, '$1'),
    'its transforms are not supported',
  ],
  [
    'with a reference canonicalized with comments',
    (info) => info.replace('xml-exc-c14n#"></ds:Transform>', 'xml-exc-c14n#WithComments"></ds:Transform>'),
    'its transforms are not supported',
  ],
  [
    'with a transform that has parameters',
    (info) =>
      info.replace(
        'xml-exc-c14n#"></ds:Transform>',
        'xml-exc-c14n#"><p:InclusiveNamespaces xmlns:p="http://www.w3.org/2001/10/xml-exc-c14n#" PrefixList="x"></p:InclusiveNamespaces></ds:Transform>',
      ),
    'Transform cannot be read',
  ],
  ['without any transform', (info) => info.replace(/<ds:Transforms>.*?<\/ds:Transforms>/, ''), 'Transforms is missing'],
  [
    'with its own canonicalization with comments',
    (info) => info.replace('xml-exc-c14n#"></ds:Can', 'xml-exc-c14n#WithComments"></ds:Can'),
    'its canonicalization is not supported',
  ],
  [
    'with inclusive canonicalization',
    (info) =>
      info.replace(
        'http://www.w3.org/2001/10/xml-exc-c14n#"></ds:Can',
        'http://www.w3.org/TR/2001/REC-xml-c14n-20010315"></ds:Can',
      ),
    'its canonicalization is not supported',
  ],
  [
    'with an HMACOutputLength',
    (info) => info.replace('</ds:SignatureMethod>', '<ds:HMACOutputLength>1</ds:HMACOutputLength>$&'),
    'SignatureMethod cannot be read',
  ],
  [
    'with two digests',
    (info) => info.replace(/<ds:DigestValue>.*?<\/ds:DigestValue>/, '$&$&'),
    'DigestValue is missing',
  ],
  ['without a URI', (info) => info.replace(' URI=""', ''), 'has no URI'],
  [
    'with something that is not a reference',
    (info) => info.replace('</ds:SignedInfo>', '<ds:Manifest></ds:Manifest>$&'),
    'is not a reference',
  ],
]
for (const [title, info, why] of inSignedInfo) {
  test(`a list that is signed ${title} is refused`, async () => {
    const detail = await reading(mint({ info: (whole) => changedBy(info, whole) }))
    assert.ok(typeof detail === 'string' && detail.includes(why), String(detail))
  })
}

function changedBy(change: (text: string) => string, text: string): string {
  const changed = change(text)
  assert.notEqual(changed, text, 'the case changes the document')
  return changed
}

test('a signature over anything but the whole list is refused', async () => {
  const empty = (whole: string) => whole.replace(/<ds:Reference Id=.*<\/ds:Reference>(?=<)/, '')
  const properties = (whole: string) => whole.replace(/<ds:Reference Id=.*?<\/ds:Reference>/, '')
  const twice = (whole: string) =>
    whole.replace(/<ds:Reference Id="reference" (.*?<\/ds:Reference>)/, '$&<ds:Reference $1')
  const alone = (whole: string) => twice(whole).replace(/<ds:Reference Type=.*?<\/ds:Reference>/, '')
  const propertiesTwice = (whole: string) => whole.replace(/<ds:Reference Type=.*?<\/ds:Reference>/, '$&$&')
  for (const info of [empty, properties, twice, alone, propertiesTwice])
    assert.equal(await reading(mint({ info: (whole) => changedBy(info, whole) })), UNSIGNED)
  for (const reference of [
    '#signature',
    '#properties',
    '#nobody',
    '#',
    'https://list.example/list.xml',
    '#xpointer(/)',
  ])
    assert.equal(await reading(mint({ reference })), UNSIGNED, reference)
})

test('the signed properties must be inside the signature, and occur once', async () => {
  const why = unread('the properties of the signature are missing')
  const info = (whole: string) => changedBy((text) => text.replace('URI="#properties"', 'URI="#others"'), whole)
  assert.equal(await reading(mint({ info })), why)
  const others = '<xades:SignedProperties Id="others"/>'
  const document = (xml: string) => changedBy((text) => text.replace('</xades:Qual', `${others}$&`), xml)
  assert.equal(await reading(mint({ document })), why)
})

/** An unsigned list that trusts the attacker's authority. The tests below put the signed list into it. */
const wrongList = canonicalList({ now: NOW, services: [{ identity: certificateIdentity(planted.der) }] })
const goodList = canonicalList({ now: NOW, services })
const wrongRoot = (id: string) => wrongList.replace('Id="list"', `Id="${id}"`)
const wrappings: [string, string, string][] = [
  ['moved inside an unsigned one', '', unread('Signature is missing')],
  ['moved inside an unsigned one, referenced by its Id,', '#list', unread('Signature is missing')],
]
for (const [title, reference, why] of wrappings) {
  test(`a signed list ${title} makes no provider trusted`, async () => {
    const signature = mintSignature(signer, goodList, { now: NOW, services, reference })
    const signed = goodList.replace('</TrustServiceStatusList>', `${signature}$&`)
    const wrapped = wrongRoot('other').replace('</TrustServiceStatusList>', `<Wrapped>${signed}</Wrapped>$&`)
    assert.equal(await reading(Buffer.from(wrapped)), why)
  })
}

test('an unsigned list with the signature of a list that it contains makes no provider trusted', async () => {
  for (const [reference, id] of [
    ['', 'other'],
    ['#list', 'other'],
    ['', 'list'],
    ['#list', 'list'],
  ] as const) {
    const signature = mintSignature(signer, goodList, { now: NOW, services, reference })
    const inObject = signature.replace('</ds:Signature>', `<ds:Object>${goodList}</ds:Object>$&`)
    const moved = `<Extra>${goodList}</Extra>${signature}`
    for (const end of [inObject, moved]) {
      const wrapped = wrongRoot(id).replace('</TrustServiceStatusList>', `${end}$&`)
      const why = id === 'list' ? unread('two elements have the same identifier') : UNSIGNED
      assert.equal(await reading(Buffer.from(wrapped)), why)
    }
  }
})

test('further elements in the signature are not part of the list', async () => {
  const document = (xml: string) => xml.replace('</ds:Signature>', `<ds:Object>${wrongRoot('other')}</ds:Object>$&`)
  assert.deepEqual(await reading(mint({ document })), named(first))
})

test('refuses weak hashes, weak keys and MACs', async () => {
  assert.equal(await reading(mint({ digest: 'sha1' })), unread('its digest method is not supported'))
  assert.equal(await reading(mint({ digest: 'md5' })), unread('its digest method is not supported'))
  assert.equal(
    await reading(mint({ hash: 'sha1' }, rsaSigner), rsaSigner),
    unread('its signature method is not supported'),
  )
  const hmac = 'http://www.w3.org/2001/04/xmldsig-more#hmac-sha256'
  const signWith = (info: Buffer) => createHmac('sha256', signer.der).update(info).digest()
  assert.equal(await reading(mint({ method: hmac, signWith })), unread('its signature method is not supported'))
  const weak = rsa(1024)
  assert.equal(await reading(mint({}, weak), weak), UNSIGNED)
  const pss = 'http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1'
  assert.equal(
    await reading(mint({ method: pss }, rsaSigner), rsaSigner),
    unread('its signature method is not supported'),
  )
  // This signature method is for another type of key than the signer's.
  const method = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256'
  assert.equal(await reading(mint({ method })), UNSIGNED)
})

test('trusts the configured certificate, and no certificate from the list', async () => {
  assert.equal(await reading(mint({}, attacker)), UNSIGNED)
  assert.equal(await reading(mint({ keyInfo: signer.der }, attacker)), UNSIGNED)
  // Other certificates under the same authority sign no list, even if the authority itself is configured.
  assert.equal(await reading(mint({}, mintSigner(operator))), UNSIGNED)
  assert.equal(await reading(mint(), operator), UNSIGNED)
  // The configured key decides, whatever KeyInfo contains.
  assert.deepEqual(await reading(mint({ keyInfo: attacker.der })), named(first))
  assert.deepEqual(
    await reading(mint({ document: (xml) => xml.replace(/<ds:KeyInfo>.*<\/ds:KeyInfo>/s, '') })),
    named(first),
  )
})

test('refuses a signer that is expired, not valid yet, or whose key may not sign data', async () => {
  const expired = mintSigner(operator, { notAfter: '20260101000000Z' })
  assert.equal(await reading(mint({}, expired), expired), UNSIGNED)
  const early = mintSigner(operator, { notBefore: '20270101000000Z' })
  assert.equal(await reading(mint({}, early), early), UNSIGNED)
  const agreeing = mintSigner(operator, { extensions: [extension.keyUsage(keyUsage.keyAgreement)] })
  assert.equal(await reading(mint({}, agreeing), agreeing), UNSIGNED)
})

test('refuses a signer that was revoked, or whose revocation cannot be checked', async () => {
  const serial = Buffer.of(0x44)
  const crl = 'https://lists.example/crl'
  const extensions = [extension.noAuthority(), extension.keyUsage(keyUsage.digitalSignature), extension.crlAt(crl)]
  const revocable = mintSigner(operator, { serial, extensions })
  const under = async (served: Uint8Array | null) => {
    const fetchStatus = async (): Promise<StatusAnswer> =>
      served === null
        ? { outcome: 'unavailable', reason: 'nothing is served there' }
        : { outcome: 'fetched', bytes: served, contentType: 'application/pkix-crl', stale: false }
    const read = await readTrustedList(mint({}, revocable), {
      ...terms(revocable),
      authority: operator.der,
      fetchStatus,
    })
    return read.outcome === 'read' ? 'read' : (read.signerRevoked ?? read.detail)
  }
  assert.equal(await under(mintCrl({ by: operator })), 'read')
  assert.equal(await under(mintCrl({ by: operator, revoked: [{ serial }] })), true)
  assert.equal(await under(null), "could not establish whether the list's signer has been revoked")
})

const signedWrongly: [string, (xml: string) => string][] = [
  ['another root', (xml) => xml.replaceAll('TrustServiceStatusList', 'TrustedList')],
  ['a root of another namespace', (xml) => xml.replace('02231/v2#', '02231/v3#')],
  ['another tag', (xml) => xml.replace('19612/TSLTag', '19612/Tag')],
]
for (const [title, list] of signedWrongly) {
  test(`${title}, signed by the list's signer, is not a list`, async () => {
    const canonical = changedBy(list, goodList)
    const end = /<\/\w+>$/.exec(canonical)?.[0] ?? ''
    const signature = mintSignature(signer, canonical, { now: NOW })
    const bytes = Buffer.from(`${canonical.slice(0, -end.length)}${signature}${end}`)
    assert.equal(await reading(bytes), 'what was signed is not a trusted list')
  })
}
