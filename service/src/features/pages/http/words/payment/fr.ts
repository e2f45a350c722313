// French: the words of a payment.

import type { PaymentWords } from './payment-words.ts'

export const fr: PaymentWords = {
  documents: 'Cartes acceptées',
  issuerToo: (merchant) => `${merchant} voit aussi quel type de carte vous utilisez et qui l’a émise.`,
  privacy: '',
  sameDevice: { wide: 'Payer sur cet appareil', narrow: 'Payer dans mon portefeuille' },
  leave: () => 'Annuler le paiement',
  scanned: {
    title: 'Continuez sur votre téléphone',
    text: () => 'Votre portefeuille affiche le montant et le bénéficiaire. Acceptez ou refusez dans le portefeuille.',
  },
  tryAnother: 'Essayer une autre carte',
  noWallet: {
    title: 'Pas encore de portefeuille ?',
    text: 'Un portefeuille est une application qui garde vos cartes et vos justificatifs sur votre téléphone. Installez celle de votre pays, ajoutez votre carte, puis revenez ici.',
  },
  progress: {
    onPhone: 'Confirmez le paiement sur votre téléphone',
    inWallet: 'Confirmez le paiement',
    confirmed: 'Paiement confirmé',
    check: 'Nous vérifions votre carte',
    result: (merchant) => `${merchant} reçoit la confirmation`,
  },
  steps: {
    fetched: { text: () => 'Vérifiez le montant et le bénéficiaire, puis acceptez ou refusez.' },
    checking: { title: 'Nous vérifions votre carte' },
    declined: {
      title: 'Paiement interrompu',
      text: () => 'Rien n’a été payé. Vous avez refusé, ou votre portefeuille ne contient aucune carte correspondante.',
    },
    failed: {
      title: 'Nous n’avons pas pu confirmer le paiement',
      text: () => 'La vérification de votre carte a échoué. Rien n’a été payé. Utilisez une autre carte.',
    },
    expired: {
      title: 'Ce lien de paiement a expiré',
      text: (merchant) => `Rien n’a été payé. Recommencez le paiement chez ${merchant}.`,
    },
  },
  notPaid: 'Rien n’a été payé.',
  reasons: {
    revoked: {
      title: 'Cette carte est bloquée',
      text: () => 'Adressez-vous à votre banque, ou utilisez une autre carte.',
    },
    suspended: {
      title: 'Cette carte est suspendue',
      text: () => 'Adressez-vous à la banque qui l’a émise, ou utilisez une autre carte.',
    },
    outdated: {
      title: 'Cette carte n’est pas valable actuellement',
      text: () =>
        'Elle a expiré ou n’est pas encore valable. Renouvelez-la dans votre portefeuille, ou utilisez une autre carte.',
    },
    untrusted: {
      title: 'Cette carte n’est pas acceptée ici',
      text: (merchant) => `${merchant} n’accepte pas les cartes de cet émetteur. Utilisez une autre carte.`,
    },
    uncheckable: { title: 'Nous n’avons pas pu vérifier votre carte' },
    wallet_error: {
      text: () =>
        'Il n’a peut-être aucune carte correspondante ou a besoin d’une mise à jour. Ajoutez une carte ou utilisez un autre portefeuille, puis réessayez.',
    },
    cancelled: { title: 'Paiement annulé', text: (merchant) => `${merchant} a annulé ce paiement. Rien n’a été payé.` },
  },
}
