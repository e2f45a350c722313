/** As wallets and results name a zero-knowledge proof about an mdoc (EU TS13). */
export const MDOC_ZK = 'mso_mdoc_zk'
