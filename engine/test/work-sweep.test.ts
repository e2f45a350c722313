// Tests that no response is accepted with less budget than its cost, whichever step exceeds the budget.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deflateSync } from 'node:zlib'
import type { StatusAnswer, StatusSource, Trust } from '../src/expected.ts'
import { LIMITS, newBudget, newWork } from '../src/limits.ts'
import { parseQuery } from '../src/openid4vp/dcql.ts'
import { readList } from '../src/status/content.ts'
import { createChainCache } from '../src/trust/cache.ts'
import { verifyPresentation } from '../src/verify.ts'
import { expected, MDL, MDL_SPACE, mintMdoc } from './mdoc/mint-mdoc.ts'
import { crlNumber, mintCrl, mintCwt, pack } from './status/mint-status.ts'
import { extension, keyUsage, mintCertificate } from './trust/mint-certificate.ts'

const LIST = 'https://issuer.example/lists/1'
const OF_SIGNERS = 'https://issuer.example/crl'
const OF_LISTS = 'https://issuer.example/crl2'
const meta = { doctype_value: MDL }
const claims = [{ path: [MDL_SPACE, 'given_name'] }]
const query = parseQuery({ credentials: [{ id: 'licence', format: 'mso_mdoc', meta, claims }] })

const root = mintCertificate({
  subject: { CN: 'Root', C: 'UT' },
  extensions: [extension.authority(), extension.keyUsage(keyUsage.authority)],
})
const leaf = (CN: string, serial: number, crl: string) =>
  mintCertificate(
    {
      subject: { CN, C: 'UT' },
      extensions: [extension.noAuthority(), extension.keyUsage(keyUsage.digitalSignature), extension.crlAt(crl)],
      serial: Buffer.of(serial),
    },
    root,
  )
const signer = leaf('Signer of documents', 7, OF_SIGNERS)
const listSigner = leaf('Signer of lists', 6, OF_LISTS)

interface Situation {
  readonly ownList?: boolean
  readonly revoked?: 'document' | 'signer' | 'list signer'
  readonly pinned?: boolean
}

const SITUATIONS: Readonly<Record<string, Situation>> = {
  'all good': {},
  'all good, the list without a certificate': { ownList: true },
  'the document is revoked': { revoked: 'document' },
  'the signer is revoked': { revoked: 'signer' },
  'the signer of the list is revoked': { revoked: 'list signer' },
  'a pinned signer is revoked': { revoked: 'signer', pinned: true },
}

function served(bytes: Uint8Array, kind: StatusSource['kind'], contentType: string): StatusAnswer {
  const content = readList(bytes, kind)
  assert.ok(content !== null)
  return { outcome: 'fetched', bytes, content, contentType, stale: false }
}

function answersIn({ ownList, revoked }: Situation): ReadonlyMap<string, StatusAnswer> {
  const lst = deflateSync(pack(revoked === 'document' ? { 5: 1 } : {}))
  const statuses = new Map<number, unknown>([
    [2, LIST],
    [65533, { bits: 1, lst }],
  ])
  const headers = new Map(ownList === true ? [[33, undefined]] : [])
  const list = mintCwt({ by: ownList === true ? signer : listSigner, headers, claims: statuses })
  const crl = (serial: number | null) => {
    const entries = serial === null ? [] : [{ serial: Buffer.of(serial) }]
    return served(mintCrl({ by: root, revoked: entries, extensions: [crlNumber] }), 'crl', 'application/pkix-crl')
  }
  return new Map([
    [LIST, served(list, 'status_list_cwt', 'application/statuslist+cwt')],
    [OF_SIGNERS, crl(revoked === 'signer' ? 7 : null)],
    [OF_LISTS, crl(revoked === 'list signer' ? 6 : null)],
  ])
}

for (const [name, situation] of Object.entries(SITUATIONS))
  for (const statusPolicy of ['prefer', 'require'] as const)
    test(`${name}, under ${statusPolicy}: no budget below the cost of the response accepts it`, async () => {
      const answers = answersIn(situation)
      const isPinned = situation.pinned === true
      const status = { status_list: { idx: 5, uri: LIST } }
      const document = mintMdoc({
        signer,
        issuerAuth: ({ unprotected }) => void unprotected.set(33, isPinned ? [signer.der, root.der] : signer.der),
        mso: (members) => ({ ...members, status }),
      })
      const certificate = isPinned ? signer.der : root.der
      const judge = async (left: number) => {
        const budget = newBudget(newWork(left))
        const trust: Trust = {
          anchors: [{ kind: isPinned ? 'pinned' : 'ca', certificate, types: [`mso_mdoc:${MDL}`], profile: 'generic' }],
          statusPolicy,
          haip: false,
          cache: createChainCache(50),
          fetchStatus: async ({ uri }) => answers.get(uri) ?? { outcome: 'unavailable', reason: 'nothing is served' },
        }
        const verdict = await verifyPresentation({ licence: [document] }, { ...expected, query }, trust, budget)
        return { outcome: verdict.outcome, cost: left - budget.work.left }
      }
      const { outcome, cost } = await judge(LIMITS.work)
      const isGood = situation.revoked === undefined
      const isTolerated = situation.revoked === 'list signer' && statusPolicy === 'prefer'
      assert.equal(outcome, isGood || isTolerated ? 'accepted' : 'rejected')
      assert.equal((await judge(cost)).outcome, outcome)
      for (let left = 0; left < cost; left++)
        assert.equal((await judge(left)).outcome, 'rejected', `${left} of ${cost}`)
    })
