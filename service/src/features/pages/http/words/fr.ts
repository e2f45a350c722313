// The hosted page in French.

import type { Words } from './words.ts'

export const fr: Words = {
  asks: (merchant) => `${merchant} vous demande un justificatif`,
  onBehalfOf: (tenant) => `Pour le compte de ${tenant}`,
  colon: '\u00a0:',
  why: 'Pourquoi',
  registeredPurpose: 'Finalité enregistrée',
  agree: {
    asks: (merchant) => `${merchant} vous demande votre accord`,
    title: 'Dans votre portefeuille, vous acceptez',
    pay: (amount, payee) => `Payer ${amount} à ${payee}`,
    recurring: 'Ce paiement est récurrent.',
    sign: 'Signer',
  },
  what: 'Ce qui est demandé',
  documents: 'Acceptés',
  birthDateForAge:
    'Si votre portefeuille ne peut prouver votre âge que par votre date de naissance, il la communique ; nous ne la conservons pas et ne la transmettons pas.',
  scan: 'Scannez ce code avec l’appareil photo du téléphone où se trouve votre portefeuille.',
  qr: 'Code QR qui ouvre votre portefeuille',
  sameDevice: 'Ouvrir le portefeuille sur cet appareil',
  ageApp: 'Ouvrir l’application d’âge de l’UE',
  anotherDevice: 'Utiliser un autre appareil',
  codeAgain: 'Afficher de nouveau le code',
  browser: {
    ask: 'Utiliser un portefeuille sur cet appareil ou un téléphone',
    otherWays: 'Autres moyens',
    sending: 'Votre réponse est en route…',
    failed: 'Cela n’a pas fonctionné. Vous pouvez réessayer ou choisir un autre moyen.',
  },
  signIn: {
    asks: (merchant) => `Connectez-vous à ${merchant} avec votre portefeuille`,
    cancel: 'Annuler la connexion',
    onward: 'Continuer',
    startThere: 'Pour utiliser votre téléphone, ouvrez le site sur le téléphone et connectez-vous-y.',
  },
  timeLeft: 'Temps restant',
  test: 'Test : aucune donnée réelle n’est demandée',
  testWallet: 'Répondre avec le portefeuille de test',
  reload: 'Votre navigateur n’exécute pas de scripts ici. Rechargez la page pour voir le résultat.',
  offline: 'Vous êtes hors ligne. La page reprendra d’elle-même dès le retour de la connexion.',
  cookies:
    'Votre navigateur bloque les cookies de cette page et ne peut donc pas interroger lui-même un portefeuille. Le code et le lien fonctionnent sans eux.',
  privacy:
    'Votre portefeuille vous montre ce qui sera transmis, et c’est là que vous décidez. Cette page n’en sait rien.',
  privacyPolicy: 'Politique de confidentialité',
  support: 'Aide',
  language: 'Langue',
  way: {
    label: 'Les étapes',
    scan: 'Scanner le code',
    open: 'Ouvrir le portefeuille',
    onPhone: 'Continuer sur le téléphone',
    inWallet: 'Confirmer dans le portefeuille',
    check: 'Vérification',
    done: 'Terminé',
  },
  steps: {
    waiting: {
      title: 'En attente de votre portefeuille',
      text: 'Cette page se met à jour dès que vous avez répondu.',
    },
    fetched: {
      title: 'Continuez dans votre portefeuille',
      text: 'Votre portefeuille a reçu la demande. Vérifiez ce qu’il va transmettre, puis acceptez ou refusez.',
    },
    checking: { title: 'Vérification en cours', text: 'Votre réponse est arrivée. Cela prend un instant.' },
    completed: {
      title: 'Terminé',
      text: 'Votre réponse a été vérifiée et transmise. Vous pouvez fermer cette page.',
    },
    declined: {
      title: 'Vous avez refusé',
      text: 'Rien n’a été transmis. Votre portefeuille a refusé, ou n’a rien qui corresponde à la demande.',
    },
    failed: {
      title: 'Non prouvé',
      text: 'Votre portefeuille a répondu, mais la preuve n’a pas pu être confirmée. Rien n’a été transmis.',
    },
    expired: { title: 'Temps écoulé', text: 'Cette demande n’est plus valable. Veuillez en demander une nouvelle.' },
  },
  back: (merchant) => `Retour à ${merchant}`,
  again: (merchant) => `Réessayer chez ${merchant}`,
  elsewhere: {
    signIn: {
      title: 'Cette connexion a commencé dans un autre navigateur',
      texts: [
        'Rien n’a été transmis.',
        'Pour vous connecter vous-même, ouvrez le site et commencez-y. Si quelqu’un vous a envoyé ce lien, ne continuez pas : cette personne essaie peut-être de se connecter à votre place.',
        'Vous avez commencé ici ? Alors votre navigateur bloque les cookies de cette page. Autorisez-les et recommencez.',
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
  unknown: {
    title: 'Demande introuvable',
    text: 'Cette demande n’existe pas, ou elle a été supprimée. Veuillez demander un nouveau lien.',
  },
}
