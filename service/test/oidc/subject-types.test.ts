// Tests that an issuer that is trusted for one type of credential cannot sign in as a person of another type's issuer,
// and that clients from before keep their subjects until their merchant changes them.

import assert from 'node:assert/strict'
import test from 'node:test'
import { createIssuer, generateKey, type IssuerState, issue, issuerAnchors } from '@vidimus/wallet'
import { saveTemplate } from '../../src/core/templates/usecases/manage-templates.ts'
import { changeClient } from '../../src/features/oidc/usecases/manage-clients.ts'
import { readHostedPage } from '../../src/features/pages/usecases/read-hosted-page.ts'
import { addAnchor } from '../../src/features/trust/usecases/manage-anchors.ts'
import { comeBack, type TestClient, testClient, visit } from '../harness/openid-client.ts'
import { OPERATOR, testService } from '../harness/service.ts'
import { testWallet } from '../harness/wallet.ts'
import { respond, validBody } from '../wallet/verifications.ts'
import { authorizeUrl, CALLBACK, callToken, ownSecret, payloadOf } from './callers.ts'

const service = await testService()
const { deps } = service
const wallet = await testWallet(service)
const tenantId = await service.tenant({ name: 'Shop' })
const realm = { tenantId, environment: 'test' } as const
const now = () => Math.floor(service.clock.now() / 1000)

const DOCUMENTS = {
  pid: { kind: 'pid_mdoc', docType: 'eu.europa.ec.eudi.pid.1', nameSpace: 'eu.europa.ec.eudi.pid.1' },
  licence: { kind: 'mdl', docType: 'org.iso.18013.5.1.mDL', nameSpace: 'org.iso.18013.5.1' },
} as const
type Document = keyof typeof DOCUMENTS
const PERSON = ['given_name', 'family_name', 'birth_date']

/** Returns an issuer that is trusted for this document alone. Its signers have the name of the state's in both cases. */
async function trustedFor(document: Document): Promise<IssuerState> {
  const issuer = createIssuer({ base: `https://${document}.example`, now: now(), name: 'Federal Printer' })
  const type = `mso_mdoc:${DOCUMENTS[document].docType}` as const
  for (const anchor of issuerAnchors(issuer).filter(({ types }) => types.includes(type))) {
    const added = await addAnchor(deps, { owner: realm, ...anchor, types: [type], actor: OPERATOR })
    assert.equal(added.outcome, 'added', JSON.stringify(added))
  }
  return issuer
}

const issuers = { pid: await trustedFor('pid'), licence: await trustedFor('licence') }
service.clock.advance(5_001)
for (const [key, { docType, nameSpace }] of Object.entries(DOCUMENTS)) {
  const claims = PERSON.map((name) => ({ path: [nameSpace, name] }))
  const credential = { id: 'one', format: 'mso_mdoc', meta: { doctype_value: docType }, claims }
  const document = { title: key, query: { credentials: [credential] } }
  await saveTemplate(deps, { realm, actor: OPERATOR, key, document })
}

const shop = await testClient(service, tenantId, {
  ...{ redirectUris: [CALLBACK], templates: ['pid', 'licence'], defaultTemplate: 'pid' },
  ...{ subjectMode: 'derived', subjectClaims: PERSON },
})

/** Signs in with a document of the same person, from its issuer. */
async function subAt(client: TestClient, document: Document): Promise<string> {
  const url = authorizeUrl(client, { scope: `openid vidimus:${document}` })
  const { location, cookies } = await visit(service, url.pathname + url.search)
  const id = /^\/verify\/(ver_\w+)/.exec(location)?.[1] ?? assert.fail(location)
  const { walletUri } = await readHostedPage(deps, id)
  const { kind } = DOCUMENTS[document]
  const credentials = [issue(issuers[document], kind, { holderKey: generateKey(), now: now(), statusIndex: null })]
  const { json } = await respond(service, id, await validBody(wallet, await wallet.request(walletUri), { credentials }))
  const back = await comeBack(service, json.redirect_uri, cookies.at(-1)?.split(';')[0])
  const code = new URL(back.location).searchParams.get('code') ?? assert.fail(back.location)
  const { json: tokens } = await callToken(service, client, { ...ownSecret(client), code })
  return String(payloadOf(tokens.id_token).sub)
}

const setPerType = (client: TestClient, subjectPerType: boolean) =>
  changeClient(deps, {
    ...{ realm, actor: OPERATOR, id: client.client.id },
    change: (before) => ({ ...before, subjectPerType }),
  })

test('an issuer of another type with the same name and claims gives another subject', async () => {
  assert.equal(shop.client.subjectPerType, true)
  const [pid, licence] = [await subAt(shop, 'pid'), await subAt(shop, 'licence')]
  assert.notEqual(licence, pid)
  assert.deepEqual([await subAt(shop, 'pid'), await subAt(shop, 'licence')], [pid, licence])
})

test('a client from before keeps its subjects until it is changed; those of PIDs also after that', async () => {
  const own = await subAt(shop, 'licence')
  await setPerType(shop, false)
  const [pid, licence] = [await subAt(shop, 'pid'), await subAt(shop, 'licence')]
  assert.equal(licence, pid, 'the name of the issuer alone')
  await setPerType(shop, true)
  assert.deepEqual([await subAt(shop, 'pid'), await subAt(shop, 'licence')], [pid, own])
})

test('while a process of the release before is connected, new clients have the subjects that it computes', async (t) => {
  const setDefault = (isOn: boolean) =>
    deps.db.query({
      name: `test_default_${isOn}`,
      text: `alter table oidc_clients alter column subject_per_type set default ${isOn}`,
    })
  await setDefault(false)
  t.after(() => setDefault(true))
  const { client } = await testClient(service, tenantId, { redirectUris: [CALLBACK] })
  assert.equal(client.subjectPerType, false)
})
