// Tests certificate chains: which signer an anchor vouches for, at which cost, and what the cache keeps.

import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { LIMITS, newWork, PRICES, VERIFICATION, type WorkBudget } from '../../src/limits.ts'
import type { Anchor } from '../../src/trust/anchor.ts'
import { createChainCache } from '../../src/trust/cache.ts'
import { memoryOfCertificate, parseCertificate } from '../../src/trust/certificate.ts'
import { type ChainAnswer, type ChainQuestion, judgeChain } from '../../src/trust/chain.ts'
import type { Minted } from './mint-certificate.ts'
import { bytes, extension, extensionOf, keyUsage, mintCertificate, oids, sequence, tlv } from './mint-certificate.ts'
import { mintAuthority, mintSigner, NOW } from './mint-pki.ts'

const root = mintAuthority({ subject: { CN: 'Invented Root', C: 'UT' } })
const intermediate = mintAuthority({ subject: { CN: 'Invented Intermediate', C: 'UT' } }, root)
const signer = mintSigner(intermediate)
const direct = mintSigner(root)

test('trusts a signer under an anchor for its type, and names it', () => {
  const answer = judge([direct])
  assert.ok(answer.outcome === 'trusted')
  assert.deepEqual(answer.issuer, { common_name: 'Invented Issuer', country: 'UT' })
  assert.deepEqual(Buffer.from(answer.anchor.der), root.der)
  assert.deepEqual(issued(answer), [[direct.der, root.der]])
})

test('trusts a signer through an intermediate and names the issuer of each', () => {
  assert.deepEqual(issued(judge([signer, intermediate])), [
    [signer.der, intermediate.der],
    [intermediate.der, root.der],
  ])
})

test('finds the issuer of a pinned signer by its signature, among the anchors and the presented certificates', () => {
  const namesake = mintAuthority({ subject: { CN: 'Invented Root', C: 'UT' } })
  const alone = mintSigner(namesake)
  const issuerOfPinned = (chain: readonly Minted[], ...anchors: readonly Anchor[]) =>
    issued(judge(chain, { anchors: [...anchors, pinned(chain[0] ?? alone)] }))
  assert.deepEqual(issuerOfPinned([alone]), [[alone.der, null]])
  assert.deepEqual(issuerOfPinned([alone, root]), [[alone.der, null]])
  assert.deepEqual(issuerOfPinned([alone, root, namesake]), [[alone.der, namesake.der]])
  assert.deepEqual(issuerOfPinned([alone], { ...anchor(namesake), types: ['dc+sd-jwt:urn:other'] }), [
    [alone.der, namesake.der],
  ])
  const own = mintSigner(mintAuthority(), { subject: { CN: 'Self' } })
  const self = mintCertificate({ subject: { CN: 'Self' }, extensions: [extension.noAuthority()] })
  assert.deepEqual(issuerOfPinned([self]), [[self.der, self.der]])
  assert.deepEqual(issuerOfPinned([own]), [[own.der, null]])
})

test('returns the authority key identifiers of the chain, not of the anchor', () => {
  const id = Buffer.alloc(20, 7)
  const authority = mintAuthority({ extensions: [extension.authority(), extension.subjectKeyId(id)] })
  const leaf = mintSigner(authority, { extensions: [extension.authorityKeyId(id)] })
  const answer = judge([leaf], { anchors: [anchor(authority)] })
  assert.ok(answer.outcome === 'trusted')
  assert.deepEqual(answer.authorityKeyIds, [id.toString('base64url')])
})

test('does not return an authority key identifier if the issuer has no identifier to compare it with', () => {
  const id = Buffer.alloc(20, 7)
  const leafOf = (issuer: Minted) => mintSigner(issuer, { extensions: [extension.authorityKeyId(id)] })
  const idsOf = (chain: Minted[], anchors: Anchor[]) => {
    const answer = judge(chain, { anchors })
    assert.ok(answer.outcome === 'trusted')
    return answer.authorityKeyIds
  }
  const nameless = mintAuthority({ subject: { CN: 'Without an identifier' }, extensions: [extension.authority()] })
  assert.deepEqual(idsOf([leafOf(nameless)], [anchor(nameless)]), [])
  const middle = mintAuthority({ subject: { CN: 'Middle' }, extensions: [extension.authority()] }, root)
  assert.deepEqual(idsOf([leafOf(middle), middle], [anchor(root)]), [])
  // A pinned certificate is trusted with all its content.
  const chosen = leafOf(nameless)
  assert.deepEqual(idsOf([chosen], [pinned(chosen)]), [id.toString('base64url')])
})

test('trusts no certificate without anchors', () => refuses(judge([direct], { anchors: [] }), /no trust anchor/))

test('refuses an empty chain', () => refuses(judge([]), /no certificate/))

test('refuses an anchor that vouches for another type only', () => {
  refuses(judge([direct], { anchors: [{ ...anchor(root), types: ['dc+sd-jwt:urn:other'] }] }), /no trust anchor/)
  refuses(judge([direct], { anchors: [{ ...anchor(root), types: [] }] }), /no trust anchor/)
  assert.equal(judge([direct], { anchors: [{ ...anchor(root), types: ['dc+sd-jwt:*'] }] }).outcome, 'trusted')
})

test('refuses a self-signed signer that took the subject of the anchor (GHSA-4c2f-96cf-f5fc)', () => {
  const impostor = mintAuthority({ subject: { CN: 'Invented Root', C: 'UT' } })
  refuses(judge([impostor]), /./)
  refuses(judge([mintSigner(impostor)]), /signature/)
  refuses(judge([mintSigner(impostor), impostor]), /signature/)
})

test('refuses the anchor itself as a signer', () => refuses(judge([root]), /certification authority/))

test('refuses a signer whose issuer is not an authority', () => {
  refuses(judge([mintSigner(direct), direct]), /not a certification authority/)
})

test('refuses a signer that is itself an authority', () => {
  refuses(judge([intermediate]), /certification authority/)
})

test('refuses a chain out of order or with a gap', () => {
  refuses(judge([intermediate, signer]), /./)
  refuses(judge([signer]), /no trust anchor/)
  refuses(judge([signer, direct, intermediate]), /./)
})

test('refuses a chain of too many certificates before it reads any', () => {
  refuses(judge([signer, ...Array.from({ length: 50 }, () => intermediate)]), /too long/)
})

test('refuses a path longer than the authority allows', () => {
  const short = mintAuthority({ subject: { CN: 'Short Root' }, extensions: [extension.authority(0)] })
  const middle = mintAuthority({ subject: { CN: 'Middle' } }, short)
  const anchors = [anchor(short)]
  refuses(judge([mintSigner(middle), middle], { anchors }), /longer/)
  assert.equal(judge([mintSigner(short)], { anchors }).outcome, 'trusted')
})

test('checks time to the second, for signer, intermediate and anchor', () => {
  const from = Date.parse('2026-01-01T00:00:00Z') / 1000
  const until = Date.parse('2026-02-01T00:00:00Z') / 1000
  const window = { notBefore: '20260101000000Z', notAfter: '20260201000000Z' }
  const leaf = mintSigner(root, window)
  const middle = mintAuthority({ subject: { CN: 'Brief' }, ...window }, root)
  const brief = mintAuthority({ subject: { CN: 'Brief Root' }, ...window })
  const chains: [Minted[], Minted][] = [
    [[leaf], root],
    [[mintSigner(middle), middle], root],
    [[mintSigner(brief)], brief],
  ]
  for (const [chain, top] of chains) {
    const at = (time: number) => judge(chain, { at: time, anchors: [anchor(top)] })
    assert.equal(at(from).outcome, 'trusted')
    assert.equal(at(until + 0.9).outcome, 'trusted')
    refuses(at(from - 1), /not yet valid/)
    refuses(at(until + 1), /expired/, true)
    refuses(at(Number.NaN), /./)
  }
})

test('reports expired only if everything except the time is valid', () => {
  const impostor = mintAuthority({ subject: { CN: 'Invented Root', C: 'UT' } })
  refuses(judge([mintSigner(impostor, { notAfter: '20250201000000Z' })]), /signature/, false)
})

test('checks the time again although the chain is cached', () => {
  const cache = createChainCache(10)
  assert.equal(judge([signer, intermediate], { cache }).outcome, 'trusted')
  refuses(judge([signer, intermediate], { cache, at: NOW + 20 * 366 * 86_400 }), /expired/, true)
  assert.equal(judge([signer, intermediate], { cache }).outcome, 'trusted')
})

test('checks the anchors again although the chain is cached', () => {
  const cache = createChainCache(10)
  assert.equal(judge([direct], { cache }).outcome, 'trusted')
  const impostor = mintAuthority({ subject: { CN: 'Invented Root', C: 'UT' } })
  refuses(judge([direct], { cache, anchors: [anchor(impostor)] }), /signature/)
  refuses(judge([direct], { cache, anchors: [] }), /no trust anchor/)
})

test('an anchor that was removed from a list is no longer trusted, even if the list is the same array', () => {
  const cache = createChainCache(10)
  const anchors = [anchor(root)]
  assert.equal(judge([direct], { cache, anchors }).outcome, 'trusted')
  anchors.pop()
  refuses(judge([direct], { cache, anchors }), /no trust anchor/)
})

const EXTENSIONS = Array.from({ length: 95 }, (_, at) =>
  extensionOf(`2a03${(4 + at).toString(16).padStart(2, '0')}`, false, tlv(0x04, Buffer.alloc(0))),
)

test('counts approximately the memory that a certificate occupies', () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const count = 300
  const ders = Array.from({ length: count }, (_, at) =>
    Buffer.from(
      mintCertificate({
        serial: Buffer.of(1, at >> 8, at & 255),
        extensions: EXTENSIONS,
        key: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
      }).der,
    ),
  )
  collect()
  const before = process.memoryUsage()
  const parsed = ders.map(parseCertificate)
  collect()
  const after = process.memoryUsage()
  const taken = (after.heapUsed + after.external - before.heapUsed - before.external) / count
  const [counted = 0] = parsed.map(memoryOfCertificate)
  assert.ok(taken > 10 * (ders[0]?.length ?? 0), `${taken}`)
  assert.ok(counted > 0.8 * taken && counted < 1.6 * taken, `${counted} for ${taken}`)
})

test('caches a limited number of certificates, and only certificates that an anchor vouches for', () => {
  const cache = createChainCache(2)
  for (let count = 0; count < 5; count++) judge([mintSigner(root)], { cache })
  assert.equal(cache.certificates.size(), 2)
  assert.equal(cache.links.size(), 2)
  // Caches fewer certificates if each takes more memory: because it is long, or has many parts.
  const large = [extensionOf('2a0304', false, tlv(0x04, Buffer.alloc(30_000)))]
  for (const certificate of [large, EXTENSIONS].map((extensions) =>
    parseCertificate(mintCertificate({ extensions }).der),
  )) {
    const { certificates, anchorSets } = createChainCache(20_000)
    for (const [kept, most] of [
      [certificates, 40_000_000],
      [anchorSets.certificates, 100_000_000],
    ] as const) {
      const keys = Array.from({ length: 20_000 }, (_, at) => `${at}`)
      for (const key of keys) kept.set(key, certificate)
      const memory = keys.filter((key) => kept.get(key) !== undefined).length * memoryOfCertificate(certificate)
      assert.ok(memory > most / 4 && memory <= most, `${memory}`)
    }
  }
  const fresh = createChainCache(2)
  judge([mintSigner(mintAuthority({ subject: { CN: 'Invented Root', C: 'UT' } }))], { cache: fresh })
  assert.equal(fresh.certificates.size() + fresh.links.size(), 0)
})

test('refuses an invalid signature', () => refuses(judge([mintSigner(root, { spoilSignature: true })]), /signature/))

test('refuses key identifiers that disagree', () => {
  const authority = mintAuthority({ extensions: [extension.authority(), extension.subjectKeyId(Buffer.alloc(20, 1))] })
  const leaf = mintSigner(authority, { extensions: [extension.authorityKeyId(Buffer.alloc(20, 2))] })
  refuses(judge([leaf], { anchors: [anchor(authority)] }), /key identifiers/)
})

const unprocessed: [string, Uint8Array, RegExp][] = [
  ['an unknown critical extension', extensionOf('2a0304', true, bytes('0500')), /critical/],
  ['name constraints, critical', extensionOf('551d1e', true, sequence()), /critical/],
  ['name constraints, not critical', extensionOf('551d1e', false, sequence()), /constraints/],
  ['policy constraints', extensionOf('551d24', false, sequence()), /constraints/],
  ['a critical subject key identifier', extension.subjectKeyId(Buffer.alloc(20, 3), true), /critical/],
]
for (const [title, entry, reason] of unprocessed) {
  test(`refuses ${title} in the signer, an intermediate or the anchor`, () => {
    refuses(judge([mintSigner(root, { extensions: [entry] })]), reason)
    const middle = mintAuthority({ extensions: [extension.authority(), entry], subject: { CN: 'Middle' } }, root)
    refuses(judge([mintSigner(middle), middle]), reason)
    const top = mintAuthority({ extensions: [extension.authority(), entry] })
    refuses(judge([mintSigner(top)], { anchors: [anchor(top)] }), reason)
  })
}

test('accepts policy rules that bind only callers that ask for a policy, critical or not', () => {
  for (const oidHex of ['551d36', '551d21']) {
    for (const critical of [true, false]) {
      const entry = extensionOf(oidHex, critical, bytes('020100'))
      const middle = mintAuthority({ extensions: [extension.authority(), entry], subject: { CN: 'Middle' } }, root)
      assert.equal(judge([mintSigner(middle), middle]).outcome, 'trusted')
    }
  }
})

test('accepts an unknown extension that is not critical', () => {
  const leaf = mintSigner(root, { extensions: [extensionOf('2a0304', false, bytes('0500'))] })
  assert.equal(judge([leaf]).outcome, 'trusted')
})

test('refuses a repeated extension', () => {
  const twice = [extension.keyUsage(keyUsage.digitalSignature), extension.keyUsage(keyUsage.keyAgreement)]
  refuses(judge([mintSigner(root, { extensions: twice })]), /cannot be read/)
})

test('refuses a signer whose key may not sign data', () => {
  refuses(judge([mintSigner(root, { extensions: [extension.keyUsage(keyUsage.keyAgreement)] })]), /may not sign/)
})

test('refuses a certificate of the same authority for another purpose', () => {
  for (const purpose of [oids.serverAuth, oids.readerAuth]) {
    const leaf = mintSigner(root, { extensions: [extension.purposes([purpose])] })
    refuses(judge([leaf]), /another purpose/)
    refuses(judge([leaf], { use: 'status' }), /another purpose/)
  }
  const listed = mintSigner(root, { extensions: [extension.purposes([oids.serverAuth, oids.mdlSigner])] })
  assert.equal(judge([listed]).outcome, 'trusted')
})

test('refuses a signer below an authority that is limited to another purpose', () => {
  const extensions = [extension.authority(), extension.purposes([oids.serverAuth])]
  const limited = mintAuthority({ subject: { CN: 'TLS Authority' }, extensions }, root)
  refuses(judge([mintSigner(limited), limited]), /another purpose/)
})

test('lets a signer of status lists sign status lists, and no credentials', () => {
  const leaf = mintSigner(root, { extensions: [extension.purposes(['2a030405'])] })
  assert.equal(judge([leaf], { use: 'status' }).outcome, 'trusted')
  refuses(judge([leaf]), /another purpose/)
  // Further purposes do not make a foreign purpose acceptable.
  const odd = mintSigner(root, { extensions: [extension.purposes([oids.serverAuth, '2a030405'])] })
  refuses(judge([odd], { use: 'status' }), /another purpose/)
})

test('accepts Ed25519 authorities', () => {
  const top = mintAuthority({ key: generateKeyPairSync('ed25519') })
  assert.equal(judge([mintSigner(top)], { anchors: [anchor(top)] }).outcome, 'trusted')
})

test('skips an unreadable anchor and uses the others', () => {
  const broken = { ...anchor(root), certificate: bytes('3000') }
  assert.equal(judge([direct], { anchors: [broken, anchor(root)] }).outcome, 'trusted')
  refuses(judge([direct], { anchors: [broken] }), /no trust anchor/)
})

test('HAIP refuses a chain that contains the anchor, and accepts it without', () => {
  refuses(judge([direct, root], { haip: true }), /contains the trust anchor/)
  assert.equal(judge([direct, root]).outcome, 'trusted')
  assert.equal(judge([direct], { haip: true }).outcome, 'trusted')
})

test('tries only anchors with the key identifier of the chain if many have the same name', () => {
  const subject = { CN: 'Invented Root', C: 'UT' }
  const key = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const known = (id: number) =>
    mintAuthority({ subject, key, extensions: [...AUTHORITY, extension.subjectKeyId(keyId(id))] })
  const issuing = known(99)
  const extensions = [extension.authorityKeyId(keyId(99)), extension.keyUsage(keyUsage.digitalSignature)]
  const leaf = mintSigner(issuing, { extensions })
  const under = (anchors: readonly Anchor[]) => {
    const budget = { work: newWork() }
    return { answer: judge([leaf], { anchors, budget }), spent: LIMITS.work - budget.work.left }
  }
  const namesakes = Array.from({ length: 20 }, (_, id) => anchor(known(id)))
  const alone = under([anchor(issuing)])
  const among = under([...namesakes, anchor(issuing)])
  assert.deepEqual([alone.answer.outcome, among.answer.outcome], ['trusted', 'trusted'])
  assert.equal(among.spent, alone.spent)
  const other = under(namesakes)
  assert.ok(other.answer.outcome === 'untrusted' && /key identifiers/.test(other.answer.detail))
  // An anchor without a key identifier is tried, too.
  const nameless = anchor(mintAuthority({ subject, key, extensions: AUTHORITY }))
  assert.equal(under([...namesakes, nameless]).answer.outcome, 'trusted')
})

test('tries anchors of one name while the budget lasts if the chain has no key identifier', () => {
  const subject = { CN: 'Namesake', C: 'UT' }
  const key = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const namesakes = Array.from({ length: 20 }, (_, at) =>
    anchor(mintAuthority({ subject, key, serial: Buffer.of(1, at), extensions: AUTHORITY })),
  )
  const issuing = mintAuthority({ subject, extensions: AUTHORITY })
  const leaf = mintSigner(issuing)
  const under = (left: number) => {
    const budget = { work: newWork(left) }
    const answer = judge([leaf], { anchors: [...namesakes, anchor(issuing)], budget })
    return { answer, spent: left - budget.work.left }
  }
  const { answer, spent } = under(LIMITS.work)
  assert.equal(answer.outcome, 'trusted')
  assert.ok(spent > 21 * (VERIFICATION + PRICES.anchor + PRICES.path), `${spent}`)
  const refused = under(spent - 1).answer
  assert.ok(refused.outcome === 'untrusted' && refused.overspent === true)
})

test("checking an anchor's types costs work, whether or not it vouches for them", () => {
  const subject = { CN: 'Namesake', C: 'UT' }
  const key = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const leaf = mintSigner(mintAuthority({ subject, extensions: AUTHORITY }))
  const takenFor = Array.from({ length: 50 }, (_, at) => `urn:other:${at}`)
  const under = (count: number, left: number = LIMITS.work) => {
    const anchors = Array.from({ length: count }, (_, at) =>
      anchor(mintAuthority({ subject, key, serial: Buffer.of(1, at), extensions: AUTHORITY })),
    )
    const budget = { work: newWork(left) }
    const question = {
      chain: [leaf.der],
      format: 'dc+sd-jwt',
      type: 'urn:invented',
      at: NOW,
      use: 'credential',
    } as const
    const answer = judgeChain({ ...question, takenFor }, { anchors, cache: createChainCache(9), haip: false }, budget)
    assert.ok(answer.outcome === 'untrusted')
    return { spent: left - budget.work.left, overspent: answer.overspent === true }
  }
  const { spent, overspent } = under(20)
  assert.equal(overspent, false)
  assert.equal(spent - under(1).spent, 19 * PRICES.anchor)
  assert.equal(under(20, spent - 1).overspent, true)
})

test('finds a fault in the presented chain before it tries any of many anchors with one name', () => {
  const subject = { CN: 'Namesake', C: 'UT' }
  const namesakes = Array.from({ length: 20 }, () => anchor(mintAuthority({ subject, extensions: AUTHORITY })))
  const middle = mintAuthority({ subject, extensions: [extension.noAuthority()] }, mintAuthority({ subject }))
  const chain = [mintSigner(middle), middle]
  const paths: string[] = []
  const seen = { get: (key: string) => void paths.push(key), set: () => undefined, size: () => 0 }
  refuses(
    judge(chain, { anchors: namesakes, cache: { ...createChainCache(20), paths: seen } }),
    /not a certification authority|signature/,
  )
  // Each anchor has the name of the signer's issuer, so 20 paths end there. The path over the second certificate tries none.
  assert.equal(paths.length, 20)
})

const AUTHORITY = [extension.authority(), extension.keyUsage(keyUsage.authority)]
const keyId = (id: number) => Buffer.alloc(20, id)

test('does not parse the other anchors again after one anchor changed', () => {
  const cache = createChainCache(20)
  const anchors = [anchor(root), anchor(intermediate)]
  const first = judge([direct], { anchors, cache })
  const second = judge([direct], {
    anchors: anchors.map((one) => ({ ...one, certificate: Buffer.from(one.certificate) })),
    cache,
  })
  assert.ok(first.outcome === 'trusted' && second.outcome === 'trusted')
  assert.equal(first.anchor, second.anchor)
})

test('HAIP refuses a self-signed signer even if it is pinned', () => {
  const lone = mintCertificate({ subject: { CN: 'Lone Signer' } })
  refuses(judge([lone], { haip: true, anchors: [pinned(lone)] }), /self-signed/)
  assert.equal(judge([lone], { anchors: [pinned(lone)] }).outcome, 'trusted')
})

test('trusts a pinned certificate byte for byte and nothing that looks like it', () => {
  const key = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const lone = mintCertificate({ subject: { CN: 'Lone Signer' }, key })
  const twin = mintCertificate({ subject: { CN: 'Lone Signer' }, key })
  const anchors = [pinned(lone)]
  assert.equal(judge([lone], { anchors }).outcome, 'trusted')
  refuses(judge([twin], { anchors }), /no trust anchor/)
  refuses(judge([mintSigner(lone)], { anchors }), /no trust anchor/)
  refuses(judge([mintSigner(lone), lone], { anchors }), /no trust anchor/)
  refuses(judge([lone], { anchors, type: 'urn:other' }), /no trust anchor/)
  refuses(judge([lone], { anchors, at: NOW + 20 * 366 * 86_400 }), /expired/, true)
})

test('a pinned certificate whose key may not sign is refused', () => {
  const lone = mintCertificate({ extensions: [extension.keyUsage(keyUsage.keyAgreement)] })
  refuses(judge([lone], { anchors: [pinned(lone)] }), /may not sign/)
})

test('a docType never matches a vct of the same spelling', () => {
  const mdoc = { ...anchor(root), types: ['mso_mdoc:urn:invented'] as const }
  const everyMdoc = { ...anchor(root), types: ['mso_mdoc:*'] as const }
  for (const anchors of [[mdoc], [everyMdoc]]) {
    refuses(judge([direct], { anchors }), /no trust anchor/)
    assert.equal(judge([direct], { anchors, format: 'mso_mdoc' }).outcome, 'trusted')
  }
})

test('trusts an exact certificate with any key usage and issuer, also under HAIP, for its type while it is valid', () => {
  const extensions = [extension.authority(), extension.keyUsage(keyUsage.authority)]
  const odd = mintAuthority({ subject: { CN: 'Signs itself' }, extensions })
  const exact = { ...anchor(odd), kind: 'exact' } as const
  for (const haip of [false, true]) {
    assert.equal(judge([odd], { anchors: [exact], haip }).outcome, 'trusted')
    refuses(judge([odd], { anchors: [pinned(odd)], haip }), /may not sign|self-signed/)
    refuses(judge([odd], { anchors: [{ ...exact, types: ['mso_mdoc:*'] }], haip }), /no trust anchor|self-signed/)
    assert.ok(judge([odd], { anchors: [exact], haip, at: NOW + 100 * 31_557_600 }).outcome === 'untrusted')
    // It vouches for itself and not for certificates that it signed.
    refuses(judge([mintSigner(odd)], { anchors: [exact], haip }), /no trust anchor/)
  }
})

interface Situation extends Partial<Omit<ChainQuestion, 'chain'>> {
  readonly anchors?: readonly Anchor[]
  readonly cache?: ReturnType<typeof createChainCache>
  readonly haip?: boolean
  readonly budget?: WorkBudget
}

function judge(chain: readonly Minted[], situation: Situation = {}): ChainAnswer {
  const { format = 'dc+sd-jwt', type = 'urn:invented', at = NOW, use = 'credential' } = situation
  const { anchors = [anchor(root)], cache = createChainCache(10), haip = false } = situation
  const input = { chain: chain.map(({ der }) => der), format, type, at, use }
  return judgeChain(input, { anchors, cache, haip }, situation.budget)
}

function issued(answer: ChainAnswer): unknown {
  assert.ok(answer.outcome === 'trusted')
  return answer.issued.map(({ certificate, issuer }) => [
    Buffer.from(certificate.der),
    issuer && Buffer.from(issuer.der),
  ])
}

function anchor(minted: Minted): Anchor {
  return { kind: 'ca', certificate: minted.der, types: ['dc+sd-jwt:urn:invented'], profile: 'generic' }
}

function pinned(minted: Minted): Anchor {
  return { ...anchor(minted), kind: 'pinned' }
}

function refuses(answer: ChainAnswer, reason: RegExp, expired = false): void {
  assert.ok(answer.outcome === 'untrusted')
  assert.match(answer.detail, reason)
  assert.equal(answer.expired, expired)
}
