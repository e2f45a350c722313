// The hosted page in Italian.

import type { Words } from './words.ts'

export const it: Words = {
  confirmAge: (merchant, age) => `Conferma a ${merchant} che hai almeno ${age} anni`,
  share: (merchant, list) =>
    list === null ? `Condividi i tuoi dati con ${merchant}` : `Condividi con ${merchant}: ${list}`,
  receives: (merchant) => `${merchant} riceve`,
  yesOrNo: (age) => `Se hai almeno ${age} anni (solo\u00a0sì\u00a0o\u00a0no)`,
  colon: ':',
  why: 'Perché',
  registeredPurpose: 'Finalità registrata',
  agree: {
    asks: (merchant) => `${merchant} ti chiede una conferma`,
    title: 'Nel tuo wallet confermi',
    payTo: (payee) => `Pagamento a ${payee}`,
    paidTo: (payee) => `a ${payee}`,
    asksToPay: (merchant, payee) => `${merchant} ti chiede di pagare ${payee}.`,
    reference: 'Riferimento',
    pay: (amount, payee) => `Pagare ${amount} a ${payee}`,
    onlyThere: 'Il tuo wallet mostra l’importo e il beneficiario. Paghi solo se confermi lì.',
    recurring: 'Questo pagamento è ricorrente.',
    sign: 'Firmare',
  },
  documents: 'Documenti accettati',
  presents: 'Che cosa invia il tuo wallet per la verifica',
  birthDateForAge:
    'Se il tuo wallet può dimostrare la tua età solo con la data di nascita, ce la invia per la verifica. Non la conserviamo e non la trasmettiamo a nessuno.',
  issuerToo: (merchant) => `${merchant} vede anche che tipo di documento usi e chi lo ha emesso.`,
  scan: 'Inquadra questo codice con la fotocamera del telefono per aprire il tuo wallet.',
  qr: 'Codice QR che apre il tuo wallet',
  sameDevice: { wide: 'Apri un wallet su questo dispositivo', narrow: 'Apri il tuo wallet' },
  ageApp: 'Apri l’app dell’età dell’UE',
  anotherDevice: 'Usa un altro dispositivo',
  codeAgain: 'Mostra di nuovo il codice',
  walletAgain: 'Apri di nuovo il wallet',
  browser: {
    ask: 'Scegli il tuo wallet',
    otherOptions: 'Altre opzioni',
    orScan: 'o scansiona con il telefono',
    sending: 'La tua risposta è in viaggio…',
    failed: 'Non ha funzionato. Riprova o scegli un’altra opzione.',
  },
  signIn: {
    asks: (merchant) => `Accedi a ${merchant} con il tuo wallet`,
    cancel: 'Annulla l’accesso',
    onward: 'Continua',
    startThere: 'Per accedere dal telefono, apri il sito sul telefono.',
    how: 'Conferma nel tuo wallet e accedi, senza password.',
    howWithCode:
      'Scansiona il codice e conferma nel tuo wallet. Il telefono mostra poi un codice da inserire qui. Non serve una password.',
  },
  timeLeft: 'Tempo rimasto',
  test: 'Modalità di prova: nessun dato reale.',
  testWallet: 'Rispondi con il wallet di prova',
  reload: 'JavaScript è disattivato nel tuo browser. Ricarica la pagina per vedere il risultato.',
  offline: 'Sei offline. La pagina riprende quando torni online.',
  cookies:
    'Il tuo browser blocca i cookie di questa pagina, quindi qui non puoi scegliere un wallet. Il codice QR e il link funzionano comunque.',
  privacy: 'Il tuo wallet ti mostra tutto prima della condivisione.',
  noWallet: {
    title: 'Non hai ancora un wallet?',
    text: 'Un wallet è un’app che conserva la tua identità digitale sul telefono. Installa quella del tuo Paese, aggiungi il tuo documento e torna qui.',
  },
  privacyPolicy: 'Informativa sulla privacy',
  support: 'Aiuto',
  language: 'Lingua',
  progress: {
    label: 'Avanzamento',
    opened: 'Richiesta aperta',
    onPhone: 'Conferma sul telefono',
    inWallet: 'Conferma nel wallet',
    confirmed: 'Confermato nel wallet',
    check: 'Verifichiamo il tuo documento',
    result: (merchant) => `${merchant} riceve il risultato`,
  },
  steps: {
    waiting: { title: 'In attesa del tuo wallet', text: () => 'Poi la pagina continua da sola.' },
    fetched: {
      title: 'Continua nel tuo wallet',
      text: () => 'Controlla che cosa verrà condiviso, poi conferma o rifiuta.',
    },
    checking: {
      title: 'Stiamo verificando il tuo documento',
      text: () => 'Di solito bastano pochi secondi. Lascia aperta questa pagina.',
    },
    completed: { title: 'Fatto', text: (merchant) => `${merchant} ha ricevuto il risultato.` },
    declined: {
      title: 'Non è stato condiviso nulla',
      text: () => 'Hai rifiutato la richiesta, oppure il wallet non contiene un documento adatto.',
    },
    failed: {
      title: 'Documento non confermato',
      text: () =>
        'La verifica del documento non è riuscita. I tuoi dati non sono stati trasmessi. Usa un altro documento.',
    },
    expired: {
      title: 'Questo link è scaduto',
      text: (merchant) => `Non è stato condiviso nulla. Chiedi un nuovo link a ${merchant}.`,
    },
  },
  scanned: {
    title: 'Continua sul telefono',
    text: () => 'Il tuo wallet mostra che cosa verrà condiviso. Conferma o rifiuta lì.',
  },
  done: {
    age: { title: 'Età verificata', text: (merchant) => `${merchant} ha ricevuto la risposta.` },
    details: { title: 'Dati condivisi', text: (merchant) => `${merchant} li ha ricevuti.` },
    payment: { title: 'Pagamento confermato', text: (merchant) => `${merchant} ha ricevuto la tua conferma.` },
    agreement: { title: 'Confermato', text: (merchant) => `${merchant} ha ricevuto la tua conferma.` },
  },
  close: 'Puoi chiudere questa pagina.',
  received: (merchant) => `Che cosa ha ricevuto ${merchant}`,
  notPassedOn: 'I tuoi dati non sono stati trasmessi.',
  reasons: {
    revoked: {
      title: 'Questo documento è stato revocato',
      text: () => 'Rivolgiti all’ufficio che lo ha emesso, oppure usa un altro documento.',
    },
    suspended: {
      title: 'Questo documento è sospeso',
      text: () => 'Rivolgiti all’ufficio che lo ha emesso, oppure usa un altro documento.',
    },
    outdated: {
      title: 'Questo documento al momento non è valido',
      text: () => 'È scaduto o non è ancora valido. Rinnovalo nel tuo wallet, oppure usa un altro documento.',
    },
    untrusted: {
      title: 'Questo documento non è accettato qui',
      text: (merchant) => `${merchant} non accetta documenti di questo emittente. Usa un altro documento.`,
    },
    incomplete: {
      title: 'Mancano alcuni dati',
      text: (merchant) =>
        `Il tuo wallet non ha condiviso tutto ciò che serve a ${merchant}. Riprova e condividi tutto.`,
    },
    uncheckable: {
      title: 'Non siamo riusciti a verificare il documento',
      text: () => 'Non siamo riusciti a stabilire se è ancora valido. Riprova tra qualche minuto.',
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
    signInOver: {
      title: 'Questo accesso è terminato',
      texts: [
        'Se hai già effettuato l’accesso, puoi chiudere questa pagina.',
        'Per accedere, apri il sito e inizia da lì. Se qualcuno ti ha mandato questo link, forse ha cercato di accedere al posto tuo.',
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
    busy: { title: 'Troppi tentativi', text: 'Aspetta un minuto e riprova.' },
    away: {
      title: 'Questa pagina al momento non è disponibile',
      text: 'Riprova tra poco.',
    },
  },
  tryAgain: 'Riprova',
  tryAnother: 'Prova con un altro documento',
  goBack: 'Indietro',
  unknown: {
    title: 'Richiesta non trovata',
    text: 'Questa richiesta non esiste o non esiste più. Torna al sito o al messaggio da cui arrivi e apri di nuovo il link.',
  },
}
