// Dutch: the words of a payment.

import type { PaymentWords } from './payment-words.ts'

export const nl: PaymentWords = {
  documents: 'Geaccepteerde kaarten',
  issuerToo: (merchant) => `${merchant} ziet ook welk soort kaart u gebruikt en wie die heeft uitgegeven.`,
  privacy: '',
  sameDevice: { wide: 'Betalen op dit apparaat', narrow: 'Betalen in uw wallet' },
  leave: () => 'Betaling annuleren',
  scanned: {
    title: 'Ga verder op uw telefoon',
    text: () => 'Uw wallet toont het bedrag en de ontvanger. Bevestig of weiger daar.',
  },
  tryAnother: 'Probeer een andere kaart',
  noWallet: {
    title: 'Nog geen wallet?',
    text: 'Een wallet is een app die uw kaarten en bewijzen op uw telefoon bewaart. Installeer de app van uw land, voeg uw kaart toe en kom dan terug.',
  },
  progress: {
    onPhone: 'Bevestig de betaling op uw telefoon',
    inWallet: 'Bevestig de betaling',
    confirmed: 'Betaling bevestigd',
    check: 'Wij controleren uw kaart',
    result: (merchant) => `${merchant} ontvangt de bevestiging`,
  },
  steps: {
    fetched: { text: () => 'Controleer het bedrag en de ontvanger, en bevestig of weiger.' },
    checking: { title: 'Uw kaart wordt gecontroleerd' },
    declined: {
      title: 'Betaling afgebroken',
      text: () => 'Er is niets betaald. U hebt geweigerd, of uw wallet bevat geen passende kaart.',
    },
    failed: {
      title: 'We konden de betaling niet bevestigen',
      text: () => 'De controle van uw kaart is mislukt. Er is niets betaald. Gebruik een andere kaart.',
    },
    expired: {
      title: 'Deze betaallink is verlopen',
      text: (merchant) => `Er is niets betaald. Begin de betaling bij ${merchant} opnieuw.`,
    },
  },
  notPaid: 'Er is niets betaald.',
  reasons: {
    revoked: {
      title: 'Deze kaart is geblokkeerd',
      text: () => 'Neem contact op met uw bank, of gebruik een andere kaart.',
    },
    suspended: {
      title: 'Deze kaart is tijdelijk geblokkeerd',
      text: () => 'Neem contact op met de bank die de kaart heeft uitgegeven, of gebruik een andere kaart.',
    },
    outdated: {
      title: 'Deze kaart is momenteel niet geldig',
      text: () => 'De kaart is verlopen of nog niet geldig. Vernieuw die in uw wallet, of gebruik een andere kaart.',
    },
    untrusted: {
      title: 'Deze kaart wordt hier niet geaccepteerd',
      text: (merchant) => `${merchant} accepteert geen kaarten van deze uitgever. Gebruik een andere kaart.`,
    },
    uncheckable: { title: 'We konden uw kaart niet controleren' },
    wallet_error: {
      text: () =>
        'Misschien zit er geen passende kaart in of is een update nodig. Voeg een kaart toe of gebruik een andere wallet, en probeer het opnieuw.',
    },
    cancelled: {
      title: 'Betaling ingetrokken',
      text: (merchant) => `${merchant} heeft deze betaling ingetrokken. Er is niets betaald.`,
    },
  },
}
