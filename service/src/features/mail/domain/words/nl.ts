import type { MailWords } from './words.ts'

export const nl: MailWords = {
  footer: (host) => `Verzonden door Vidimus op ${host}. Antwoorden op deze e-mail worden niet gelezen.`,
  once: (until) => `De link werkt één keer, tot ${until}.`,
  roles: { owner: 'eigenaar', admin: 'beheerder', viewer: 'lezer' },
  invitation: {
    subject: (tenant) => `Word lid van het team van ${tenant} op Vidimus`,
    lead: (tenant, role) => `${tenant} nodigt u uit voor het team op Vidimus. Uw rol: ${role}.`,
    accept: 'Uitnodiging accepteren',
    unexpected: 'Verwachtte u deze e-mail niet? Negeer hem dan. Zonder u wordt er geen account gemaakt.',
  },
  signIn: {
    subject: 'Uw aanmeldlink',
    lead: 'Met deze link meldt u zich aan bij Vidimus. Kies daarna een nieuw wachtwoord in uw account.',
    go: 'Aanmelden',
    goTo: (tenants) => `Aanmelden bij ${tenants}`,
    sameBrowser: 'Open hem in de browser waarin u hem hebt aangevraagd.',
    unexpected: 'Hebt u hem niet aangevraagd? Negeer deze e-mail dan. Uw wachtwoord verandert niet.',
  },
  newSignIn: {
    subject: 'Nieuwe aanmelding bij uw account',
    lead: (time, method) => `Er is op ${time} vanuit een nieuwe browser aangemeld bij uw Vidimus-account, ${method}.`,
    methods: {
      password: 'met een wachtwoord',
      passkey: 'met een passkey',
      link: 'met een eenmalige link',
      oidc: 'via de aanmelding van uw bedrijf',
    },
    yours: 'Was u dit zelf, dan hoeft u niets te doen.',
    notYours: 'Zo niet, meld u dan aan, kies een nieuw wachtwoord en beëindig de andere sessies.',
    open: 'Uw account openen',
  },
  usage: {
    subject: (tenant, percent) => `${tenant}: ${percent} % van het quotum van vandaag gebruikt`,
    lead: (used, quota) => `${used} van de ${quota} verificaties van het quotum van vandaag zijn gebruikt.`,
    remedy: 'Als het quotum op is, worden nieuwe verificaties tot middernacht (UTC) geweigerd.',
    open: 'Gebruik openen',
  },
  webhooks: {
    subject: (tenant) => `${tenant}: webhooks mislukken`,
    lead: (environment) => `Een ontvanger van uw webhooks (${environment}) accepteert ze niet.`,
    remedy: 'Controleer de ontvanger. U kunt mislukte webhooks opnieuw versturen vanuit het dashboard.',
    open: 'Webhooks openen',
  },
  subscribed: 'U krijgt deze melding omdat u die in uw account hebt ingeschakeld. Daar kunt u hem uitschakelen.',
  test: {
    subject: 'Test-e-mail van Vidimus',
    lead: 'Uw mailserver heeft deze e-mail geaccepteerd. Vidimus kan nu uitnodigingen, aanmeldlinks en meldingen versturen.',
  },
}
