// Which wallet people of a country have: the names of the apps, as their stores show them. Countries without an entry are not listed.

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
