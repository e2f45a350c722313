// Italian: the words of a payment.

import type { PaymentWords } from './payment-words.ts'

export const it: PaymentWords = {
  documents: 'Carte accettate',
  issuerToo: (merchant) => `${merchant} vede anche che tipo di carta usi e chi l’ha emessa.`,
  privacy: '',
  sameDevice: { wide: 'Paga su questo dispositivo', narrow: 'Paga nel tuo wallet' },
  leave: () => 'Annulla il pagamento',
  scanned: {
    title: 'Continua sul telefono',
    text: () => 'Il tuo wallet mostra l’importo e il beneficiario. Conferma o rifiuta lì.',
  },
  tryAnother: 'Prova con un’altra carta',
  noWallet: {
    title: 'Non hai ancora un wallet?',
    text: 'Un wallet è un’app che conserva carte e documenti sul telefono. Installa quella del tuo Paese, aggiungi la tua carta e torna qui.',
  },
  progress: {
    onPhone: 'Conferma il pagamento sul telefono',
    inWallet: 'Conferma il pagamento',
    confirmed: 'Pagamento confermato',
    check: 'Verifichiamo la tua carta',
    result: (merchant) => `${merchant} riceve la conferma`,
  },
  steps: {
    fetched: { text: () => 'Controlla l’importo e il beneficiario, poi conferma o rifiuta.' },
    checking: { title: 'Stiamo verificando la tua carta' },
    declined: {
      title: 'Pagamento interrotto',
      text: () => 'Non è stato pagato nulla. Hai rifiutato, oppure il wallet non contiene una carta adatta.',
    },
    failed: {
      title: 'Non siamo riusciti a confermare il pagamento',
      text: () => 'La verifica della carta non è riuscita. Non è stato pagato nulla. Usa un’altra carta.',
    },
    expired: {
      title: 'Questo link di pagamento è scaduto',
      text: (merchant) => `Non è stato pagato nulla. Ricomincia il pagamento su ${merchant}.`,
    },
  },
  notPaid: 'Non è stato pagato nulla.',
  reasons: {
    revoked: { title: 'Questa carta è bloccata', text: () => 'Rivolgiti alla tua banca, oppure usa un’altra carta.' },
    suspended: {
      title: 'Questa carta è sospesa',
      text: () => 'Rivolgiti alla banca che l’ha emessa, oppure usa un’altra carta.',
    },
    outdated: {
      title: 'Questa carta al momento non è valida',
      text: () => 'È scaduta o non è ancora valida. Rinnovala nel tuo wallet, oppure usa un’altra carta.',
    },
    untrusted: {
      title: 'Questa carta non è accettata qui',
      text: (merchant) => `${merchant} non accetta carte di questo emittente. Usa un’altra carta.`,
    },
    uncheckable: { title: 'Non siamo riusciti a verificare la carta' },
    wallet_error: {
      text: () =>
        'Forse non ha una carta adatta o va aggiornato. Aggiungi una carta o usa un altro wallet, poi riprova.',
    },
    cancelled: {
      title: 'Pagamento annullato',
      text: (merchant) => `${merchant} ha annullato questo pagamento. Non è stato pagato nulla.`,
    },
  },
}
