// The hosted page in Italian.

import type { Words } from './words.ts'

export const it: Words = {
  asks: (merchant) => `${merchant} ti chiede una prova`,
  onBehalfOf: (tenant) => `Per conto di ${tenant}`,
  colon: ':',
  why: 'Perché',
  registeredPurpose: 'Finalità registrata',
  agree: {
    asks: (merchant) => `${merchant} chiede il tuo consenso`,
    title: 'Nel tuo wallet acconsenti a',
    pay: (amount, payee) => `Pagare ${amount} a ${payee}`,
    recurring: 'Questo pagamento è ricorrente.',
    sign: 'Firmare',
  },
  what: 'Che cosa viene chiesto',
  documents: 'Accettati',
  birthDateForAge:
    'Se il tuo wallet può dimostrare l’età solo con la data di nascita, mostra quella; noi non la conserviamo e non la trasmettiamo.',
  scan: 'Inquadra questo codice con la fotocamera del telefono su cui si trova il tuo wallet.',
  qr: 'Codice QR che apre il tuo wallet',
  sameDevice: 'Apri il wallet su questo dispositivo',
  ageApp: 'Apri l’app dell’età dell’UE',
  anotherDevice: 'Usa un altro dispositivo',
  codeAgain: 'Mostra di nuovo il codice',
  browser: {
    ask: 'Usa un wallet su questo dispositivo o telefono',
    otherWays: 'Altri modi',
    sending: 'La tua risposta è in viaggio…',
    failed: 'Non ha funzionato. Puoi riprovare o scegliere un altro modo.',
  },
  signIn: {
    asks: (merchant) => `Accedi a ${merchant} con il tuo wallet`,
    cancel: 'Annulla l’accesso',
    onward: 'Continua',
    startThere: 'Per usare il telefono, apri il sito sul telefono e accedi da lì.',
  },
  timeLeft: 'Tempo rimasto',
  test: 'Test: non vengono chiesti dati reali',
  testWallet: 'Rispondi con il wallet di prova',
  reload: 'Il tuo browser qui non esegue script. Ricarica la pagina per vedere com’è andata.',
  offline: 'Sei offline. La pagina riprende da sola quando torna la connessione.',
  cookies:
    'Il tuo browser blocca i cookie di questa pagina e quindi non può interrogare da solo un wallet. Il codice e il link funzionano anche senza.',
  privacy: 'Nel tuo wallet vedi che cosa verrà mostrato, ed è lì che decidi. Questa pagina non ne sa nulla.',
  privacyPolicy: 'Informativa sulla privacy',
  support: 'Aiuto',
  language: 'Lingua',
  way: {
    label: 'Come funziona',
    scan: 'Inquadra il codice',
    open: 'Apri il wallet',
    onPhone: 'Continua sul telefono',
    inWallet: 'Conferma nel wallet',
    check: 'In verifica',
    done: 'Fatto',
  },
  steps: {
    waiting: { title: 'In attesa del tuo wallet', text: 'Questa pagina si aggiorna da sola appena hai risposto.' },
    fetched: {
      title: 'Continua nel tuo wallet',
      text: 'Il tuo wallet ha ricevuto la richiesta. Controlla che cosa verrà mostrato, poi conferma o rifiuta.',
    },
    checking: { title: 'In verifica', text: 'La tua risposta è arrivata. Ci vuole un attimo.' },
    completed: {
      title: 'Fatto',
      text: 'La tua risposta è stata verificata e trasmessa. Puoi chiudere questa pagina.',
    },
    declined: {
      title: 'Hai rifiutato',
      text: 'Non è stato trasmesso nulla. Il tuo wallet ha rifiutato, o non ha nulla che corrisponda alla richiesta.',
    },
    failed: {
      title: 'Non dimostrato',
      text: 'Il tuo wallet ha risposto, ma non è stato possibile confermare la prova. Non è stato trasmesso nulla.',
    },
    expired: { title: 'Tempo scaduto', text: 'Questa richiesta non è più valida. Chiedine una nuova.' },
  },
  back: (merchant) => `Torna a ${merchant}`,
  again: (merchant) => `Riprova su ${merchant}`,
  elsewhere: {
    signIn: {
      title: 'Questo accesso è iniziato in un altro browser',
      texts: [
        'Non è stato condiviso nulla.',
        'Per accedere, apri il sito e inizia da lì. Se qualcuno ti ha mandato questo link, non continuare: forse sta cercando di accedere al posto tuo.',
        'Hai iniziato qui? Allora il tuo browser blocca i cookie di questa pagina. Consentili e ricomincia.',
      ],
    },
    held: {
      title: 'Questa richiesta è aperta in un altro browser',
      texts: [
        'Qui non è stato condiviso nulla.',
        'Continua nel browser in cui l’hai aperta per la prima volta. Se non eri tu, chiedi un nuovo link e non usare questo.',
      ],
    },
  },
  unknown: {
    title: 'Richiesta non trovata',
    text: 'Questa richiesta non esiste o è stata rimossa. Chiedi un nuovo link.',
  },
}
