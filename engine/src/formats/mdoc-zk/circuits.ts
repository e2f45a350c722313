// Lists the Longfellow circuits (draft-google-cfrg-libzk, EU TS13) that we can request.

export const ZK_SYSTEM = 'longfellow-libzk-v1'

/** A circuit is identified by its hash, and proves a fixed number of elements. */
export interface ZkCircuit {
  /** Our id in the request, by which a proof names its circuit. */
  readonly id: string
  readonly hash: string
  /** The exact number of elements that it proves. */
  readonly attributes: number
  /** The version of the circuit, and the sizes of its two parts. Google Wallet and Multipaz require them in the request. */
  readonly version: number
  readonly blockEncHash: number
  readonly blockEncSig: number
}

/** From `kZkSpecs` of longfellow-zk. */
const SPECS: readonly (readonly [
  hash: string,
  attributes: number,
  version: number,
  encHash: number,
  encSig: number,
])[] = [
  ['8d079211715200ff06c5109639245502bfe94aa869908d31176aae4016182121', 1, 7, 4151, 4096],
  ['6a5810683e62b6d7766ebd0d7ca72518a2b8325418142adcadb10d51dbbcd5ad', 2, 7, 4265, 4096],
  ['8ee4849ae1293ae6fe5f9082ce3e5e15c4f198f2998c682fa1b727237d6d252f', 3, 7, 4307, 4096],
  ['5aebdaaafe17296a3ef3ca6c80c6e7505e09291897c39700410a365fb278e460', 4, 7, 4415, 4096],
  ['137e5a75ce72735a37c8a72da1a8a0a5df8d13365c2ae3d2c2bd6a0e7197c7c6', 1, 6, 4096, 2945],
  ['b4bb6f01b7043f4f51d8302a30b36e3d4d2d0efc3c24557ab9212ad524a9764e', 2, 6, 4025, 2945],
  ['b2211223b954b34a1081e3fbf71b8ea2de28efc888b4be510f532d6ba76c2010', 3, 6, 4121, 2945],
  ['c70b5f44a1365c53847eb8948ad5b4fdc224251a2bc02d958c84c862823c49d6', 4, 6, 4283, 2945],
]

/** Of circuits for the same number of elements, the newer version comes first. */
export const ZK_CIRCUITS: readonly ZkCircuit[] = SPECS.map(
  ([hash, attributes, version, blockEncHash, blockEncSig]) => ({
    id: `${ZK_SYSTEM}_${hash}`,
    hash,
    attributes,
    version,
    blockEncHash,
    blockEncSig,
  }),
)

/** Returns the flat members that Google Wallet and Multipaz read, both in OpenID4VP and in ISO requests. */
export const flatMembers = ({ hash, attributes, version, blockEncHash, blockEncSig }: ZkCircuit) => ({
  circuit_hash: hash,
  num_attributes: attributes,
  version,
  block_enc_hash: blockEncHash,
  block_enc_sig: blockEncSig,
})
