// The test wallet in Italian.

import type { WalletWords } from './words.ts'

export const it: WalletWords = {
  title: 'Wallet di prova',
  ribbon: 'Wallet di prova: persona inventata, nessun dato reale',
  link: {
    heading: 'Apri una richiesta',
    intro:
      'Incolla il link che un’app wallet aprirebbe. Oppure scegli «Rispondi con il wallet di prova» nella pagina di una verifica.',
    label: 'Link per il wallet',
    open: 'Apri la richiesta',
    another: 'Apri un’altra richiesta',
    holds: 'In questo wallet',
  },
  closed: {
    link: {
      title: 'Questo non è un link per il wallet',
      text: 'Un link per il wallet inizia con openid4vp:// o av://. Copialo per intero.',
    },
    foreign: {
      title: 'Questo link non viene da qui',
      text: 'Questo link non corrisponde ad alcuna verifica di questo servizio. Copialo per intero, oppure crea una nuova verifica.',
    },
    live: {
      title: 'Questa richiesta è reale',
      text: 'Il wallet di prova risponde solo alle verifiche in modalità di test. Creane una con una chiave di test.',
    },
    answered: {
      title: 'Risposta già inviata',
      text: 'A ogni richiesta si può rispondere una volta sola. Crea una nuova verifica per riprovare.',
    },
    expired: {
      title: 'Questa richiesta è scaduta',
      text: 'Non è arrivata alcuna risposta in tempo. Crea una nuova verifica per riprovare.',
    },
    unavailable: {
      title: 'Impossibile recuperare la richiesta',
      text: 'Il servizio non l’ha consegnata. Torna alla pagina della verifica e apri il wallet da lì.',
    },
    request: {
      title: 'Il wallet rifiuta questa richiesta',
      text: 'La richiesta viola una regola del protocollo. Qualsiasi wallet conforme la rifiuterebbe.',
    },
    nothing_held: {
      title: 'Non è stato condiviso nulla',
      text: 'Questo wallet non contiene un documento adatto, oppure ha rifiutato. La richiesta è ancora aperta.',
    },
    choice: {
      title: 'Questa scelta non è possibile',
      text: 'Il wallet di prova non la consente. Torna indietro e scegli altro.',
    },
  },
  certificate: 'Certificato',
  unsigned: 'Questa richiesta non è firmata. La risposta va a',
  registered: 'Registrato',
  registeredFor: 'Registrato per',
  warns: 'Il tuo wallet ti avverte',
  warnings: {
    unregistered:
      'Questo sito non ha mostrato di essere registrato per chiedere questi dati. In modalità di prova è normale.',
    several_registrations: 'Questo sito mostra più di una registrazione.',
    malformed_registration: 'La registrazione di questo sito non è leggibile.',
    untrusted_registration: 'La registrazione di questo sito viene da un ente che questo wallet non conosce.',
    expired_registration: 'La registrazione di questo sito è scaduta.',
    revoked_registration: 'La registrazione di questo sito è stata revocata.',
    unknown_status: 'Non è stato possibile sapere se la registrazione di questo sito è stata revocata.',
    wrong_party: 'La registrazione appartiene a un altro soggetto.',
    wrong_intermediary: 'La registrazione non indica questo intermediario.',
    service_mismatch: 'La registrazione vale per un servizio diverso da quello che fa la richiesta.',
    over_asking: 'Questo sito chiede più di quanto ha registrato.',
  },
  agree: {
    title: 'Che cosa confermi con la tua firma',
    type: 'Tipo',
    exact: 'Che cosa firmi esattamente',
    letterForLetter: 'Di questo testo viene firmato l’hash, carattere per carattere',
  },
  shares: 'Condividi',
  paysWith: 'Paghi con',
  choose: 'Con che cosa vuoi rispondere?',
  optional: 'Facoltativo',
  withhold: 'Non condividere',
  holdsIt: 'Che lo possiedi',
  noMatch: 'Questo wallet non contiene un documento adatto a questa richiesta. Puoi solo rifiutarla.',
  exactRequest: 'Che cosa consente la richiesta',
  technical: 'Dettagli tecnici',
  consent: { share: 'Condividi', confirm: 'Conferma', signIn: 'Accedi', pay: (amount) => `Paga ${amount}` },
  decline: 'Rifiuta',
  trial: {
    scenario: 'Caso di prova',
    succeeds: 'Deve riuscire',
    fails: 'Deve fallire',
    more: 'Altre opzioni di prova',
    channel: 'Come viene interpellato il wallet',
    transaction: 'Che cosa firma il wallet',
    exactly: 'Esattamente ciò che confermi',
  },
  channels: {
    link: 'Tramite il link, come un’app',
    'openid4vp-v1-signed': 'Tramite questo browser: Digital Credentials API con OpenID4VP',
    'org-iso-mdoc': 'Tramite questo browser: Digital Credentials API con ISO 18013-7, allegato C (solo mdoc)',
  },
  scenarios: {
    good: 'Tutto come richiesto',
    declined: 'La persona rifiuta',
    expired: 'Il documento è scaduto ieri',
    revoked: 'Il documento è revocato',
    suspended: 'Il documento è sospeso',
    untrusted: 'Un emittente non attendibile con lo stesso nome',
    wrong_nonce: 'Legato a un altro nonce',
    wrong_audience: 'Legato a un altro sito',
    tampered: 'I dati sono stati modificati dopo la firma dell’emittente',
    replayed: 'Risposta a una richiesta precedente, inviata di nuovo',
    missing_claim: 'Manca uno dei dati richiesti',
    over_disclosing: 'Vengono condivisi tutti i dati, richiesti o no',
  },
  answered: 'Risposta inviata',
  failed: 'Verifica non riuscita',
  declined: 'Hai rifiutato questa richiesta.',
  stillOpen: {
    title: 'Non è stato condiviso nulla',
    text: 'Hai rifiutato in questo browser. La richiesta è ancora aperta e può ricevere una risposta.',
  },
  expected: (scenario) => `È il risultato previsto: hai scelto il caso di prova «${scenario}».`,
  unexpected: (scenario, end) =>
    end === null
      ? `Risultato insolito: il caso di prova «${scenario}» dovrebbe riuscire.`
      : `Risultato insolito: il caso di prova «${scenario}» dovrebbe fallire con ${end}.`,
  shared: 'Hai condiviso',
  onward: (merchant) => `Continua su ${merchant}`,
  back: 'Torna alla richiesta',
  facts: { http: 'Stato HTTP della risposta', status: 'Stato della verifica', error: 'Codice di errore' },
}
