// Tests which services count in a signed trusted list in XML: by kind, version, status and time.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NOW } from './mint-pki.ts'
import {
  AGE_LIST,
  canonicalList,
  certificateIdentity,
  isoTime,
  mintSignature,
  type ServicePlan,
  type TrustedListPlan,
} from './mint-trusted-list.ts'
import { readTrustedList } from './read-list.ts'
import { first, mint, named, reading, second, services, signer, terms, unread } from './trusted-list-world.ts'

test('reads the issuer, number and validity of a list, and its providers with their types', async () => {
  assert.deepEqual(await readTrustedList(mint(), terms()), {
    outcome: 'read',
    signerChain: [signer.der],
    list: {
      issuer: 'An invented authority',
      sequence: 7,
      issuedAt: NOW - 60,
      endsAt: NOW + 30 * 86_400,
      entries: [{ certificate: Buffer.from(first.der), docTypes: ['eu.europa.ec.av.1'], profile: 'generic' }],
      ended: [],
    },
  })
})

test('reads both types of the list of age attestation providers, and both versions of the format', async () => {
  assert.deepEqual(await reading(mint({ type: AGE_LIST.type.replace('http:', 'https:') })), named(first))
  assert.deepEqual(await reading(mint({ version: '5' })), named(first))
})

const NO_DATES = 'the list lacks its time of issue, its number, or the time of the next update'
const TYPE = 'the list does not say that it names providers of age attestations'
const contents: [string, Partial<TrustedListPlan>, string][] = [
  ['of a national list', { type: 'http://uri.etsi.org/TrstSvc/TrustedList/TSLType/EUgeneric' }, TYPE],
  ['of a list of lists', { type: 'http://uri.etsi.org/TrstSvc/TrustedList/TSLType/EUlistofthelists' }, TYPE],
  ['of no type', { type: '' }, TYPE],
  ['of version 4', { version: '4' }, 'the version of the list is not supported'],
  ['of version 7', { version: '7' }, 'the version of the list is not supported'],
  [
    'without a version',
    { list: (xml) => xml.replace(/<TSLVersionIdentifier>.*?<\/TSLVersionIdentifier>/, '') },
    unread('TSLVersionIdentifier is missing'),
  ],
  [
    'with two types',
    { list: (xml) => xml.replace(/<TSLType>.*?<\/TSLType>/, '$&$&') },
    unread('TSLType appears twice'),
  ],
  ['with no next update', { next: '' }, NO_DATES],
  ['that is closed', { next: '<NextUpdate></NextUpdate>' }, NO_DATES],
  ['with a next update that is not a time', { next: '<NextUpdate><dateTime>soon</dateTime></NextUpdate>' }, NO_DATES],
  [
    'whose next update is over',
    { next: `<NextUpdate><dateTime>${isoTime(NOW)}</dateTime></NextUpdate>` },
    'the list has expired',
  ],
  ['issued in the future', { issued: isoTime(NOW + 301) }, 'the list is issued in the future'],
  ['issued half a year ago', { issued: isoTime(NOW - 184 * 86_400) }, 'the list has expired'],
  ['with an unreadable time of issue', { issued: 'today' }, NO_DATES],
  ['with no number', { sequence: '' }, NO_DATES],
  ['with the number zero', { sequence: '0' }, NO_DATES],
  ['with a negative number', { sequence: '-1' }, NO_DATES],
  ['with a number beyond the safe integers', { sequence: '9'.repeat(30) }, NO_DATES],
  [
    'with a critical extension',
    {
      list: (xml) =>
        xml.replace(
          '</SchemeInformation>',
          '<SchemeExtensions><Extension Critical="true">x</Extension></SchemeExtensions>$&',
        ),
    },
    'the list has a critical extension that is not supported',
  ],
]
for (const [title, plan, why] of contents) {
  test(`a signed list ${title} is refused`, async () => assert.equal(await reading(mint(plan)), why))
}

const identity = certificateIdentity(second.der)
const critical = (flag: string) =>
  `<ServiceInformationExtensions><Extension${flag}>x</Extension></ServiceInformationExtensions>`
const history = `<ServiceHistory><ServiceHistoryInstance><ServiceTypeIdentifier>${AGE_LIST.service}</ServiceTypeIdentifier><ServiceDigitalIdentity>${identity}</ServiceDigitalIdentity><ServiceStatus>${AGE_LIST.recognized}</ServiceStatus></ServiceHistoryInstance></ServiceHistory>`
const without: [string, ServicePlan][] = [
  ['that is deprecated', { identity, status: AGE_LIST.deprecated }],
  ['that was withdrawn', { identity, status: 'http://uri.etsi.org/TrstSvc/TrustedList/Svcstatus/withdrawn' }],
  ['granted by another scheme', { identity, status: 'http://uri.etsi.org/TrstSvc/TrustedList/Svcstatus/granted' }],
  ['without a status', { identity, status: '' }],
  ['that is recognized from tomorrow on', { identity, since: isoTime(NOW + 86_400) }],
  ['known by the identifier of its key', { identity: '<DigitalId><X509SKI>AAAA</X509SKI></DigitalId>' }],
  ['known by its name', { identity: '<DigitalId><X509SubjectName>CN=Ages</X509SubjectName></DigitalId>' }],
  ['without an identity', { identity: '' }],
  ['that was recognized in the past', { status: AGE_LIST.deprecated, history }],
  ['with a critical extension', { identity, more: critical(' Critical="true"') }],
  ['with an extension that does not say whether it is critical', { identity, more: critical('') }],
]
for (const [title, service] of without) {
  test(`a service ${title} makes no provider trusted, and the other services stay trusted`, async () => {
    assert.deepEqual(await reading(mint({ services: [service, ...services] })), named(first))
  })
}

test('returns entries that do not count separately: unrecognized services, and providers with unknown critical extensions', async () => {
  const endedOf = async (bytes: Uint8Array) => {
    const read = await readTrustedList(bytes, terms())
    return (
      read.outcome === 'read' &&
      read.list.ended.map(({ docTypes, certificate }) => [docTypes, Buffer.from(certificate)])
    )
  }
  const ages = ['eu.europa.ec.av.1']
  const expected = named(second).map((certificate) => [ages, certificate])
  for (const [title, service] of without.filter(([, { identity: own }]) => own === identity))
    assert.deepEqual(await endedOf(mint({ services: [service, ...services] })), expected, title)
  const extensions = '<TSPInformationExtensions><Extension Critical="true">x</Extension></TSPInformationExtensions>'
  const list = (xml: string) => xml.replace('</TSPInformation>', `${extensions}$&`)
  assert.deepEqual(await endedOf(mint({ list, services: [{ identity }] })), expected)
})

test('refuses a list with a service of another type, whatever the status of the service', async () => {
  const foreign = ['http://uri.etsi.org/TrstSvc/Svctype/CA/QC', `${AGE_LIST.service}/other`, '']
  for (const type of foreign) {
    for (const status of [AGE_LIST.recognized, AGE_LIST.deprecated]) {
      assert.deepEqual(await readTrustedList(mint({ services: [{ identity, type, status }, ...services] }), terms()), {
        outcome: 'refused',
        detail:
          'the list was imported as one that names providers of age attestations, and has a service of another kind',
        mismatch: true,
      })
    }
  }
})

test('refuses a list with a service of another type by a provider that does not count', async () => {
  const foreign = `<TrustServiceProvider><TSPInformation><TSPInformationExtensions><Extension Critical="true">x</Extension></TSPInformationExtensions></TSPInformation><TSPServices><TSPService><ServiceInformation><ServiceTypeIdentifier>http://uri.etsi.org/TrstSvc/Svctype/CA/QC</ServiceTypeIdentifier><ServiceDigitalIdentity></ServiceDigitalIdentity><ServiceStatus>x</ServiceStatus><StatusStartingTime>${isoTime(NOW)}</StatusStartingTime></ServiceInformation></TSPService></TSPServices></TrustServiceProvider>`
  const list = (xml: string) => xml.replace('</TrustServiceProviderList>', `${foreign}$&`)
  const read = await readTrustedList(mint({ list }), terms())
  assert.ok(read.outcome === 'refused' && read.mismatch === true, JSON.stringify(read))
})

const lacking = (name: string) => (xml: string) => xml.replace(new RegExp(`<${name}>.*?</${name}>`), '')
const asEntities = (xml: string) =>
  xml.replaceAll('TrustServiceStatusList', 'ListOfTrustedEntities').replace('02231/v2#', '019602/v1#')
const otherLists: [string, Partial<TrustedListPlan>][] = [
  ['without a type', { list: lacking('TSLType') }],
  ['with a service without a type', { list: lacking('ServiceTypeIdentifier') }],
  ['of another type and an earlier version', { type: 'http://uri.etsi.org/TrstSvc/TrustedList/x', version: '4' }],
  ['of trusted entities', { list: asEntities }],
  ['without the tag of trusted lists', { list: (xml) => xml.replace(/ TSLTag="[^"]*"/, '') }],
]
for (const [title, plan] of otherLists) {
  test(`a signed list in XML ${title} is of another kind`, async () => {
    const canonical = canonicalList({ now: NOW, services, ...plan })
    const signature = mintSignature(signer, canonical, { now: NOW })
    const read = await readTrustedList(Buffer.from(canonical.replace(/<\/\w+>$/, `${signature}$&`)), terms())
    assert.ok(read.outcome === 'refused' && read.mismatch === true, JSON.stringify(read))
  })
}

test('a list of age attestation providers is refused if it was imported as another kind', async () => {
  for (const providers of ['pid', 'mdoc', 'public-attestation'] as const) {
    const read = await readTrustedList(mint(), { ...terms(), providers })
    assert.ok(read.outcome === 'refused' && read.mismatch === true, providers)
  }
})

test('a service with an extension that is not critical counts, with each of its certificates', async () => {
  const both = { identity: certificateIdentity(first.der) + identity, more: critical(' Critical="false"') }
  assert.deepEqual(await reading(mint({ services: [both] })), named(first, second))
})

test('a provider with a critical extension is not trusted', async () => {
  const extensions = '<TSPInformationExtensions><Extension Critical="true">x</Extension></TSPInformationExtensions>'
  assert.deepEqual(await reading(mint({ list: (xml) => xml.replace('</TSPInformation>', `${extensions}$&`) })), [])
})

test('a list without providers makes no provider trusted', async () => {
  const list = (xml: string) => xml.replace(/<TrustServiceProviderList>.*<\/TrustServiceProviderList>/s, '')
  assert.deepEqual(await reading(mint({ list })), [])
})

const spoiling: [string, ServicePlan, string][] = [
  [
    'a certificate that is not base64',
    { identity: '<DigitalId><X509Certificate>MII*</X509Certificate></DigitalId>' },
    'X509Certificate is not base64',
  ],
  [
    'an empty certificate',
    { identity: '<DigitalId><X509Certificate></X509Certificate></DigitalId>' },
    'X509Certificate is not base64',
  ],
  [
    'an element in a certificate',
    { identity: '<DigitalId><X509Certificate>AAAA<x></x>AAAA</X509Certificate></DigitalId>' },
    'X509Certificate contains more than text',
  ],
  ['an unreadable start of its status', { identity, since: 'once' }, 'StatusStartingTime is not a time'],
  [
    'two states',
    { identity, more: `<ServiceStatus>${AGE_LIST.deprecated}</ServiceStatus>` },
    'ServiceStatus appears twice',
  ],
  ['text between its elements', { identity, more: 'text' }, 'text where elements are expected'],
]
for (const [title, service, why] of spoiling) {
  test(`with one service with ${title}, nothing of the list is used`, async () => {
    assert.equal(await reading(mint({ services: [...services, service] })), unread(why))
  })
}
