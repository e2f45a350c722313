// The hosted page in French.

import type { Words } from './words.ts'

export const fr: Words = {
  confirmAge: (merchant, age) => `Confirmez à ${merchant} que vous avez ${age} ans ou plus`,
  share: (merchant, list) =>
    list === null ? `Transmettre vos informations à ${merchant}` : `Transmettre à ${merchant}\u00a0: ${list}`,
  receives: (merchant) => `${merchant} reçoit`,
  yesOrNo: (age) => `Si vous avez ${age} ans ou plus (oui\u00a0ou\u00a0non,\u00a0rien\u00a0d’autre)`,
  colon: '\u00a0:',
  why: 'Pourquoi',
  registeredPurpose: 'Finalité enregistrée',
  agree: {
    asks: (merchant) => `${merchant} vous demande de confirmer`,
    title: 'Vous confirmez dans votre portefeuille',
    payTo: (payee) => `Paiement à ${payee}`,
    paidTo: (payee) => `à ${payee}`,
    asksToPay: (merchant, payee) => `${merchant} vous demande de payer ${payee}.`,
    reference: 'Référence',
    pay: (amount, payee) => `Payer ${amount} à ${payee}`,
    onlyThere:
      'Votre portefeuille affiche le montant et le bénéficiaire. Vous ne payez qu’en confirmant dans le portefeuille.',
    recurring: 'Ce paiement est récurrent.',
    sign: 'Signer',
  },
  documents: 'Justificatifs acceptés',
  presents: 'Ce que votre portefeuille transmet pour la vérification',
  birthDateForAge:
    'Si votre portefeuille ne peut prouver votre âge qu’avec la date de naissance, il nous la transmet pour la vérification. Nous ne la conservons pas et ne la communiquons à personne.',
  issuerToo: (merchant) => `${merchant} voit aussi quel type de justificatif vous utilisez et qui l’a délivré.`,
  scan: 'Scannez ce code avec l’appareil photo de votre téléphone pour ouvrir votre portefeuille.',
  qr: 'Code QR qui ouvre votre portefeuille',
  sameDevice: { wide: 'Ouvrir un portefeuille sur cet appareil', narrow: 'Ouvrir mon portefeuille' },
  ageApp: 'Ouvrir l’application d’âge de l’UE',
  anotherDevice: 'Utiliser un autre appareil',
  codeAgain: 'Afficher de nouveau le code',
  walletAgain: 'Rouvrir mon portefeuille',
  browser: {
    ask: 'Choisir votre portefeuille',
    otherOptions: 'Autres options',
    orScan: 'ou scanner avec le téléphone',
    sending: 'Envoi de votre réponse…',
    failed: 'Cela n’a pas fonctionné. Réessayez ou choisissez une autre option.',
  },
  signIn: {
    asks: (merchant) => `Connectez-vous à ${merchant} avec votre portefeuille`,
    cancel: 'Annuler la connexion',
    onward: 'Continuer',
    startThere: 'Pour vous connecter sur votre téléphone, ouvrez le site sur le téléphone.',
    how: 'Confirmez dans votre portefeuille et vous êtes connecté, sans mot de passe.',
    howWithCode:
      'Scannez le code et confirmez dans votre portefeuille. Votre téléphone affiche alors un code à saisir ici. Aucun mot de passe n’est nécessaire.',
  },
  timeLeft: 'Temps restant',
  test: 'Mode test\u00a0: aucune donnée réelle.',
  testWallet: 'Répondre avec le portefeuille de test',
  reload: 'JavaScript est désactivé dans votre navigateur. Rechargez la page pour voir le résultat.',
  offline: 'Vous êtes hors ligne. La page reprendra dès que vous serez de nouveau en ligne.',
  cookies:
    'Votre navigateur bloque les cookies de cette page\u00a0: vous ne pouvez pas y choisir de portefeuille. Le code QR et le lien fonctionnent quand même.',
  privacy: 'Votre portefeuille vous montre toutes les informations avant de les transmettre.',
  noWallet: {
    title: 'Pas encore de portefeuille\u00a0?',
    text: 'Un portefeuille est une application qui garde votre identité numérique sur votre téléphone. Installez celle de votre pays, ajoutez votre pièce d’identité, puis revenez ici.',
  },
  privacyPolicy: 'Politique de confidentialité',
  support: 'Aide',
  language: 'Langue',
  progress: {
    label: 'Progression',
    opened: 'Demande ouverte',
    onPhone: 'Confirmez sur votre téléphone',
    inWallet: 'Confirmez dans votre portefeuille',
    confirmed: 'Confirmé dans votre portefeuille',
    check: 'Nous vérifions votre justificatif',
    result: (merchant) => `${merchant} reçoit le résultat`,
  },
  steps: {
    waiting: { title: 'En attente de votre portefeuille', text: () => 'La page se met à jour automatiquement.' },
    fetched: {
      title: 'Continuez dans votre portefeuille',
      text: () => 'Vérifiez ce qui sera transmis, puis acceptez ou refusez.',
    },
    checking: {
      title: 'Nous vérifions votre justificatif',
      text: () => 'Cela ne prend en général que quelques secondes. Gardez cette page ouverte.',
    },
    completed: { title: 'Terminé', text: (merchant) => `${merchant} a reçu le résultat.` },
    declined: {
      title: 'Rien n’a été transmis',
      text: () => 'Vous avez refusé la demande, ou votre portefeuille ne contient aucun justificatif correspondant.',
    },
    failed: {
      title: 'La vérification a échoué',
      text: () =>
        'Nous n’avons pas pu confirmer votre justificatif. Vos données n’ont pas été communiquées. Utilisez un autre justificatif.',
    },
    expired: {
      title: 'Ce lien a expiré',
      text: (merchant) => `Rien n’a été transmis. Demandez un nouveau lien à ${merchant}.`,
    },
  },
  scanned: {
    title: 'Continuez sur votre téléphone',
    text: () => 'Votre portefeuille montre ce qui sera transmis. Acceptez ou refusez dans le portefeuille.',
  },
  done: {
    age: { title: 'Âge vérifié', text: (merchant) => `${merchant} a reçu la réponse.` },
    details: { title: 'Informations transmises', text: (merchant) => `${merchant} les a reçues.` },
    payment: { title: 'Paiement confirmé', text: (merchant) => `${merchant} a reçu votre confirmation.` },
    agreement: { title: 'Confirmé', text: (merchant) => `${merchant} a reçu votre confirmation.` },
  },
  close: 'Vous pouvez fermer cette page.',
  received: (merchant) => `Ce que ${merchant} a reçu`,
  notPassedOn: 'Vos données n’ont pas été communiquées.',
  reasons: {
    revoked: {
      title: 'Ce justificatif a été révoqué',
      text: () => 'Adressez-vous à l’organisme qui l’a délivré, ou utilisez un autre justificatif.',
    },
    suspended: {
      title: 'Ce justificatif est suspendu',
      text: () => 'Adressez-vous à l’organisme qui l’a délivré, ou utilisez un autre justificatif.',
    },
    outdated: {
      title: 'Ce justificatif n’est pas valable actuellement',
      text: () =>
        'Il a expiré ou n’est pas encore valable. Renouvelez-le dans votre portefeuille, ou utilisez un autre justificatif.',
    },
    untrusted: {
      title: 'Ce justificatif n’est pas accepté ici',
      text: (merchant) =>
        `${merchant} n’accepte pas les justificatifs de cet émetteur. Utilisez un autre justificatif.`,
    },
    incomplete: {
      title: 'Il manque des informations',
      text: (merchant) =>
        `Votre portefeuille n’a pas transmis tout ce dont ${merchant} a besoin. Réessayez en transmettant tout.`,
    },
    uncheckable: {
      title: 'Nous n’avons pas pu vérifier votre justificatif',
      text: () => 'Nous n’avons pas pu savoir s’il est encore valable. Réessayez dans quelques minutes.',
    },
    wallet_error: {
      title: 'Votre portefeuille signale une erreur',
      text: () =>
        'Il n’a peut-être aucun justificatif correspondant ou a besoin d’une mise à jour. Rouvrez-le, ajoutez un justificatif ou utilisez un autre portefeuille, puis réessayez.',
    },
    not_confirmed: {
      title: 'Non confirmé dans votre portefeuille',
      text: (merchant) =>
        `Votre portefeuille n’a pas confirmé ce que vous deviez accepter. Réessayez, ou contactez ${merchant}.`,
    },
    cancelled: {
      title: 'Demande annulée',
      text: (merchant) => `${merchant} a annulé cette demande. Rien n’a été transmis.`,
    },
  },
  contact: (merchant) => `Contacter ${merchant}`,
  back: (merchant) => `Retour à ${merchant}`,
  again: (merchant) => `Réessayer chez ${merchant}`,
  elsewhere: {
    signIn: {
      title: 'Cette connexion a commencé dans un autre navigateur',
      texts: [
        'Rien n’a été transmis.',
        'Pour vous connecter vous-même, ouvrez le site et lancez-y la connexion. Si quelqu’un vous a envoyé ce lien, ne continuez pas\u00a0: cette personne essaie peut-être de se connecter à votre place.',
        'Vous avez commencé ici\u00a0? Alors votre navigateur bloque les cookies de cette page. Autorisez-les et recommencez.',
      ],
    },
    signInOver: {
      title: 'Cette connexion est terminée',
      texts: [
        'Si vous êtes connecté, vous pouvez fermer cette page.',
        'Pour vous connecter, ouvrez le site et lancez-y la connexion. Si quelqu’un vous a envoyé ce lien, cette personne a peut-être essayé de se connecter à votre place.',
      ],
    },
    held: {
      title: 'Cette demande est ouverte dans un autre navigateur',
      texts: [
        'Rien n’a été transmis ici.',
        'Continuez dans le navigateur où vous l’avez ouverte en premier. Si ce n’était pas vous, demandez un nouveau lien et n’utilisez pas celui-ci.',
      ],
    },
  },
  stops: {
    busy: { title: 'Trop de tentatives', text: 'Attendez une minute, puis réessayez.' },
    away: {
      title: 'Cette page n’est pas disponible pour l’instant',
      text: 'Réessayez dans un instant.',
    },
  },
  tryAgain: 'Réessayer',
  tryAnother: 'Essayer un autre justificatif',
  goBack: 'Retour',
  unknown: {
    title: 'Demande introuvable',
    text: 'Cette demande n’existe pas ou n’existe plus. Revenez au site ou au message d’où vous venez et rouvrez le lien.',
  },
}
