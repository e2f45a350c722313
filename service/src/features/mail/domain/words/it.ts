// The texts of mails in Italian.

import type { MailWords } from './words.ts'

export const it: MailWords = {
  footer: (host) => `Inviato da Vidimus su ${host}. Non rispondere: questa casella non viene letta.`,
  once: (until) => `Il link funziona una sola volta, fino al ${until}.`,
  orOpen: 'Se il pulsante non funziona, apri questo indirizzo:',
  roles: { owner: 'proprietario', admin: 'amministratore', viewer: 'visualizzatore' },
  invitation: {
    subject: (tenant) => `Invito nel team di ${tenant} su Vidimus`,
    lead: (tenant, role) => `${tenant} ti invita a entrare nel suo team su Vidimus. Il tuo ruolo: ${role}.`,
    accept: 'Accetta l’invito',
    unexpected: 'Se non aspettavi questa e-mail, ignorala. Un account viene creato solo se accetti.',
  },
  lostAccess: {
    subject: 'Scegli una nuova password',
    lead: 'Hai chiesto una nuova password per il tuo account Vidimus. Con questo link ne scegli una e accedi.',
    replaces: 'La vecchia password e le passkey smettono allora di funzionare, e tutte le altre sessioni terminano.',
    go: 'Scegli una nuova password',
    goTo: (tenants) => `Scegli una nuova password per ${tenants}`,
    sameBrowser: 'Apri il link nel browser in cui l’hai richiesto.',
    unexpected: 'Se non l’hai richiesto, ignora questa e-mail. La tua password resta invariata.',
  },
  verificationLink: {
    test: 'Test',
    subject: (merchant) => `${merchant}: conferma con la tua identità digitale`,
    lead: (merchant) => `${merchant} ti chiede di confermare qualcosa con la tua identità digitale.`,
    purpose: (purpose) => `Motivo: ${purpose}`,
    consent:
      'Per proteggere la tua privacy, questa e-mail non dice che cosa viene chiesto. Lo vedi nella pagina successiva. Nulla viene condiviso prima del tuo consenso nel wallet.',
    open: 'Vedi la richiesta',
    until: (time) => `Il link funziona fino al ${time}.`,
    unexpected: (merchant) =>
      `Non conosci ${merchant}? Ignora questa e-mail. Il tuo indirizzo è servito solo per l’invio e poi viene cancellato.`,
  },
  alert: {
    quota: (tenant, percent, used, quota) => ({
      subject: `${tenant}: usato il ${percent}% della quota giornaliera`,
      paragraphs: [
        `${tenant} ha creato oggi ${used} verifiche su ${quota}.`,
        'Quando la quota è esaurita, le verifiche successive sono rifiutate fino a mezzanotte UTC.',
      ],
    }),
    webhooks: (tenant, host, since, isDisabled) => ({
      subject: `${tenant}: i webhook verso ${host} falliscono`,
      paragraphs: [
        `I webhook di ${tenant} verso ${host} falliscono dal ${since}.`,
        isDisabled
          ? 'Abbiamo smesso di inviarli. Correggi il ricevitore, poi riattiva la destinazione.'
          : 'Continuiamo a riprovare. Dopo cinque giorni di errori smettiamo di inviarli.',
      ],
    }),
    open: { quota: 'Vedi l’utilizzo', webhooks: 'Vedi i webhook' },
    unsubscribe: 'Disattiva queste e-mail',
  },
  newSignIn: {
    subject: 'Nuovo accesso al tuo account',
    lead: (time, method) => `C’è stato un accesso al tuo account Vidimus da un nuovo browser il ${time}, ${method}.`,
    methods: {
      password: 'con una password',
      passkey: 'con una passkey',
      link: 'con un link monouso',
      oidc: 'tramite l’accesso della tua azienda',
    },
    yours: 'Se eri tu, non devi fare nulla.',
    notYours: 'Altrimenti accedi, scegli una nuova password e termina le altre sessioni.',
    open: 'Apri il tuo account',
  },
  test: {
    subject: 'E-mail di prova da Vidimus',
    lead: 'Il tuo server di posta ha accettato questa e-mail. Ora Vidimus può inviare inviti e link per scegliere una nuova password.',
  },
}
