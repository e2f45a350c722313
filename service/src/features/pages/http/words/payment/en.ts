// English: the words of a payment.

import type { PaymentWords } from './payment-words.ts'

export const en: PaymentWords = {
  documents: 'Accepted cards',
  issuerToo: (merchant) => `${merchant} also sees which kind of card you used and who issued it.`,
  privacy: '',
  sameDevice: { wide: 'Pay on this device', narrow: 'Pay in your wallet' },
  leave: () => 'Cancel payment',
  scanned: {
    title: 'Continue on your phone',
    text: () => 'Your wallet shows the amount and the payee. Confirm or decline there.',
  },
  tryAnother: 'Try with another card',
  noWallet: {
    title: 'No wallet yet?',
    text: 'A wallet is an app that holds your cards and IDs on your phone. Install the one for your country, add your card, then come back.',
  },
  progress: {
    onPhone: 'Confirm the payment on your phone',
    inWallet: 'Confirm the payment',
    confirmed: 'Payment confirmed',
    check: 'We check your card',
    result: (merchant) => `${merchant} receives the confirmation`,
  },
  steps: {
    fetched: { text: () => 'Check the amount and the payee, then confirm or decline.' },
    checking: { title: 'Checking your card' },
    declined: {
      title: 'Payment not completed',
      text: () => 'Nothing was paid. You declined, or your wallet has no matching card.',
    },
    failed: {
      title: 'We could not confirm the payment',
      text: () => 'The check of your card failed. Nothing was paid. Use another card.',
    },
    expired: {
      title: 'This payment link has expired',
      text: (merchant) => `Nothing was paid. Start the payment again at ${merchant}.`,
    },
  },
  notPaid: 'Nothing was paid.',
  reasons: {
    revoked: { title: 'This card has been blocked', text: () => 'Contact your bank, or use another card.' },
    suspended: { title: 'This card is suspended', text: () => 'Contact the bank that issued it, or use another card.' },
    outdated: {
      title: 'This card is not valid now',
      text: () => 'It has expired or is not valid yet. Renew it in your wallet, or use another card.',
    },
    untrusted: {
      title: 'This card is not accepted here',
      text: (merchant) => `${merchant} does not accept cards from this issuer. Use another card.`,
    },
    uncheckable: { title: 'We could not check your card' },
    wallet_error: {
      text: () => 'It may have no matching card or need an update. Add a card or use another wallet, then try again.',
    },
    cancelled: {
      title: 'Payment cancelled',
      text: (merchant) => `${merchant} has cancelled this payment. Nothing was paid.`,
    },
  },
}
