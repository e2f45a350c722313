import type { MailWords } from './words.ts'

export const it: MailWords = {
  footer: (host) => `Inviato da Vidimus su ${host}. Le risposte a questa e-mail non vengono lette.`,
  once: (until) => `Il link funziona una sola volta, fino al ${until}.`,
  roles: { owner: 'proprietario', admin: 'amministratore', viewer: 'lettore' },
  invitation: {
    subject: (tenant) => `Entra nel team di ${tenant} su Vidimus`,
    lead: (tenant, role) => `${tenant} ti invita a entrare nel suo team su Vidimus. Il tuo ruolo: ${role}.`,
    accept: 'Accetta l’invito',
    unexpected: 'Se non aspettavi questa e-mail, ignorala. Nessun account viene creato senza di te.',
  },
  signIn: {
    subject: 'Il tuo link di accesso',
    lead: 'Con questo link accedi a Vidimus. Poi scegli una nuova password nel tuo account.',
    go: 'Accedi',
    goTo: (tenants) => `Accedi a ${tenants}`,
    sameBrowser: 'Aprilo nel browser in cui l’hai richiesto.',
    unexpected: 'Se non l’hai richiesto, ignora questa e-mail. La tua password resta invariata.',
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
  usage: {
    subject: (tenant, percent) => `${tenant}: usato il ${percent} % della quota di oggi`,
    lead: (used, quota) => `Sono state usate ${used} verifiche su ${quota} della quota di oggi.`,
    remedy: 'Quando la quota è esaurita, le nuove verifiche vengono rifiutate fino a mezzanotte (UTC).',
    open: 'Apri l’utilizzo',
  },
  webhooks: {
    subject: (tenant) => `${tenant}: i webhook non arrivano`,
    lead: (environment) => `Un destinatario dei tuoi webhook (${environment}) non li accetta.`,
    remedy: 'Controlla il destinatario. Puoi inviare di nuovo i webhook falliti dalla dashboard.',
    open: 'Apri i webhook',
  },
  subscribed: 'Ricevi questo avviso perché l’hai attivato nel tuo account. Lì puoi disattivarlo.',
  test: {
    subject: 'E-mail di prova da Vidimus',
    lead: 'Il tuo server di posta ha accettato questa e-mail. Ora Vidimus può inviare inviti, link di accesso e avvisi.',
  },
}
