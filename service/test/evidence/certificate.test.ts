// Tests the certificate of a verification: what it contains and leaves out, who gets it, and that it verifies offline.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { inflateSync } from 'node:zlib'
import decodeQR from 'qr/decode.js'
import { LANGUAGES } from '../../../labels/catalogue.ts'
import { readCertificate } from '../../../sdk/typescript/src/receipt.ts'
import { drawCertificate } from '../../src/features/certificates/domain/certificate.ts'
import { readFont } from '../../src/features/certificates/domain/pdf/font.ts'
import { receiptAddress } from '../../src/features/certificates/domain/receipt-address.ts'
import { CERTIFICATE_WORDS } from '../../src/features/certificates/domain/words.ts'
import { loadReceipt } from '../../src/features/transparency/store/receipts.ts'
import { growLog } from '../../src/features/transparency/usecases/grow-log.ts'
import { commandLine, commandLineWithoutStore } from '../harness/servers/command-line.ts'
import { assertRefused, testService } from '../harness/service.ts'
import { person } from '../harness/staff.ts'
import { testWallet } from '../harness/wallet.ts'
import { create } from '../wallet/verifications.ts'
import { createReceipts, receiptCases } from './receipt-cases.ts'
import { treeForgeries } from './tree-receipts.ts'

const service = await testService()
const together = await createReceipts(service, 'together')
const alone = await createReceipts(service)
const { one, key, tenant, keys, logKey } = alone
const folder = await mkdtemp(join(tmpdir(), 'vidimus-certificate-'))
after(() => rm(folder, { recursive: true, force: true }))
const { run: offline } = commandLineWithoutStore()
const keyFile = join(folder, 'keys.json')
await writeFile(keyFile, keys)

const certificateOf = (id: string, language?: string) =>
  service.call('GET', `/v1/verifications/${id}/certificate${language === undefined ? '' : `?language=${language}`}`, {
    key,
  })

/** Returns the text of the page from its glyphs, as copying or a screen reader gets it. */
async function textOf(pdf: string): Promise<string | null> {
  const path = join(folder, 'read.pdf')
  await writeFile(path, pdf, 'latin1')
  return promisify(execFile)('pdftotext', ['-layout', path, '-'])
    .then(({ stdout }) => stdout)
    .catch((error) => (error.code === 'ENOENT' ? null : assert.fail(error)))
}

describe('the certificate', () => {
  it('is a tagged PDF with its language, embedded fonts, and the receipt and proof attached', async () => {
    const answer = await certificateOf(one.id, 'de')
    assert.equal(answer.headers['content-type'], 'application/pdf')
    assert.match(String(answer.headers['content-disposition']), new RegExp(`certificate-${one.id}\\.pdf`))
    assert.match(answer.text, /^%PDF-1\.7\n[\n -~]*%%EOF\n$/)
    for (const part of ['/Lang (de)', '/MarkInfo << /Marked true >>', '/StructTreeRoot', '/FontFile2', '/ToUnicode'])
      assert.ok(answer.text.includes(part), part)
    assert.deepEqual(readCertificate(Buffer.from(answer.text)), { receipt: one.receipt, proof: one.proof })
    assert.equal((await certificateOf(one.id, 'de')).text, answer.text, 'the same bytes each time')
    // The table of objects leads to each of them.
    const table = answer.text.slice(Number(/startxref\n(\d+)/.exec(answer.text)?.[1]))
    for (const [i, [, offset]] of [...table.matchAll(/^(\d{10}) 00000 n /gm)].entries())
      assert.ok(answer.text.startsWith(`${i + 1} 0 obj\n`, Number(offset)))
  })

  it('says in six languages what was asked, by whom and with which outcome, and nothing of the answer', async (t) => {
    for (const language of LANGUAGES) {
      const text = await textOf((await certificateOf(one.id, language)).text)
      if (text === null) return t.diagnostic('no pdftotext on this machine')
      const words = CERTIFICATE_WORDS[language]
      for (const expected of [
        words.title,
        words.accepted,
        words.test,
        'Grünhof',
        one.id,
        '18',
        'verify.example.com/log',
      ])
        assert.ok(text.includes(expected), `${language}: ${expected}`)
      assert.doesNotMatch(text, /Mustermann|Erika|true|1984/)
    }
  })

  it('is available after an erasure, and never has the purpose, in which a merchant may have named a person', async () => {
    const created = await create(service, key, { template: 'age_over_18', purpose: 'Wine for Erika' })
    await (await testWallet(service)).present(created.wallet_uri)
    assertRefused(await certificateOf(created.id), 503, 'unavailable')
    await growLog(service.deps)
    const before = await textOf((await certificateOf(created.id)).text)
    const erased = await service.call('DELETE', `/v1/verifications/${created.id}`, { key })
    assert.equal(erased.status, 200, erased.text)
    const answer = await certificateOf(created.id)
    assert.equal(answer.status, 200, answer.text)
    const text = await textOf(answer.text)
    for (const one of [before, text]) if (one !== null) assert.doesNotMatch(one, /Erika/)
  })

  it('does not say which value of a claim was requested', async () => {
    const claims = [{ path: ['family_name'], values: ['Mustermann'] }]
    const pid = { id: 'pid', format: 'dc+sd-jwt', meta: { vct_values: ['urn:eudi:pid:1'] }, claims }
    const created = await create(service, key, { query: { credentials: [pid] } })
    await (await testWallet(service)).present(created.wallet_uri)
    await growLog(service.deps)
    const text = await textOf((await certificateOf(created.id)).text)
    if (text === null) return
    assert.match(text, /Family name/)
    assert.doesNotMatch(text, /Mustermann/)
  })

  it('belongs to its tenant and environment; pending verifications have none; unknown languages are refused', async () => {
    const other = await service.key(await service.tenant())
    const path = `/v1/verifications/${one.id}/certificate`
    assertRefused(await service.call('GET', path, { key: other }), 404, 'session_not_found')
    assertRefused(await service.call('GET', path), 401, 'invalid_api_key')
    const live = await service.key(tenant, { environment: 'live' })
    assertRefused(await service.call('GET', path, { key: live }), 404, 'session_not_found')
    assertRefused(await certificateOf((await create(service, key)).id), 404, 'session_not_found')
    assertRefused(await certificateOf(one.id, 'tlh'), 400, 'invalid_request')
  })

  it('is available in the dashboard and on the command line, too', async () => {
    const viewer = await person(service, tenant, 'viewer')
    const { json } = await viewer.call('GET', `@/verifications/${one.id}/certificate?language=fr`)
    assert.deepEqual(json, { name: `certificate-${one.id}.pdf`, pdf: (await certificateOf(one.id, 'fr')).text })
    const stranger = await person(service, await service.tenant(), 'owner')
    assertRefused(await stranger.call('GET', `@/verifications/${one.id}/certificate`), 404, 'session_not_found')
    const out = join(folder, 'out.pdf')
    const { run } = commandLine(service)
    const options = ['--tenant', tenant, '--environment', 'test', '--language', 'fr', '--out', out]
    assert.equal((await run('receipt', 'certificate', one.id, ...options)).code, 0)
    assert.equal(await readFile(out, 'latin1'), json.pdf)
    assert.equal((await run('receipt', 'certificate', 'ver_x', ...options)).code, 2)
  })

  it('has a code that leads to the page that verifies its receipt', async () => {
    const content = contentOf((await certificateOf(one.id)).text)
    const size = Math.round(176 / Number(/^(\S+) 0 0 \1 56 56 cm$/m.exec(content)?.[1]))
    const data = new Uint8Array((size * 4) ** 2 * 3).fill(255)
    const isDark = new Set<number>()
    for (const [, x, y, width] of content.matchAll(/^(\d+) (\d+) (\d+) 1 re$/gm))
      for (let column = 0; column < Number(width); column += 1)
        isDark.add((size - 1 - Number(y)) * size + Number(x) + column)
    for (let at = 0; at < data.length / 3; at += 1) {
      const [row, column] = [Math.floor(at / (size * 4) / 4), Math.floor((at % (size * 4)) / 4)]
      if (isDark.has(row * size + column)) data.fill(0, at * 3, at * 3 + 3)
    }
    const stored = await loadReceipt(service.deps.db, { tenantId: tenant, environment: 'test' }, one.id)
    const log = { index: stored?.leafIndex ?? -1, salt: stored?.leafSalt ?? null }
    const address = receiptAddress('https://verify.example.com', one.receipt, log)
    assert.equal(decodeQR({ width: size * 4, height: size * 4, data }), address)
  })

  it('stays one page, whatever a merchant wrote', async () => {
    const fonts = new URL('../../src/features/certificates/fonts/', import.meta.url)
    const load = async (file: string) => readFont('Test', await readFile(new URL(file, fonts)))
    const long = 'Wörter und 文字 '.repeat(200)
    const pdf = drawCertificate(
      {
        language: 'nl',
        merchant: long,
        isTest: true,
        verdict: 'rejected',
        reason: CERTIFICATE_WORDS.nl.checkText('https://verify.example.com'),
        request: Array.from({ length: 40 }, () => long),
        endedAtMs: 0,
        verificationId: one.id,
        issuer: 'https://verify.example.com',
        log: { index: Number.MAX_SAFE_INTEGER, origin: 'verify.example.com/log' },
        receiptHash: 'x'.repeat(43),
        receipt: one.receipt,
        proof: one.proof,
        page: 'https://verify.example.com/verify-receipt',
        qr: [[true]],
      },
      { F1: await load('noto-sans-regular.ttf'), F2: await load('noto-sans-semibold.ttf') },
    )
    assert.ok(readCertificate(Buffer.from(pdf)) !== null)
    assert.equal(drawnBelowTable(pdf), true)
  })
})

/** Returns the operators of the page. */
function contentOf(pdf: string): string {
  const stream = /\/Filter \[\/ASCIIHexDecode \/FlateDecode\] \/Length \d+ >>\nstream\n([0-9a-f]+)>/.exec(pdf)
  return inflateSync(Buffer.from(stream?.[1] ?? '', 'hex')).toString('latin1')
}

/** Returns whether the last row of the table is above the code, which is at the foot of the page. */
function drawnBelowTable(pdf: string): boolean {
  const content = contentOf(pdf)
  const rows = content.slice(content.indexOf('/TH '), content.lastIndexOf('/H2 '))
  const lowest = Math.min(...[...rows.matchAll(/^1 0 0 1 \S+ (\S+) Tm$/gm)].map(([, y]) => Number(y)))
  const heading = Number(/\/H2 [\s\S]*?1 0 0 1 \S+ (\S+) Tm/.exec(content.slice(content.lastIndexOf('/H2 ')))?.[1])
  return lowest > heading + 12
}

describe('vidimus receipt verify', () => {
  const verify = async (files: Readonly<Record<string, string>>) => {
    const paths = await Promise.all(
      Object.entries(files).map(async ([file, content]) => {
        const path = join(folder, file)
        await writeFile(path, content, file.endsWith('.pdf') ? 'latin1' : 'utf8')
        return path
      }),
    )
    const [main = '', proof] = paths
    const log = proof === undefined && !main.endsWith('.pdf') ? [] : ['--log-key', logKey]
    const args = ['--keys', keyFile, ...log, ...(proof === undefined ? [] : ['--proof', proof])]
    return offline('receipt', 'verify', main, ...args)
  }
  for (const [signed, trees] of Object.entries({ alone, together }))
    for (const { name, files, isGenuine } of receiptCases(trees.one, trees.two))
      it(`${isGenuine ? 'verifies' : 'refuses'} ${name}; signed ${signed}`, async () => {
        const ran = await verify(files)
        assert.equal(ran.code, isGenuine ? 0 : 1, `${ran.out}${ran.err}`)
        if (isGenuine)
          assert.match(ran.out, new RegExp(`${trees.one.id} \\(test\\) was accepted[\\s\\S]*is leaf \\d+ of the log`))
      })

  it('refuses forged paths of receipts with a shared signature', async () => {
    const { one: first, two: second, foreign } = together
    assert.equal((await verify({ 'receipt.jws': first.receipt })).code, 0)
    const why = { malformed: /it is not a receipt/, bad_signature: /its signature is not valid/ }
    for (const { name, jws, code } of treeForgeries(first.receipt, second.receipt, foreign.receipt)) {
      const ran = await verify({ 'receipt.jws': jws })
      assert.equal(ran.code, 1, name)
      assert.match(ran.err, why[code], name)
    }
  })

  it('requires the key of the log before it says anything about a certificate', async () => {
    const path = join(folder, 'certificate.pdf')
    await writeFile(path, one.certificate, 'latin1')
    const ran = await offline('receipt', 'verify', path, '--keys', keyFile)
    assert.deepEqual([ran.code, ran.out], [2, ''])
  })
})
