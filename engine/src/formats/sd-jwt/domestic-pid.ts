// Adds domestic PID types to a query (ARF Annex 2 PID_14), because some wallets compare types by name.

import type { DcqlQuery } from '../../openid4vp/dcql.ts'
import type { Anchor, VouchedType } from '../../trust/anchor.ts'
import { TYPES_MAX } from '../query-limits.ts'
import type { CredentialQuery } from '../table.ts'
import { SD_JWT } from './name.ts'

const EUROPEAN = 'urn:eudi:pid:1'
const DOMESTIC = /^urn:eudi:pid:[a-z]{2}:[0-9]{1,4}$/

const vouched = (type: string): VouchedType => `${SD_JWT}:${type}`
const vouchesForEuropean = (types: readonly VouchedType[]) =>
  types.includes(vouched(EUROPEAN)) || types.includes(vouched('*'))

const isForEuropean = (credential: CredentialQuery) =>
  credential.format === SD_JWT && credential.meta.vct_values.includes(EUROPEAN)

export const asksForPid = ({ credentials }: DcqlQuery): boolean => credentials.some(isForEuropean)

/**
 * Returns the domestic types of anchors that also vouch for the European type, so that naming them adds no trusted
 * issuer. Reads each anchor once, because a tenant can have thousands.
 */
export function domesticPidTypes(anchors: readonly Pick<Anchor, 'types'>[]): readonly string[] {
  const named = new Set<string>()
  const unsafe = new Set<string>()
  for (const { types } of anchors) {
    const side = vouchesForEuropean(types) ? named : unsafe
    for (const type of types.flatMap(domesticTypeOf)) side.add(type)
  }
  return [...named.difference(unsafe)].sort()
}

function domesticTypeOf(type: VouchedType): readonly string[] {
  const name = type.startsWith(vouched('')) ? type.slice(vouched('').length) : ''
  return DOMESTIC.test(name) ? [name] : []
}

/** Adds these types to each query for the European type. */
export function nameDomesticPids(query: DcqlQuery, types: readonly string[]): DcqlQuery {
  const credentials = query.credentials.map((credential): CredentialQuery => {
    if (credential.format !== SD_JWT || !isForEuropean(credential)) return credential
    const named = [...new Set([...credential.meta.vct_values, ...types])]
    return { ...credential, meta: { vct_values: named.slice(0, TYPES_MAX) } }
  })
  return { ...query, credentials }
}
