// Opens the sandbox: a test issuer with fictional people, a wallet and a registrar, trusted only in test.

import {
  createIssuer,
  crlUri,
  type IssuerState,
  issuerAnchors,
  issuerCrl,
  PERSON,
  renewSigners,
  SCENARIO_NAMES,
  SCENARIOS,
  statusListCwt,
  statusListJwt,
  statusListUri,
  TRANSACTION_MISBEHAVIOUR_NAMES,
  TRANSACTION_MISBEHAVIOURS,
} from '@vidimus/wallet'
import type { Deps } from '../../deps.ts'
import {
  keepSandboxState,
  REGISTERS,
  REGISTRATIONS,
  type Sandbox,
  type SandboxDocument,
  type TrustAnchor,
} from '../trust/index.ts'
import { openRegistrar } from './registrar.ts'
import { inspectLink, presentLink } from './test-wallet.ts'

export async function openSandbox(deps: Pick<Deps, 'db' | 'clock' | 'config'>): Promise<Sandbox> {
  const now = Math.floor(deps.clock.now() / 1000)
  const text = await keepSandboxState(deps, 'default', {
    make: () => JSON.stringify(createIssuer({ base: `${deps.config.baseUrl}/sandbox`, now })),
    renew: (kept) => JSON.stringify(renewSigners(JSON.parse(kept) as IssuerState, { now })),
  })
  const issuer = JSON.parse(text) as IssuerState
  const registrar = await openRegistrar(deps)
  const issuersDocument = cacheDocuments((uri, seconds) => documentAt(issuer, uri, seconds))
  const holder = { issuer, registrar }
  return {
    anchors: [
      ...issuerAnchors(issuer).map((anchor) => ({ ...anchor, sandbox: true as const })),
      anchorFor(registrar.provider, REGISTRATIONS),
      anchorFor(registrar.register, REGISTERS),
    ],
    documentAt: async (uri, nowMs) => issuersDocument(uri, nowMs) ?? (await registrar.documentAt(uri, nowMs)),
    registrar,
    scenarios: SCENARIO_NAMES.map((name) => {
      const { title, expected } = SCENARIOS[name]
      return { name, title, expected: expected.status === 'failed' ? expected.code : null }
    }),
    transactionScenarios: TRANSACTION_MISBEHAVIOUR_NAMES.map((name) => ({
      name,
      title: TRANSACTION_MISBEHAVIOURS[name].title,
      expected: TRANSACTION_MISBEHAVIOURS[name].expected,
    })),
    person: { name: `${PERSON.givenName} ${PERSON.familyName}`, cardNumber: '•••• 4242' },
    inspect: (walletUri, exchange, nowMs) => inspectLink(holder, walletUri, { exchange, nowMs }),
    present: (walletUri, options) => presentLink(holder, walletUri, options),
  }
}

/** Creates an anchor for this type only, so that the certificate cannot vouch for credentials. */
function anchorFor(certificate: Uint8Array, type: typeof REGISTRATIONS | typeof REGISTERS): TrustAnchor {
  return { kind: 'ca', certificate, types: [type], profile: 'generic' }
}

/** Finds a document by its address in a credential. The address has the base URL that the issuer was created with. */
function documentAt(issuer: IssuerState, uri: string, now: number): SandboxDocument | null {
  switch (uri) {
    case statusListUri(issuer.base, 'jwt'):
      return { bytes: Buffer.from(statusListJwt(issuer, now)), contentType: 'application/statuslist+jwt' }
    case statusListUri(issuer.base, 'cwt'):
      return { bytes: statusListCwt(issuer, now), contentType: 'application/statuslist+cwt' }
    case crlUri(issuer.base):
      return { bytes: issuerCrl(issuer, now), contentType: 'application/pkix-crl' }
    default:
      return null
  }
}

const CACHE_SECONDS = 60

/** Caches documents: signing a status list for every presentation would be the most expensive step. */
function cacheDocuments(
  make: (uri: string, seconds: number) => SandboxDocument | null,
): (uri: string, nowMs: number) => SandboxDocument | null {
  const known = new Map<string, { document: SandboxDocument; from: number }>()
  return (uri, nowMs) => {
    const seconds = Math.floor(nowMs / 1000)
    const remembered = known.get(uri)
    if (remembered !== undefined && seconds >= remembered.from && seconds < remembered.from + CACHE_SECONDS) {
      return remembered.document
    }
    const document = make(uri, seconds)
    if (document !== null) known.set(uri, { document, from: seconds })
    return document
  }
}
