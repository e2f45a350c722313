// The hosted page in Italian.

import type { Words } from './words.ts'

export const it: Words = {
  confirmAge: (merchant, age) => `Conferma a ${merchant} che hai almeno ${age} anni`,
  share: (merchant, list) =>
    list === null ? `Condividi i tuoi dati con ${merchant}` : `Condividi con ${merchant}: ${list}`,
  receives: (merchant) => `${merchant} riceve`,
  yesOrNo: (age) => `almeno ${age} anni, sì o no`,
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
  documents: 'Accettati',
  presents: 'Che cosa mostra il tuo wallet per questo',
  birthDateForAge:
    'Se il tuo wallet può dimostrare la tua età solo con la data di nascita, ce la invia per la verifica; non la conserviamo e non la trasmettiamo a nessuno.',
  issuerToo: (merchant) => `${merchant} vede anche che tipo di documento hai usato e chi lo ha emesso.`,
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
  privacy: 'Il tuo wallet mostra che cosa verrà condiviso. È lì che decidi.',
  noWallet: {
    title: 'Non hai ancora un wallet?',
    text: 'Un wallet è un’app che conserva la tua identità digitale sul telefono. Installa quella del tuo Paese, aggiungi il tuo documento e torna qui.',
  },
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
    waiting: { title: 'In attesa del tuo wallet', text: 'Questa pagina si aggiorna da sola.' },
    fetched: {
      title: 'Continua nel tuo wallet',
      text: 'Il tuo wallet ha aperto la richiesta. Controlla che cosa condivide, poi conferma o rifiuta.',
    },
    checking: { title: 'In verifica', text: 'La tua risposta è arrivata. Ci vuole un attimo.' },
    completed: {
      title: 'Fatto',
      text: 'Il tuo documento è stato verificato e il risultato inviato. Puoi chiudere questa pagina.',
    },
    declined: {
      title: 'Richiesta rifiutata',
      text: 'Non è stato condiviso nulla. Hai rifiutato nel wallet, oppure non contiene un documento adatto.',
    },
    failed: {
      title: 'Non siamo riusciti a confermarlo',
      text: 'Il tuo wallet ha risposto, ma la verifica non è riuscita. I tuoi dati non sono stati condivisi. Riprova con un altro documento.',
    },
    expired: { title: 'Questo link è scaduto', text: 'Non è stato condiviso nulla. Chiedi un nuovo link.' },
  },
  scanned: {
    title: 'Codice inquadrato',
    text: 'Continua sul telefono. Il tuo wallet mostra che cosa condividerà: conferma o rifiuta lì.',
  },
  reasons: {
    revoked: {
      title: 'Questo documento è stato revocato',
      text: (merchant) => `Chi lo ha emesso lo ha revocato. Usane un altro o contatta ${merchant}.`,
    },
    suspended: {
      title: 'Questo documento è sospeso',
      text: (merchant) =>
        `Chi lo ha emesso lo ha sospeso. Chiedi a chi lo ha emesso, usane un altro o contatta ${merchant}.`,
    },
    outdated: {
      title: 'Questo documento oggi non è valido',
      text: () => 'È scaduto o non è ancora valido. Rinnovalo nel tuo wallet e riprova.',
    },
    untrusted: {
      title: 'Questo documento non è accettato qui',
      text: (merchant) =>
        `${merchant} non accetta documenti di questo emittente. Usane un altro o contatta ${merchant}.`,
    },
    incomplete: {
      title: 'Mancava qualcosa',
      text: (merchant) =>
        `Il tuo wallet non ha condiviso tutto ciò che serve a ${merchant}. Riprova e condividi tutto.`,
    },
    uncheckable: {
      title: 'Non siamo riusciti a verificare il documento',
      text: () => 'In questo momento non si può sapere se è ancora valido. Riprova tra qualche minuto.',
    },
    wallet_error: {
      title: 'Il tuo wallet segnala un errore',
      text: () =>
        'Forse non ha un documento adatto o va aggiornato. Riaprilo, aggiungi un documento o usa un altro wallet, poi riprova.',
    },
    not_confirmed: {
      title: 'Non confermato nel wallet',
      text: (merchant) =>
        `Il tuo wallet non ha confermato ciò a cui dovevi acconsentire. Riprova o contatta ${merchant}.`,
    },
    cancelled: {
      title: 'Richiesta annullata',
      text: (merchant) => `${merchant} ha annullato questa richiesta. Non è stato condiviso nulla.`,
    },
  },
  contact: (merchant) => `Contatta ${merchant}`,
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
  stops: {
    busy: { title: 'Troppi tentativi', text: 'Non è stato condiviso nulla. Aspetta un minuto e riprova.' },
    away: {
      title: 'Questa pagina al momento non è disponibile',
      text: 'Non è stato condiviso nulla. Riprova tra poco.',
    },
  },
  tryAgain: 'Riprova',
  unknown: {
    title: 'Richiesta non trovata',
    text: 'Questa richiesta non esiste o è stata rimossa. Chiedi un nuovo link.',
  },
}
