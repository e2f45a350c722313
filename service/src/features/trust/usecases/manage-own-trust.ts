// Lets a tenant's owners change the trust and certificates of their realm, within limits.

import { X509Certificate } from 'node:crypto'
import type { ListProviders } from '@vidimus/engine'
import { docTypeOf } from '@vidimus/engine/formats'
import type { AuditActor } from '../../../core/ports/audit.ts'
import type { Realm } from '../../../core/tenants/domain/realm.ts'
import { lockTenantSettings } from '../../../core/tenants/store/settings.ts'
import type { Deps } from '../../../deps.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import { instantOf } from '../../../platform/world.ts'
import {
  type InstalledAnchor,
  isAddress,
  isVouchedType,
  REGISTERS,
  REGISTRATIONS,
  type TrustListKind,
} from '../domain/anchor.ts'
import type { CertificatePurpose } from '../domain/certificate.ts'
import { certificatesIn } from '../domain/pem.ts'
import { refuseTrust, type TrustRefusal } from '../domain/problem.ts'
import type { SoleType } from '../domain/sole-type.ts'
import type { Subject } from '../domain/subject.ts'
import { countAnchorsOf } from '../store/anchors.ts'
import { removeWaitingCertificate } from '../store/certificates.ts'
import { listTrustListsOf } from '../store/trust-lists.ts'
import { importTrustList, removeTrustList } from './import-trust-list.ts'
import { addAnchor, removeAnchor } from './manage-anchors.ts'
import { installCertificate, readCertificates, requestCertificate } from './manage-certificates.ts'
import { mayAddIssuers } from './may-add-issuers.ts'

/** Per tenant and environment. Owners cannot add anchors for registrations, because these decide what the tenant may request. */
export const OWN_ANCHORS_MAX = 50
const OWN_LISTS_MAX = 5
/** The most keys that may wait for their certificate. */
export const WAITING_KEYS_MAX = 10

export type Change = { readonly outcome: 'done'; readonly warnings: readonly string[] } | TrustRefusal

interface OwnerInput {
  readonly realm: Realm
  readonly actor: AuditActor
}

const done = (warnings: readonly string[] = []): Change => ({ outcome: 'done', warnings })

type AnchorNeeds = Pick<Deps, 'db' | 'clock' | 'random' | 'audit' | 'sandbox' | 'anchors'>

export async function addOwnAnchor(
  deps: AnchorNeeds,
  input: OwnerInput & {
    readonly certificate: string
    readonly kind: 'ca' | 'pinned'
    readonly profile: InstalledAnchor['profile']
    readonly types: readonly string[]
    /** The owners' declaration for their own realm: keys of this issuer sign only the single mdoc type in `types`. */
    readonly sole?: Omit<SoleType, 'docType'> | undefined
  },
): Promise<Change> {
  const { realm, actor, kind, profile } = input
  const problem = (await liveProblem(deps, realm)) ?? ownTypesProblem(input.types)
  if (problem !== null) return problem
  const [certificate, ...more] = certificatesIn(Buffer.from(input.certificate, 'utf8'))
  if (certificate === undefined || more.length > 0 || !isCertificate(certificate))
    return refuseTrust('one_certificate', 'paste one certificate, from BEGIN CERTIFICATE to END CERTIFICATE')
  const types = input.types.filter(isVouchedType)
  const sole = input.sole === undefined ? {} : { sole: { docType: soleDocType(types), ...input.sole } }
  const lateProblem = async (tx: Tx) => {
    await lockTenantSettings(tx, realm.tenantId)
    const { byHand } = await countAnchorsOf(tx, realm)
    if (byHand < OWN_ANCHORS_MAX) return null
    return refuseTrust('too_many_anchors', `${OWN_ANCHORS_MAX} are trusted already: remove one first`)
  }
  const added = await addAnchor(deps, { owner: realm, kind, profile, types, ...sole, certificate, actor, lateProblem })
  return added.outcome === 'added' ? done() : added
}

/** Finds the docType. `addAnchor` refuses `types` with none or several. */
const soleDocType = (types: readonly string[]) => types.map(docTypeOf).find((docType) => docType !== null) ?? ''

/** Returns false if the realm has no such anchor, or if it belongs to a list. */
export async function removeOwnAnchor(
  deps: AnchorNeeds,
  input: OwnerInput & { readonly id: string },
): Promise<boolean> {
  return (await removeAnchor(deps, input)) !== null
}

type ListNeeds = AnchorNeeds & Pick<Deps, 'egress' | 'statusLists' | 'trustListReader' | 'log'>

/** Fetches the list now, through the egress guard. Later the refresh job polls the list. */
export async function importOwnList(
  deps: ListNeeds,
  input: OwnerInput & {
    readonly kind: TrustListKind
    readonly providers: ListProviders
    readonly url: string
    /** PEM of the list's signer, and optionally of the authority that issued it. */
    readonly signer: string
    readonly types: readonly string[]
  },
): Promise<Change> {
  const { realm, actor, kind, providers, url } = input
  const problem = (await liveProblem(deps, realm)) ?? ownTypesProblem(input.types)
  if (problem !== null) return problem
  if (!isAddress(url)) return refuseTrust('address', 'the address must begin with https://')
  const [signer, signerAuthority = null, ...more] = certificatesIn(Buffer.from(input.signer, 'utf8'))
  const pasted = [signer, signerAuthority].flatMap((one) => (one == null ? [] : [one]))
  if (signer === undefined || more.length > 0 || !pasted.every(isCertificate))
    return refuseTrust(
      'signer_certificate',
      "paste the certificate of the list's signer, and optionally the authority that issued it",
    )
  const numberProblem = async (tx: Tx) => {
    const own = (await listTrustListsOf(tx, realm)).filter(({ tenantId }) => tenantId !== null)
    if (own.length < OWN_LISTS_MAX) return null
    return refuseTrust('too_many_lists', `${OWN_LISTS_MAX} lists are imported already: remove one first`)
  }
  const early = await numberProblem(deps.db)
  if (early !== null) return early
  const imported = await importTrustList(deps, {
    owner: realm,
    kind,
    providers,
    source: url,
    file: null,
    signer,
    signerAuthority,
    types: input.types.filter(isVouchedType),
    byOwner: true,
    // Again, because other lists may have been imported during the download.
    lateProblem: async (tx) => {
      await lockTenantSettings(tx, realm.tenantId)
      return numberProblem(tx)
    },
    actor,
  })
  return imported.outcome === 'loaded' ? done() : imported
}

export async function removeOwnList(deps: AnchorNeeds, input: OwnerInput & { readonly id: string }): Promise<boolean> {
  return removeTrustList(deps, input.id, input)
}

type CertificateNeeds = Pick<Deps, 'db' | 'clock' | 'random' | 'config' | 'audit' | 'sandbox' | 'remoteKeys'>

type CertificateRequest = { readonly outcome: 'requested'; readonly csr: string } | TrustRefusal

export async function requestOwnCertificate(
  deps: CertificateNeeds,
  input: OwnerInput & {
    readonly purpose: CertificatePurpose
    readonly subject: Subject
    /** A waiting key whose request was lost or is wrong; absent: create a new key. */
    readonly waitingId?: string | undefined
  },
): Promise<CertificateRequest> {
  const { realm, purpose, subject, waitingId, actor } = input
  const waiting = (await readCertificates(deps, realm)).filter(
    ({ tenantId, state }) => tenantId !== null && state === 'waiting',
  )
  if (waitingId === undefined && waiting.length >= WAITING_KEYS_MAX)
    return refuseTrust(
      'too_many_waiting',
      `${WAITING_KEYS_MAX} keys wait for their certificate already: install or withdraw one of them first`,
    )
  const serviceId = waiting.find(({ id }) => id === waitingId)?.serviceId ?? null
  const request = await requestCertificate(deps, { owner: realm, purpose, serviceId, subject, waitingId, actor })
  return request.outcome === 'refused' ? request : { outcome: 'requested', csr: request.csr }
}

/** Deletes a key that waits for its certificate. Returns false if the realm has no such key. */
export async function withdrawOwnKey(
  deps: Pick<Deps, 'db' | 'clock' | 'random' | 'audit'>,
  { realm, actor, id }: OwnerInput & { readonly id: string },
): Promise<boolean> {
  return deps.db.transaction(async (tx) => {
    if (!(await removeWaitingCertificate(tx, realm, id))) return false
    const now = instantOf(deps.clock.now())
    const object = { type: 'certificate', id }
    await deps.audit.record(tx, realm, { now, actor, action: 'certificate.withdrawn', object })
    return true
  })
}

/** Requires a waiting key, because owners must not upload a private key through a browser. */
export async function installOwnCertificate(
  deps: CertificateNeeds,
  input: OwnerInput & { readonly purpose: CertificatePurpose; readonly chain: string },
): Promise<Change> {
  const { realm, purpose, actor } = input
  const chain = certificatesIn(Buffer.from(input.chain, 'utf8'))
  const installed = await installCertificate(deps, { owner: realm, purpose, chain, privateKey: null, actor })
  return installed.outcome === 'refused' ? installed : done(installed.warnings)
}

async function liveProblem(deps: Pick<Deps, 'db'>, realm: Realm): Promise<TrustRefusal | null> {
  if (await mayAddIssuers(deps, realm)) return null
  return refuseTrust('by_operator_in_live', 'in live your operator adds issuers, or lets you do so')
}

function ownTypesProblem(types: readonly string[]): TrustRefusal | null {
  const isApart = types.some(
    (type) => type === REGISTRATIONS || type === REGISTERS || /^(?:rc-wrp|register)\+jwt:/.test(type),
  )
  if (!isApart) return null
  return refuseTrust('registrations_by_operator', 'only the operator can add authorities for registrations')
}

function isCertificate(der: Uint8Array): boolean {
  try {
    new X509Certificate(der)
    return true
  } catch {
    return false
  }
}
