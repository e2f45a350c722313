import type { MailWords } from './words.ts'

export const fr: MailWords = {
  footer: (host) => `Envoyé par Vidimus sur ${host}. Les réponses à cet e-mail ne sont pas lues.`,
  once: (until) => `Le lien fonctionne une seule fois, jusqu’au ${until}.`,
  roles: { owner: 'propriétaire', admin: 'administrateur', viewer: 'lecteur' },
  invitation: {
    subject: (tenant) => `Rejoignez ${tenant} sur Vidimus`,
    lead: (tenant, role) => `${tenant} vous invite à rejoindre son équipe sur Vidimus. Votre rôle : ${role}.`,
    accept: 'Accepter l’invitation',
    unexpected: 'Si vous n’attendiez pas cet e-mail, ignorez-le. Aucun compte n’est créé sans vous.',
  },
  signIn: {
    subject: 'Votre lien de connexion',
    lead: 'Ce lien vous connecte à Vidimus. Choisissez ensuite un nouveau mot de passe dans votre compte.',
    go: 'Se connecter',
    goTo: (tenants) => `Se connecter à ${tenants}`,
    sameBrowser: 'Ouvrez-le dans le navigateur dans lequel vous l’avez demandé.',
    unexpected: 'Si vous ne l’avez pas demandé, ignorez cet e-mail. Votre mot de passe ne change pas.',
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
  usage: {
    subject: (tenant, percent) => `${tenant} : ${percent} % du quota du jour utilisés`,
    lead: (used, quota) => `${used} vérifications sur ${quota} du quota du jour sont utilisées.`,
    remedy: 'Une fois le quota épuisé, les nouvelles vérifications sont refusées jusqu’à minuit (UTC).',
    open: 'Ouvrir la consommation',
  },
  webhooks: {
    subject: (tenant) => `${tenant} : des webhooks échouent`,
    lead: (environment) => `Un destinataire de vos webhooks (${environment}) ne les accepte pas.`,
    remedy: 'Vérifiez le destinataire. Vous pouvez renvoyer les webhooks échoués depuis le tableau de bord.',
    open: 'Ouvrir les webhooks',
  },
  subscribed: 'Vous recevez cette alerte parce que vous l’avez activée dans votre compte. Vous pouvez l’y désactiver.',
  test: {
    subject: 'E-mail de test de Vidimus',
    lead: 'Votre serveur de messagerie a accepté cet e-mail. Vidimus peut désormais envoyer des invitations, des liens de connexion et des alertes.',
  },
}
