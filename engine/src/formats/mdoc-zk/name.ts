/** The name of zero-knowledge proofs about mdocs in presentations and results (EU TS13). */
export const MDOC_ZK = 'mso_mdoc_zk'
