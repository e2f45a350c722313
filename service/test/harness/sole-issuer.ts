// An issuer of one document type, trusted and marked as such by the operator: zero-knowledge proofs count under it.

import assert from 'node:assert/strict'
import { certificateBytes, createIssuer, type IssuerState } from '@vidimus/wallet'
import type { Deps } from '../../src/deps.ts'
import type { SoleType } from '../../src/features/trust/domain/sole-type.ts'
import { addAnchor, type NewAnchor } from '../../src/features/trust/usecases/manage-anchors.ts'

export const AGE_ALONE: SoleType = {
  docType: 'eu.europa.ec.av.1',
  nameSpace: 'eu.europa.ec.av.1',
  withoutStatus: true,
}
export const LICENCE_ALONE: SoleType = {
  docType: 'org.iso.18013.5.1.mDL',
  nameSpace: 'org.iso.18013.5.1',
  withoutStatus: false,
}

export async function trustSoleIssuer(
  deps: Deps,
  sole: SoleType | null,
  change: Partial<Pick<NewAnchor, 'owner' | 'types'>> & { readonly issuer?: IssuerState } = {},
): Promise<IssuerState> {
  const { docType } = sole ?? AGE_ALONE
  const now = Math.floor(deps.clock.now() / 1000)
  const issuer = change.issuer ?? createIssuer({ base: `https://${docType}.example`, now, name: `Signs ${docType}` })
  const added = await addAnchor(deps, {
    owner: change.owner ?? { tenantId: null, environment: 'test' },
    kind: 'ca',
    profile: 'iso-mdl',
    types: change.types ?? [`mso_mdoc:${docType}`],
    ...(sole === null ? {} : { sole }),
    certificate: certificateBytes(issuer.mdoc.authority),
    actor: { type: 'operator', id: 'test' },
  })
  assert.ok(added.outcome === 'added', JSON.stringify(added))
  return issuer
}
