// Compares anchors, published lists and certificates with a set-up file.

import { docTypeOf } from '@vidimus/engine/formats'
import { isSameSoleType } from '../../../core/verifications/domain/provable.ts'
import {
  type AnchorView,
  addAnchor,
  anchorFacts,
  anchorProblem,
  findMixed,
  installCertificate,
  judgeCertificate,
  type Owner,
  readBlockingOfKey,
  removeAnchor,
  type SoleType,
} from '../../trust/index.ts'
import { anchorIdentity, certificateUse } from '../domain/read-trust.ts'
import type { AnchorEntry, CertificateEntry, TrustSetup } from '../domain/setup.ts'
import { planTrustLists } from './plan-trust-lists.ts'
import { ChangeRefused, noteProblem, type PlannedChange, type Planning } from './planned-change.ts'
import type { KnownTrust } from './read-installation.ts'

export async function planTrust(
  planning: Planning,
  owner: Owner,
  setup: TrustSetup,
  known: KnownTrust,
): Promise<PlannedChange[]> {
  const certificates: PlannedChange[] = []
  for (const entry of setup.certificates ?? [])
    certificates.push(...(await planCertificate(planning, owner, entry, known)))
  const anchors = await planAnchors(planning, owner, setup.anchors, known.anchors)
  return [...anchors, ...planTrustLists(planning, owner, setup.trustLists, known.trustLists), ...certificates]
}

type AnchorContent = Pick<AnchorView, 'kind' | 'profile' | 'types' | 'sole' | 'certificate'>

/** Changes the anchors of certificates that the file names. Only --prune removes other anchors. */
async function planAnchors(
  planning: Planning,
  owner: Owner,
  entries: TrustSetup['anchors'],
  known: KnownTrust['anchors'],
): Promise<PlannedChange[]> {
  if (entries === null) return []
  const alikeOf = (entry: AnchorEntry) => known.filter((one) => anchorIdentity(one) === anchorIdentity(entry))
  const isThere = (entry: AnchorEntry) => {
    const alike = alikeOf(entry)
    const isMarkedAlike = alike
      .filter((one) => one.sole !== undefined || isForDocuments(one))
      .every(({ sole = null }) => isSameSoleType(sole, entry.sole ?? null))
    return isMarkedAlike && typesOf(alike).join(' ') === entry.types.join(' ')
  }
  const kept = new Set(entries.filter(isThere).flatMap(alikeOf))
  const isNamed = (one: AnchorView) => entries.some((entry) => isSameSigner(one, entry))
  const removed = known.filter((one) => !kept.has(one) && (planning.prune || isNamed(one)))
  const added: PlannedChange[] = []
  for (const entry of entries.filter((one) => !isThere(one))) {
    const problem = await newAnchorProblem(planning, owner, entry, removed)
    if (problem !== null) noteProblem(planning, entry.path, problem)
    else added.push(anchorAdded(planning, owner, entry))
  }
  // Removals come first, so that at no time more is trusted than before or after the change.
  return [...removed.map((one) => anchorRemoved(planning, owner, one)), ...added]
}

async function newAnchorProblem(
  planning: Planning,
  owner: Owner,
  entry: AnchorEntry,
  removed: readonly AnchorView[],
): Promise<string | null> {
  const problem = anchorProblem({ ...entry, owner })
  if (problem !== null) return problem.problem
  const facts = anchorFacts(entry.certificate)
  if (facts === null) return 'the key of this certificate cannot be read'
  const blocking = await readBlockingOfKey(planning.deps, owner, facts.keySha256)
  const other = findMixed(
    { ...owner, types: entry.types },
    blocking.filter(({ id }) => !removed.some((one) => one.id === id)),
  )
  return other === null
    ? null
    : `${other.id} has the same key: an authority for registration certificates cannot vouch for credentials`
}

const isSameSigner = (one: AnchorContent, other: AnchorContent) =>
  Buffer.from(one.certificate).equals(Buffer.from(other.certificate))

/** The types of all anchors of one certificate, sorted and distinct. */
export const typesOf = (anchors: readonly Pick<AnchorContent, 'types'>[]): AnchorContent['types'] =>
  [...new Set(anchors.flatMap(({ types }) => types))].sort()

/** Only anchors for documents can have marks or contradict marks. */
export const isForDocuments = ({ types }: Pick<AnchorContent, 'types'>) =>
  types.some((type) => docTypeOf(type) !== null)

/** The sole type that all anchors for documents of one certificate share; null if they differ. */
export function soleOf(anchors: readonly (Pick<AnchorContent, 'types'> & { readonly sole?: SoleType | null })[]) {
  const documents = anchors.filter(isForDocuments)
  const sole = documents[0]?.sole ?? null
  return documents.every((one) => isSameSoleType(one.sole ?? null, sole)) ? sole : null
}

function anchorAdded(planning: Planning, { environment }: Owner, entry: AnchorContent): PlannedChange {
  const { kind, profile, types, sole, certificate } = entry
  const content = { kind, profile, types, ...(sole === undefined ? {} : { sole }), certificate }
  return {
    action: 'add',
    what: 'anchor',
    environment,
    name: anchorFacts(certificate)?.subject ?? '',
    details: `${kind}, ${profile}: ${types.join(' ')}${sole === undefined ? '' : ', sole type'}`,
    async carryOut(deps, tenantId) {
      const input = { owner: { tenantId, environment }, ...content, actor: planning.actor }
      const added = await addAnchor(deps, input)
      if (added.outcome === 'refused') throw new ChangeRefused(added.problem)
      return {}
    },
  }
}

function anchorRemoved(planning: Planning, { environment }: Owner, { id, subject, types }: AnchorView): PlannedChange {
  return {
    action: 'remove',
    what: 'anchor',
    environment,
    name: subject,
    details: types.join(' '),
    async carryOut(deps) {
      // An anchor that was removed in the meantime is not an error.
      await removeAnchor(deps, { id, actor: planning.actor })
      return {}
    },
  }
}

/** Certificates are replaced, but never removed: each use has one current certificate. */
async function planCertificate(
  planning: Planning,
  owner: Owner,
  entry: CertificateEntry,
  known: KnownTrust,
): Promise<PlannedChange[]> {
  const { purpose, serviceId, chain, keyFile } = entry
  const { environment } = owner
  const current = known.certificates.find((one) => one.purpose === purpose && one.serviceId === serviceId)
  if (current !== undefined && isSameChain(current.chain, chain)) return []
  const privateKey = keyFile === null ? null : (planning.privateKeys.get(keyFile) ?? null)
  if (keyFile !== null && privateKey === null) {
    noteProblem(planning, [...entry.path, 'key_file'], 'this file cannot be read')
    return []
  }
  const judged = await judgeCertificate(planning.deps, { owner, purpose, serviceId, chain, privateKey })
  if ('problem' in judged) {
    noteProblem(planning, entry.path, judged.problem)
    return []
  }
  const change: PlannedChange = {
    action: current === undefined ? 'add' : 'change',
    what: 'certificate',
    environment,
    name: certificateUse(entry),
    details: judged.leaf.subject.replaceAll('\n', ', '),
    async carryOut(deps, tenantId) {
      const use = { owner: { tenantId, environment }, purpose, serviceId }
      const installed = await installCertificate(deps, { ...use, chain, privateKey, actor: planning.actor })
      if (installed.outcome === 'refused') throw new ChangeRefused(installed.problem)
      return {}
    },
  }
  return [change]
}

function isSameChain(one: readonly Uint8Array[], other: readonly Uint8Array[]): boolean {
  return one.length === other.length && one.every((der, at) => Buffer.from(der).equals(Buffer.from(other[at] ?? [])))
}
