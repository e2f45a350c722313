// The national wallets by country, with the names that app stores show.

export const NATIONAL_WALLETS: readonly (readonly [country: string, app: string])[] = [
  ['AT', 'eAusweise'],
  ['CH', 'swiyu'],
  ['DE', 'EUDI-Wallet'],
  ['ES', 'MiDNI'],
  ['FR', 'France Identité'],
  ['GR', 'Gov.gr Wallet'],
  ['IT', 'IO (IT-Wallet)'],
  ['NL', 'NL Wallet'],
  ['PL', 'mObywatel'],
  ['PT', 'gov.pt'],
]
