// A zero-knowledge proof about an mdoc (EU TS13, ISO 18013-5 §10.3.4).

import { MDOC } from '../mdoc/name.ts'
import { namedElements } from '../mdoc/named-elements.ts'
import type { MdocQuery } from '../mdoc/query.ts'
import type { ProofRecord } from '../record.ts'
import { examineZk, listZk, PROVED, STATUS_NOT_PROVABLE } from './checks.ts'
import { flatMembers, ZK_SYSTEM } from './circuits.ts'
import { circuitsListed } from './listed-circuits.ts'
import { MDOC_ZK } from './name.ts'

export const mdocZk: ProofRecord<MdocQuery, typeof MDOC_ZK> = {
  kind: 'proof',
  name: MDOC_ZK,
  proves: MDOC,
  label: 'mdoc (zero-knowledge proof)',
  examine: examineZk,
  list: listZk,
  contentChecks: ['digests_valid'],
  // A proof contains nothing that the device itself signed.
  otherChecks: [],
  statusNotProvable: STATUS_NOT_PROVABLE,
  namedClaims: namedElements,
  proofId: (query) => (query.circuits === undefined ? null : zkProofId(query)),
  wireQuery: ({ circuits = [], claims, ...query }) => ({
    ...query,
    id: zkProofId(query),
    format: MDOC_ZK,
    meta: {
      ...query.meta,
      // EU TS13 reads the first three members; Google Wallet and Multipaz read the others. Each ignores unknown members.
      zk_system_type: circuits.map((circuit) => ({
        zkSystemId: circuit.id,
        system: ZK_SYSTEM,
        params: { circuit_hash: circuit.hash },
        id: circuit.id,
        ...flatMembers(circuit),
      })),
    },
    // The EU wallet library refuses a request that has `intent_to_retain` here.
    ...(claims !== undefined && { claims: claims.map(({ intent_to_retain: _, ...claim }) => claim) }),
  }),
  limitTo({ circuits = [], ...query }, declared) {
    const kept = declared === null ? [] : circuitsListed(circuits, declared)
    return kept.length === 0 ? query : { ...query, circuits: kept }
  },
  vpFormats: {},
  provedChecks: PROVED,
}

/** Returns the id by which wallets present a proof for this query. */
export const zkProofId = ({ id }: Pick<MdocQuery, 'id'>): string => `${id}_zk`
