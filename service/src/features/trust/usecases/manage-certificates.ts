// Manages access certificates of the operator and of tenants: signing requests, installation, lists.

import { createPrivateKey, hash, type KeyObject, X509Certificate } from 'node:crypto'
import { clientIdOf, requestChainFault, signingPurposeFault } from '@vidimus/engine'
import type { AuditActor } from '../../../core/ports/audit.ts'
import { isIntendedUse } from '../../../core/registrations/domain/registration.ts'
import type { Realm } from '../../../core/tenants/domain/realm.ts'
import { loadTenant } from '../../../core/tenants/store/tenants.ts'
import type { Deps } from '../../../deps.ts'
import { newCertificateId } from '../../../platform/ids.ts'
import { KeyFailure } from '../../../platform/keys/key-provider.ts'
import { algorithmOf, localKey, type SigningKey } from '../../../platform/keys/signing-key.ts'
import { encodePinnedKey, openStoredKey } from '../../../platform/keys/stored-key.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import { type Environment, type Instant, instantOf } from '../../../platform/world.ts'
import { type Certificate, type CertificateView, hostOf, hostsOf, signsRequests } from '../domain/certificate.ts'
import type { CertificateUse } from '../domain/certificate-use.ts'
import { toPem } from '../domain/pem.ts'
import { refuseTrust, type TrustRefusal } from '../domain/problem.ts'
import { type Subject, subjectFault } from '../domain/subject.ts'
import { newSigningKey, signingRequest } from '../outbound/certificate.ts'
import {
  activateCertificate,
  insertWaitingCertificate,
  isUseTaken,
  keepSigningRequest,
  listAllCertificates,
  listCertificatesOf,
  loadAuthority,
  openCertificateKey,
  retireCertificate,
  type SealedCertificate,
  type NewCertificate as StoredCertificate,
} from '../store/certificates.ts'
import { lintForRegistration, nameRelyingParty } from './lint-certificates.ts'

type Needs = Pick<Deps, 'db' | 'clock' | 'random' | 'config' | 'audit' | 'remoteKeys'>

export type Requested = { readonly outcome: 'requested'; readonly id: string; readonly csr: string } | TrustRefusal

export async function requestCertificate(
  deps: Needs,
  input: CertificateUse & {
    readonly subject: Subject
    /** The waiting key that gets another request; absent: create a new key. */
    readonly waitingId?: string | undefined
    /** A key outside of this process, which is created there if missing; absent: a local key. */
    readonly keyReference?: string | undefined
    readonly actor?: AuditActor
  },
): Promise<Requested> {
  const { purpose, owner, actor = AT_THE_COMMAND_LINE } = input
  const unknown = await useProblem(deps, input)
  if (unknown !== null) return unknown
  const named = await nameRelyingParty(deps, input)
  if (named.outcome === 'refused') return named
  const { subject, serviceUri } = named
  const fault = subjectFault(subject, purpose)
  if (fault !== null) return fault
  const key =
    input.waitingId === undefined ? await freshKey(deps, input) : await waitingKeyOf(deps, input, input.waitingId)
  if (key === null) return notWaiting()
  if ('problem' in key) return key
  const { id } = key
  const request = await signingRequest(key.key, { subject, purpose, host: hostOf(deps.config.baseUrl), serviceUri })
  const isKept = await deps.db.transaction(async (tx) => {
    if (key.fresh !== null) await insertWaitingCertificate(tx, key.fresh, request)
    else if (!(await keepSigningRequest(tx, { id, tenantId: owner.tenantId, request }))) return false
    const now = instantOf(deps.clock.now())
    const object = { type: 'certificate', id }
    await deps.audit.record(tx, owner, { now, actor, action: 'certificate.requested', object })
    return true
  })
  return isKept ? { outcome: 'requested', id, csr: toPem('CERTIFICATE REQUEST', request) } : notWaiting()
}

class NoLongerWaits extends Error {}

const notWaiting = () => refuseTrust('not_waiting', 'no such key waits for its certificate')

async function freshKey(
  deps: Needs,
  input: CertificateUse & { readonly keyReference?: string | undefined },
): Promise<FoundKey | TrustRefusal> {
  if (input.keyReference === undefined) {
    const { privateKey, privateKeyBytes } = newSigningKey()
    return freshOf(waitingKey(deps, input, privateKeyBytes), localKey(privateKey))
  }
  try {
    const pinned = await deps.remoteKeys.findOrCreate(input.keyReference, 'ES256')
    return freshOf(waitingKey(deps, input, encodePinnedKey(pinned)), deps.remoteKeys.open(pinned))
  } catch (error) {
    if (!(error instanceof KeyFailure)) throw error
    return refuseTrust('no_private_key', `the key ${input.keyReference} cannot be used: ${error.message}`)
  }
}

/** Returns null if no key with this id waits for a certificate of this use and owner. */
async function waitingKeyOf(deps: Needs, use: CertificateUse, id: string): Promise<FoundKey | null> {
  const sealed = (await listWaiting(deps, use)).find((key) => key.id === id)
  return sealed === undefined ? null : { id, key: openKey(deps, sealed), fresh: null }
}

type Installation =
  | { readonly outcome: 'installed'; readonly id: string; readonly warnings: readonly string[] }
  | TrustRefusal

/** `privateKey` is PEM or DER PKCS #8. Without it, the certificate must belong to a waiting key. */
export async function installCertificate(
  deps: Needs,
  input: NewCertificate & { readonly actor: AuditActor },
): Promise<Installation> {
  const unknown = await useProblem(deps, input)
  if (unknown !== null) return unknown
  const judged = await judgeCertificate(deps, input)
  if ('problem' in judged) return judged
  const { leaf, key } = judged
  const now = instantOf(deps.clock.now())
  const installed = await deps.db
    .transaction((tx) => activate(deps, tx, { ...input, key, now }))
    .catch((error: unknown) => {
      if (isUseTaken(error)) return false
      if (error instanceof NoLongerWaits) return null
      throw error
    })
  if (installed === null) return notWaiting()
  if (!installed) return refuseTrust('installed_meanwhile', 'another certificate was installed at the same time')
  const named = hostsOf(leaf.subjectAltName).includes(hostOf(deps.config.baseUrl))
  const warning = `the certificate does not name ${hostOf(deps.config.baseUrl)}: tenants cannot use x509_san_dns with it`
  const found = await lintForRegistration(deps, { ...input, leaf: leaf.raw })
  const warnings = found.map(({ detail }) => detail)
  return {
    outcome: 'installed',
    id: key.id,
    warnings: named || input.purpose !== 'openid4vp' ? warnings : [warning, ...warnings],
  }
}

export interface NewCertificate extends CertificateUse {
  readonly chain: readonly Uint8Array[]
  readonly privateKey: Uint8Array | null
}

/** Judges whether the certificate could be installed, and finds its key. */
export async function judgeCertificate(
  deps: Needs,
  input: NewCertificate,
): Promise<{ readonly leaf: X509Certificate; readonly key: FoundKey } | TrustRefusal> {
  const { purpose, chain } = input
  const leaf = readable(chain)
  if (leaf === null) return refuseTrust('no_certificates', 'the file contains no certificates')
  const key = await keyFor(deps, input, leaf)
  if (key === 'unreadable') return refuseTrust('no_private_key', 'the file contains no private key (PKCS #8)')
  if (key === null)
    return refuseTrust(
      'no_key_waits',
      `no key waits for this certificate for ${purpose}; make one with \`vidimus certificate csr\`, or give its own`,
    )
  const nowSeconds = deps.clock.now() / 1000
  const fault = requestChainFault(chain, key.key.publicKey, nowSeconds) ?? signingPurposeFault(leaf.raw, purpose)
  return fault === null ? { leaf, key } : refuseTrust('certificate_unfit', fault)
}

async function useProblem(
  deps: Pick<Deps, 'db'>,
  { owner, serviceId = null }: CertificateUse,
): Promise<TrustRefusal | null> {
  if (owner.tenantId === null)
    return serviceId === null ? null : refuseTrust('service', 'services belong to a tenant: set --tenant')
  if ((await loadTenant(deps.db, owner.tenantId)) === null)
    return refuseTrust('no_tenant', `there is no tenant ${owner.tenantId}`)
  const isFit = serviceId === null || isIntendedUse(serviceId)
  return isFit ? null : refuseTrust('service', 'a service is named by 1 to 200 ASCII characters')
}

interface FoundKey {
  readonly id: string
  readonly key: SigningKey
  /** The key to store; null if the store already has it. */
  readonly fresh: StoredCertificate | null
}

const freshOf = (fresh: StoredCertificate, key: SigningKey): FoundKey => ({ id: fresh.id, key, fresh })

async function keyFor(
  deps: Needs,
  input: CertificateUse & { readonly privateKey: Uint8Array | null },
  leaf: X509Certificate,
): Promise<FoundKey | 'unreadable' | null> {
  if (input.privateKey !== null) {
    const privateKey = readPrivateKey(input.privateKey)
    if (privateKey === null) return 'unreadable'
    const bytes = new Uint8Array(privateKey.export({ format: 'der', type: 'pkcs8' }))
    return freshOf(waitingKey(deps, input, bytes), localKey(privateKey))
  }
  for (const sealed of await listWaiting(deps, input)) {
    const key = openKey(deps, sealed)
    if (key.publicKey.equals(leaf.publicKey)) return { id: sealed.id, key, fresh: null }
  }
  return null
}

const listWaiting = async (deps: Needs, use: CertificateUse): Promise<SealedCertificate[]> =>
  (await listAllCertificates(deps.db)).filter((key) => key.installedAt === null && isIn(key, use))

function openKey(deps: Needs, sealed: SealedCertificate): SigningKey {
  return openStoredKey(openCertificateKey(deps.db, sealed), deps.remoteKeys.open)
}

function readPrivateKey(bytes: Uint8Array): KeyObject | null {
  const key = Buffer.from(bytes)
  try {
    const read = createPrivateKey(bytes[0] === 0x30 ? { key, format: 'der', type: 'pkcs8' } : { key, format: 'pem' })
    return algorithmOf(read) === null ? null : read
  } catch {
    return null
  }
}

async function activate(
  deps: Needs,
  tx: Tx,
  input: CertificateUse & { chain: readonly Uint8Array[]; actor: AuditActor; key: FoundKey; now: Instant },
): Promise<boolean> {
  const { owner, chain, key, now } = input
  const current = (await listAllCertificates(tx)).find(
    (known) => isIn(known, input) && known.installedAt !== null && known.retiredAt === null,
  )
  if (current !== undefined && !(await retireCertificate(tx, { ...current, at: now }))) return false
  if (key.fresh !== null) await insertWaitingCertificate(tx, key.fresh, null)
  // The key was withdrawn in the meantime. Rolls back, so that the current certificate stays in use.
  if (!(await activateCertificate(tx, { id: key.id, tenantId: owner.tenantId, chain, at: now })))
    throw new NoLongerWaits()
  const object = { type: 'certificate', id: key.id }
  const details = outsideFacts(key.key)
  await deps.audit.record(tx, owner, { now, actor: input.actor, action: 'certificate.installed', object, ...details })
  return true
}

/** The reference and fingerprint of a key outside; empty for a local key. */
function outsideFacts({ reference, publicKey }: SigningKey) {
  if (reference === null) return {}
  const spki = publicKey.export({ format: 'der', type: 'spki' })
  return { details: { key: reference, spki_sha256: hash('sha256', spki, 'hex') } }
}

const AT_THE_COMMAND_LINE: AuditActor = { type: 'operator', id: 'cli' }

const isIn = (key: Certificate, { owner, purpose, serviceId = null }: CertificateUse) =>
  key.tenantId === owner.tenantId &&
  key.environment === owner.environment &&
  key.purpose === purpose &&
  key.serviceId === serviceId

export const listCertificates = async (deps: Pick<Deps, 'db'>): Promise<CertificateView[]> =>
  (await listAllCertificates(deps.db)).map(viewOf)

/** Reads certificates of the realm and of the operator that are not retired. */
export const readCertificates = async (deps: Pick<Deps, 'db'>, realm: Realm): Promise<CertificateView[]> =>
  (await listCertificatesOf(deps.db, realm)).map(viewOf)

function viewOf({ sealedKey: _, chain, ...key }: SealedCertificate): CertificateView {
  const leaf = readable(chain)
  return {
    ...key,
    state: key.installedAt === null ? 'waiting' : key.retiredAt === null ? 'current' : 'retired',
    subject: leaf === null ? null : oneLine(leaf.subject),
    issuer: leaf === null ? null : oneLine(leaf.issuer),
    hosts: hostsOf(leaf?.subjectAltName),
    clientId: leaf === null || !signsRequests(key.purpose) ? null : clientIdOf(leaf.raw, 'x509_hash'),
    validUntil: leaf === null ? null : instantOf(leaf.validToDate.getTime()),
  }
}

export interface CertificateExport
  extends Pick<CertificateView, 'id' | 'tenantId' | 'environment' | 'purpose' | 'provenance'> {
  /** PEM, leaf first, as in requests. */
  readonly chain: readonly string[]
  /** PEM of the private authority that issued a generated certificate; wallets must trust it. null: not generated. */
  readonly authority: string | null
}

/** Exports the public parts of certificates in use. */
export async function exportCertificates(deps: Pick<Deps, 'db'>): Promise<CertificateExport[]> {
  const current = (await listAllCertificates(deps.db)).filter(
    ({ installedAt, retiredAt }) => installedAt !== null && retiredAt === null,
  )
  const exported: CertificateExport[] = []
  for (const { id, tenantId, environment, purpose, provenance, chain } of current) {
    const authority = await authorityOf(deps, environment, chain)
    const pem = chain.map((der) => toPem('CERTIFICATE', der))
    exported.push({ id, tenantId, environment, purpose, provenance, chain: pem, authority })
  }
  return exported
}

/** Returns our own authority (PEM) if it signed the chain, otherwise null. */
async function authorityOf(deps: Pick<Deps, 'db'>, environment: Environment, chain: readonly Uint8Array[]) {
  const top = chain.at(-1)
  const authority = await loadAuthority(deps.db, environment)
  if (top === undefined || authority === null) return null
  const isOurs = new X509Certificate(top).verify(new X509Certificate(authority.certificate).publicKey)
  return isOurs ? toPem('CERTIFICATE', authority.certificate) : null
}

function waitingKey(
  deps: Needs,
  { owner, purpose, serviceId = null }: CertificateUse,
  privateKey: Uint8Array,
): StoredCertificate {
  return {
    id: newCertificateId(deps.random),
    ...owner,
    purpose,
    serviceId,
    provenance: 'installed',
    chain: [],
    createdAt: instantOf(deps.clock.now()),
    installedAt: null,
    retiredAt: null,
    privateKey,
  }
}

/** Returns the leaf if all certificates of the chain are readable. */
function readable(chain: readonly Uint8Array[]): X509Certificate | null {
  try {
    return chain.map((der) => new X509Certificate(der))[0] ?? null
  } catch {
    return null
  }
}

const oneLine = (name: string) => name.replaceAll('\n', ', ')
