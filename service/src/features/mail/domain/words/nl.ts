// The texts of mails in Dutch.

import type { MailWords } from './words.ts'

export const nl: MailWords = {
  footer: (host) => `Verzonden door Vidimus op ${host}. Antwoord niet op deze e-mail: deze mailbox wordt niet gelezen.`,
  once: (until) => `De link werkt één keer, tot ${until}.`,
  orOpen: 'Werkt de knop niet, open dan dit adres:',
  roles: { owner: 'eigenaar', admin: 'beheerder', viewer: 'lezer' },
  invitation: {
    subject: (tenant) => `Uitnodiging voor het team van ${tenant} op Vidimus`,
    lead: (tenant, role) => `${tenant} nodigt u uit voor het team op Vidimus. Uw rol: ${role}.`,
    accept: 'Uitnodiging accepteren',
    unexpected:
      'Verwachtte u deze e-mail niet? Negeer hem dan. Er wordt alleen een account gemaakt als u de uitnodiging accepteert.',
  },
  lostAccess: {
    subject: 'Kies een nieuw wachtwoord',
    lead: 'U hebt een nieuw wachtwoord voor uw Vidimus-account aangevraagd. Met deze link kiest u er een en bent u meteen ingelogd.',
    replaces: 'Uw oude wachtwoord en uw passkeys werken dan niet meer, en alle andere sessies eindigen.',
    go: 'Nieuw wachtwoord kiezen',
    goTo: (tenants) => `Nieuw wachtwoord kiezen voor ${tenants}`,
    sameBrowser: 'Open de link in de browser waarin u hem hebt aangevraagd.',
    unexpected: 'Hebt u hem niet aangevraagd? Negeer deze e-mail dan. Uw wachtwoord verandert niet.',
  },
  verificationLink: {
    test: 'Test',
    subject: (merchant) => `${merchant}: bevestig met uw digitale identiteit`,
    lead: (merchant) => `${merchant} vraagt u om iets te bevestigen met uw digitale identiteit.`,
    purpose: (purpose) => `Reden: ${purpose}`,
    consent:
      'Om uw privacy te beschermen staat in deze e-mail niet wat er wordt gevraagd. U ziet het op de volgende pagina. Er wordt niets gedeeld voordat u in uw wallet akkoord gaat.',
    open: 'Bekijk het verzoek',
    until: (time) => `De link werkt tot ${time}.`,
    unexpected: (merchant) =>
      `Kent u ${merchant} niet? Dan kunt u deze e-mail negeren. We hebben uw adres alleen voor de verzending gebruikt en wissen het daarna.`,
  },
  alert: {
    quota: (tenant, percent, used, quota) => ({
      subject: `${tenant}: ${percent}% van het dagquotum verbruikt`,
      paragraphs: [
        `${tenant} heeft vandaag ${used} van ${quota} verificaties aangemaakt.`,
        'Als het quotum op is, worden verdere verificaties tot middernacht UTC geweigerd.',
      ],
    }),
    webhooks: (tenant, host, since, isDisabled) => ({
      subject: `${tenant}: webhooks naar ${host} mislukken`,
      paragraphs: [
        `Webhooks van ${tenant} naar ${host} mislukken sinds ${since}.`,
        isDisabled
          ? 'We sturen daar geen webhooks meer naartoe. Herstel de ontvanger en zet de bestemming weer aan.'
          : 'We blijven het proberen. Na vijf dagen met fouten sturen we daar geen webhooks meer naartoe.',
      ],
    }),
    open: { quota: 'Gebruik bekijken', webhooks: 'Webhooks bekijken' },
    unsubscribe: 'Deze e-mails uitzetten',
  },
  newSignIn: {
    subject: 'Er is ingelogd op uw account',
    lead: (time, method) => `Er is op ${time} vanuit een nieuwe browser ingelogd op uw Vidimus-account, ${method}.`,
    methods: {
      password: 'met een wachtwoord',
      passkey: 'met een passkey',
      link: 'met een eenmalige link',
      oidc: 'via de login van uw bedrijf',
    },
    yours: 'Was u dit zelf, dan hoeft u niets te doen.',
    notYours: 'Zo niet, log dan in, kies een nieuw wachtwoord en beëindig de andere sessies.',
    open: 'Uw account openen',
  },
  test: {
    subject: 'Test-e-mail van Vidimus',
    lead: 'Uw mailserver heeft deze e-mail geaccepteerd. Vidimus kan nu uitnodigingen en links voor een nieuw wachtwoord versturen.',
  },
}
