// Keeps the sandbox registrar: authority, provider and register. Its state is plain JSON; callers pass the time.

import { mintAuthority, mintSigner } from '../authorities.ts'
import type { Identity } from '../pki.ts'
import type { IntendedUse, Party, PartyService } from './party.ts'
import { identifierOf, RegistrarRefused } from './party.ts'

export interface RegistrarState {
  /** The address of register, status list and lists of trusted entities; without a trailing slash. */
  readonly base: string
  /** Issues access certificates. */
  readonly access: Identity
  /** Signs registration certificates and their status list. */
  readonly provider: { readonly authority: Identity; readonly signer: Identity }
  /** Signs the register's answers. */
  readonly register: { readonly authority: Identity; readonly signer: Identity }
  /** Signs the lists of trusted entities. */
  readonly lists: Identity
  readonly parties: readonly Party[]
  /** Issued registration certificates with their index in the status list, oldest first. */
  readonly issued: readonly IssuedRegistration[]
}

export interface IssuedRegistration {
  readonly index: number
  readonly identifier: string
  readonly serviceIdentifier: string
  readonly intendedUseIdentifier: string
  readonly expiresAt: number
  readonly revoked: boolean
}

export const PARTIES_MAX = 50
/** The maximum length of one party as JSON. The register is read for every request, so its size is limited. */
const PARTY_LENGTH_MAX = 16_384
export const STATUS_LIST_SIZE = 4096

const DAY = 86_400
const YEARS = 3650

export function createRegistrar(options: {
  readonly base: string
  readonly now: number
  readonly name?: string
}): RegistrarState {
  const { base, now, name = 'Vidimus Sandbox Registrar' } = options
  const period = { notBefore: now - 60 * DAY, notAfter: now + YEARS * DAY }
  const authority = (role: string) =>
    mintAuthority({ country: 'DE', organization: name, commonName: `${name} ${role}` }, period)
  const signer = (above: Identity, role: string) =>
    mintSigner(above, { country: 'DE', organization: name, commonName: `${name} ${role}` }, period)
  const [provider, register, operator] = [
    authority('provider CA'),
    authority('register CA'),
    authority('list operator'),
  ]
  return {
    base,
    access: authority('access CA'),
    provider: { authority: provider, signer: signer(provider, 'registration certificates') },
    register: { authority: register, signer: signer(register, 'register') },
    lists: signer(operator, 'lists'),
    parties: [],
    issued: [],
  }
}

/** Adds a party, or replaces its registration. */
export function registerParty(state: RegistrarState, party: Party): RegistrarState {
  if (JSON.stringify(party).length > PARTY_LENGTH_MAX)
    throw new RegistrarRefused(`what is registered of a party has at most ${PARTY_LENGTH_MAX} characters`)
  const identifier = identifierOf(party)
  const others = state.parties.filter((known) => identifierOf(known) !== identifier)
  if (others.length >= PARTIES_MAX) throw new RegistrarRefused(`the register holds at most ${PARTIES_MAX} parties`)
  return { ...state, parties: [...others, party] }
}

/** Removes a party and revokes its registration certificates. */
export function removeParty(state: RegistrarState, identifier: string): RegistrarState {
  const party = partyOf(state, identifier)
  const issued = state.issued.map((one) => (one.identifier === identifierOf(party) ? { ...one, revoked: true } : one))
  return { ...state, issued, parties: state.parties.filter((known) => known !== party) }
}

/** Finds a party by its identifier in certificates, or by any of its identifiers in the register. */
export function findParty(state: RegistrarState, identifier: string): Party | null {
  const isNamed = (party: Party) =>
    identifierOf(party) === identifier || party.identifier.some((one) => one.identifier === identifier)
  return state.parties.find(isNamed) ?? null
}

export function partyOf(state: RegistrarState, identifier: string): Party {
  const party = findParty(state, identifier)
  if (party === null) throw new RegistrarRefused(`no party is registered as '${identifier}'`)
  return party
}

export function serviceOf(party: Party, serviceIdentifier: string): PartyService {
  const found = party.services.find((service) => service.serviceIdentifier === serviceIdentifier)
  if (found === undefined) throw new RegistrarRefused(`${party.tradeName} has no service '${serviceIdentifier}'`)
  return found
}

export function intendedUseOf(service: PartyService, intendedUseIdentifier: string): IntendedUse {
  const found = service.intendedUses.find((use) => use.intendedUseIdentifier === intendedUseIdentifier)
  if (found === undefined)
    throw new RegistrarRefused(`${service.serviceTradeName} has no intended use '${intendedUseIdentifier}'`)
  return found
}

export const serviceUri = (state: Pick<RegistrarState, 'base'>, identifier: string, serviceIdentifier: string) =>
  `${state.base}/wrp/${encodeURIComponent(identifier)}/services/${encodeURIComponent(serviceIdentifier)}`
