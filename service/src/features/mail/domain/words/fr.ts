// The texts of mails in French.

import type { MailWords } from './words.ts'

export const fr: MailWords = {
  footer: (host) =>
    `Envoyé par Vidimus sur ${host}. Merci de ne pas répondre : cette boîte aux lettres n’est pas consultée.`,
  once: (until) => `Le lien fonctionne une seule fois, jusqu’au ${until}.`,
  orOpen: 'Si le bouton ne fonctionne pas, ouvrez cette adresse :',
  roles: { owner: 'propriétaire', admin: 'administrateur', viewer: 'lecteur' },
  invitation: {
    subject: (tenant) => `Invitation à rejoindre ${tenant} sur Vidimus`,
    lead: (tenant, role) => `${tenant} vous invite à rejoindre son équipe sur Vidimus. Votre rôle : ${role}.`,
    accept: 'Accepter l’invitation',
    unexpected: 'Si vous n’attendiez pas cet e-mail, ignorez-le. Un compte n’est créé que si vous acceptez.',
  },
  lostAccess: {
    subject: 'Choisissez un nouveau mot de passe',
    lead: 'Vous avez demandé un nouveau mot de passe pour votre compte Vidimus. Ce lien vous permet d’en choisir un et vous connecte.',
    replaces:
      'Votre ancien mot de passe et vos clés d’accès ne fonctionnent alors plus, et toutes les autres sessions se terminent.',
    go: 'Choisir un nouveau mot de passe',
    goTo: (tenants) => `Choisir un nouveau mot de passe pour ${tenants}`,
    sameBrowser: 'Ouvrez le lien dans le navigateur où vous l’avez demandé.',
    unexpected: 'Si vous ne l’avez pas demandé, ignorez cet e-mail. Votre mot de passe ne change pas.',
  },
  verificationLink: {
    test: 'Test',
    subject: (merchant) => `${merchant} : confirmez avec votre identité numérique`,
    lead: (merchant) => `${merchant} vous demande de confirmer quelque chose avec votre identité numérique.`,
    purpose: (purpose) => `Motif : ${purpose}`,
    consent:
      'Pour protéger votre vie privée, cet e-mail ne dit pas ce qui est demandé. Vous le verrez à la page suivante. Rien n’est partagé avant votre accord dans le portefeuille.',
    open: 'Voir la demande',
    until: (time) => `Le lien fonctionne jusqu’au ${time}.`,
    unexpected: (merchant) =>
      `Vous ne connaissez pas ${merchant} ? Ignorez cet e-mail. Votre adresse n’a servi qu’à l’envoi et est ensuite effacée.`,
  },
  alert: {
    quota: (tenant, percent, used, quota) => ({
      subject: `${tenant} : ${percent}\u00a0% du quota journalier utilisé`,
      paragraphs: [
        `${tenant} a créé ${used} vérifications sur ${quota} aujourd’hui.`,
        'Une fois le quota épuisé, les vérifications suivantes sont refusées jusqu’à minuit UTC.',
      ],
    }),
    webhooks: (tenant, host, since, isDisabled) => ({
      subject: `${tenant} : échec des webhooks vers ${host}`,
      paragraphs: [
        `Les webhooks de ${tenant} vers ${host} échouent depuis le ${since}.`,
        isDisabled
          ? 'Nous n’y envoyons plus de webhooks. Corrigez le récepteur, puis réactivez la destination.'
          : 'Nous continuons d’essayer. Après cinq jours d’échecs, nous n’y enverrons plus de webhooks.',
      ],
    }),
    open: { quota: 'Voir l’utilisation', webhooks: 'Voir les webhooks' },
    unsubscribe: 'Désactiver ces e-mails',
  },
  newSignIn: {
    subject: 'Nouvelle connexion à votre compte',
    lead: (time, method) =>
      `Une connexion à votre compte Vidimus a eu lieu depuis un nouveau navigateur le ${time}, ${method}.`,
    methods: {
      password: 'avec un mot de passe',
      passkey: 'avec une clé d’accès',
      link: 'avec un lien à usage unique',
      oidc: 'par la connexion de votre entreprise',
    },
    yours: 'Si c’était vous, vous n’avez rien à faire.',
    notYours: 'Sinon, connectez-vous, choisissez un nouveau mot de passe et mettez fin aux autres sessions.',
    open: 'Ouvrir votre compte',
  },
  test: {
    subject: 'E-mail de test de Vidimus',
    lead: 'Votre serveur de messagerie a accepté cet e-mail. Vidimus peut désormais envoyer des invitations et des liens pour choisir un nouveau mot de passe.',
  },
}
