// The sandbox registrar. Every call reads the stored state again, so that replicas and the command line agree.

import {
  type AccessRequest,
  accessCrl,
  answerRegister,
  certificateBytes,
  createRegistrar,
  identifierOf,
  issueAccessCertificate,
  issueRegistrationCertificate,
  REGISTRATION_DEFECTS,
  RegistrarRefused,
  type RegistrarState,
  type RegistrationDefect,
  readParty,
  registerKeys,
  registerKeysUri,
  registerParty,
  registrationStatusList,
  registrationStatusUri,
  removeParty,
  revokeRegistration,
  TRUSTED_LISTS,
  toPem,
  trustedList,
} from '@vidimus/wallet'
import type { Deps } from '../../deps.ts'
import {
  changeSandboxState,
  keepSandboxState,
  type RegistrarContent,
  type RegistrarOutcome,
  type RegistrationOrder,
  type SandboxDocument,
  type SandboxRegistrar,
  sandboxStateReader,
} from '../trust/index.ts'

const NAME = 'registrar'

export interface OpenedRegistrar extends SandboxRegistrar {
  /** The authority that certifies the signers of registration certificates, as DER. */
  readonly provider: Uint8Array
  /** The authority that certifies the signers of the register's responses, as DER. */
  readonly register: Uint8Array
  /** Returns the document at this address; null: the registrar has none there. */
  documentAt(uri: string, nowMs: number): Promise<SandboxDocument | null>
}

export async function openRegistrar(deps: Pick<Deps, 'db' | 'clock' | 'config'>): Promise<OpenedRegistrar> {
  const now = Math.floor(deps.clock.now() / 1000)
  const first = await keepSandboxState(deps, NAME, {
    make: () => JSON.stringify(createRegistrar({ base: `${deps.config.baseUrl}/sandbox/registrar`, now })),
    renew: (kept) => kept,
  })
  const { base, provider, register, lists, access } = JSON.parse(first) as RegistrarState
  const readText = sandboxStateReader(deps, NAME)
  let known: { readonly text: string; readonly state: RegistrarState } | null = null
  const read = async () => {
    const text = await readText()
    if (known?.text !== text) known = { text, state: JSON.parse(text) as RegistrarState }
    return known.state
  }
  const change = <Done extends object>(act: (state: RegistrarState) => { state: RegistrarState; done: Done }) =>
    orRefused(() =>
      changeSandboxState(deps, NAME, (text) => {
        const { state, done } = act(JSON.parse(text) as RegistrarState)
        return { text: JSON.stringify(state), result: done }
      }),
    )
  const pem = (identity: { readonly certificate: string }) => toPem(certificateBytes(identity))
  return {
    base,
    provider: certificateBytes(provider.authority),
    register: certificateBytes(register.authority),
    certificates: { lists: pem(lists), access: pem(access), provider: pem(provider.authority) },
    scenarios: Object.entries(REGISTRATION_DEFECTS).map(([name, title]) => ({ name, title })),
    documentAt: async (uri, nowMs) => (uri.startsWith(`${base}/`) ? documentOf(await read(), uri, nowMs) : null),
    registerParty: (party) =>
      change((state) => {
        const registered = readParty(party)
        return { state: registerParty(state, registered), done: { identifier: identifierOf(registered) } }
      }),
    remove: (identifier) => change((state) => ({ state: removeParty(state, identifier), done: {} })),
    certify: ({ nowMs, ...order }) =>
      orRefused(async () => {
        const request: AccessRequest = { ...order, now: Math.floor(nowMs / 1000) }
        return { chain: issueAccessCertificate(await read(), request) }
      }),
    issue: (order) => change((state) => issueTo(state, order)),
    revoke: (index) => change((state) => ({ state: revokeRegistration(state, index), done: {} })),
    list: async () => contentOf(await read()),
  }
}

function issueTo(state: RegistrarState, { nowMs, shape, scenario, ...order }: RegistrationOrder) {
  const defect = scenario === null ? null : defectNamed(scenario)
  const issued = issueRegistrationCertificate(state, {
    ...order,
    version: shape,
    now: Math.floor(nowMs / 1000),
    ...(defect === null ? {} : { defect }),
  })
  return { state: issued.state, done: { jwt: issued.jwt, index: issued.index } }
}

function defectNamed(name: string): RegistrationDefect {
  if (Object.hasOwn(REGISTRATION_DEFECTS, name)) return name as RegistrationDefect
  throw new RegistrarRefused(`a scenario is one of ${Object.keys(REGISTRATION_DEFECTS).join(', ')}`)
}

function documentOf(state: RegistrarState, uri: string, nowMs: number): SandboxDocument | null {
  const now = Math.floor(nowMs / 1000)
  const { pathname, search } = new URL(uri)
  const path = pathname.slice(new URL(state.base).pathname.length)
  if (path === '/wrp' || path.startsWith('/wrp/')) {
    const { body, ...answer } = answerRegister(state, { path, query: new URLSearchParams(search) }, now)
    return { ...answer, bytes: Buffer.from(body) }
  }
  const list = TRUSTED_LISTS.find((name) => path === `/lists/${name}.jwt`)
  if (list !== undefined) return { bytes: Buffer.from(trustedList(state, list, now)), contentType: 'application/jwt' }
  switch (uri) {
    case registrationStatusUri(state.base):
      return { bytes: Buffer.from(registrationStatusList(state, now)), contentType: 'application/statuslist+jwt' }
    case registerKeysUri(state.base):
      return { bytes: Buffer.from(JSON.stringify(registerKeys(state))), contentType: 'application/jwk-set+json' }
    case `${state.base}/access.crl`:
      return { bytes: accessCrl(state, now), contentType: 'application/pkix-crl' }
    case `${state.base}/access.crt`:
      return { bytes: certificateBytes(state.access), contentType: 'application/pkix-cert' }
    default:
      return null
  }
}

function contentOf({ parties, issued }: RegistrarState): RegistrarContent {
  return {
    parties: parties.map((party) => ({
      identifier: identifierOf(party),
      tradeName: party.tradeName,
      services: party.services.map(({ serviceIdentifier, intendedUses }) => ({
        identifier: serviceIdentifier,
        intendedUses: intendedUses.map(({ intendedUseIdentifier }) => intendedUseIdentifier),
      })),
    })),
    issued,
  }
}

async function orRefused<Done extends object>(work: () => Promise<Done>): Promise<RegistrarOutcome<Done>> {
  try {
    return { outcome: 'done', ...(await work()) }
  } catch (error) {
    if (error instanceof RegistrarRefused) return { outcome: 'refused', problem: error.message }
    throw error
  }
}
