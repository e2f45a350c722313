// The test wallet in French.

import type { WalletWords } from './words.ts'

export const fr: WalletWords = {
  title: 'Portefeuille de test',
  ribbon: 'Portefeuille de test : personne fictive, aucune donnée réelle',
  link: {
    heading: 'Ouvrir une demande',
    intro:
      'Collez le lien qu’une application de portefeuille ouvrirait. Ou choisissez « Répondre avec le portefeuille de test » sur la page d’une vérification.',
    label: 'Lien de portefeuille',
    open: 'Ouvrir la demande',
    another: 'Ouvrir une autre demande',
    holds: 'Dans ce portefeuille',
  },
  closed: {
    link: {
      title: 'Ce n’est pas un lien de portefeuille',
      text: 'Un lien de portefeuille commence par openid4vp:// ou av://. Copiez-le en entier.',
    },
    foreign: {
      title: 'Ce lien ne vient pas d’ici',
      text: 'Ce lien ne correspond à aucune vérification de ce service. Copiez-le en entier, ou créez une nouvelle vérification.',
    },
    live: {
      title: 'Cette demande est réelle',
      text: 'Le portefeuille de test ne répond qu’aux vérifications en mode test. Créez-en une avec une clé de test.',
    },
    answered: {
      title: 'Réponse déjà envoyée',
      text: 'On ne peut répondre qu’une fois à chaque demande. Créez une nouvelle vérification pour réessayer.',
    },
    expired: {
      title: 'Cette demande a expiré',
      text: 'Aucune réponse n’est arrivée à temps. Créez une nouvelle vérification pour réessayer.',
    },
    unavailable: {
      title: 'Impossible de récupérer la demande',
      text: 'Le service ne l’a pas transmise. Retournez à la page de la vérification et ouvrez le portefeuille de là.',
    },
    request: {
      title: 'Le portefeuille refuse cette demande',
      text: 'La demande enfreint une règle du protocole. Tout portefeuille conforme la refuserait.',
    },
    nothing_held: {
      title: 'Rien n’a été transmis',
      text: 'Ce portefeuille ne contient aucun justificatif correspondant, ou il a refusé. La demande est toujours ouverte.',
    },
    choice: {
      title: 'Ce choix n’est pas possible',
      text: 'Le portefeuille de test ne le permet pas. Revenez en arrière et faites un autre choix.',
    },
  },
  certificate: 'Certificat',
  unsigned: 'Cette demande n’est pas signée. La réponse est envoyée à',
  registered: 'Enregistré',
  registeredFor: 'Enregistré pour',
  warns: 'Votre portefeuille vous avertit',
  warnings: {
    unregistered:
      'Ce site n’a pas montré qu’il est enregistré pour demander ces informations. C’est normal en mode test.',
    several_registrations: 'Ce site présente plusieurs enregistrements.',
    malformed_registration: 'L’enregistrement de ce site est illisible.',
    untrusted_registration: 'L’enregistrement de ce site vient d’un organisme inconnu de ce portefeuille.',
    expired_registration: 'L’enregistrement de ce site a expiré.',
    revoked_registration: 'L’enregistrement de ce site a été révoqué.',
    unknown_status: 'Impossible de savoir si l’enregistrement de ce site a été révoqué.',
    wrong_party: 'L’enregistrement appartient à un autre organisme.',
    wrong_intermediary: 'L’enregistrement ne mentionne pas cet intermédiaire.',
    service_mismatch: 'L’enregistrement concerne un autre service que celui qui fait la demande.',
    over_asking: 'Ce site demande plus que ce qu’il a enregistré.',
  },
  agree: {
    title: 'Ce que vous confirmez par votre signature',
    type: 'Type',
    exact: 'Ce que vous signez exactement',
    letterForLetter: 'Ce texte est haché et signé, caractère par caractère',
  },
  shares: 'Vous transmettez',
  paysWith: 'Vous payez avec',
  choose: 'Avec quoi voulez-vous répondre ?',
  optional: 'Facultatif',
  withhold: 'Ne pas transmettre',
  holdsIt: 'Que vous le possédez',
  noMatch:
    'Ce portefeuille ne contient aucun justificatif qui corresponde à la demande. Vous ne pouvez que la refuser.',
  exactRequest: 'Ce que la demande autorise',
  technical: 'Détails techniques',
  consent: { share: 'Transmettre', confirm: 'Confirmer', signIn: 'Se connecter', pay: (amount) => `Payer ${amount}` },
  decline: 'Refuser',
  trial: {
    scenario: 'Cas de test',
    succeeds: 'Doit réussir',
    fails: 'Doit échouer',
    more: 'Autres options de test',
    channel: 'Comment le portefeuille est sollicité',
    transaction: 'Ce que le portefeuille signe',
    exactly: 'Exactement ce que vous confirmez',
  },
  channels: {
    link: 'Par le lien, comme une application',
    'openid4vp-v1-signed': 'Par ce navigateur : Digital Credentials API avec OpenID4VP',
    'org-iso-mdoc': 'Par ce navigateur : Digital Credentials API avec ISO 18013-7, annexe C (mdoc seulement)',
  },
  scenarios: {
    good: 'Tout comme demandé',
    declined: 'La personne refuse',
    expired: 'Le justificatif a expiré hier',
    revoked: 'Le justificatif est révoqué',
    suspended: 'Le justificatif est suspendu',
    untrusted: 'Un émetteur non reconnu, du même nom',
    wrong_nonce: 'Lié à un autre nonce',
    wrong_audience: 'Lié à un autre site',
    tampered: 'Les données ont été modifiées après la signature de l’émetteur',
    replayed: 'Réponse à une demande antérieure, envoyée de nouveau',
    missing_claim: 'Il manque l’une des données demandées',
    over_disclosing: 'Toutes les données sont transmises, demandées ou non',
  },
  answered: 'Réponse envoyée',
  failed: 'Échec de la vérification',
  declined: 'Vous avez refusé cette demande.',
  stillOpen: {
    title: 'Rien n’a été transmis',
    text: 'Vous avez refusé dans ce navigateur. La demande est toujours ouverte et peut recevoir une réponse.',
  },
  expected: (scenario) => `C’est le résultat attendu : vous avez choisi le cas de test « ${scenario} ».`,
  unexpected: (scenario, end) =>
    end === null
      ? `Résultat inhabituel : le cas de test « ${scenario} » devrait réussir.`
      : `Résultat inhabituel : le cas de test « ${scenario} » devrait échouer avec ${end}.`,
  shared: 'Vous avez transmis',
  onward: (merchant) => `Continuer vers ${merchant}`,
  back: 'Retour à la demande',
  facts: { http: 'Statut HTTP de la réponse', status: 'Statut de la vérification', error: 'Code d’erreur' },
}
