// The hosted page for a payment: the words that speak of a card and an amount, where the others speak of an ID. One text per language.

import type { Language } from '../../../../../../labels/catalogue.ts'
import type { Step } from '../../../../core/verifications/domain/progress.ts'
import type { EndReason } from '../../domain/end-reason.ts'
import type { StepText, Words } from './words.ts'

type Replaced = Pick<
  Words,
  'documents' | 'issuerToo' | 'privacy' | 'sameDevice' | 'leave' | 'scanned' | 'tryAnother' | 'noWallet'
>

export interface PaymentWords extends Replaced {
  readonly way: Pick<Words['way'], 'onPhone' | 'inWallet' | 'confirmed' | 'check' | 'result'>
  readonly steps: Readonly<Partial<Record<Step, Partial<StepText>>>>
  readonly reasons: Readonly<Partial<Record<EndReason, Partial<StepText>>>>
}

const en: PaymentWords = {
  documents: 'Accepted cards',
  issuerToo: (merchant) => `${merchant} also sees which kind of card you used and who issued it.`,
  privacy: '',
  sameDevice: { wide: 'Pay on this device', narrow: 'Pay in your wallet' },
  leave: () => 'Cancel payment',
  scanned: {
    title: 'Continue on your phone',
    text: () => 'Your wallet shows the amount and the payee. Confirm or decline there.',
  },
  tryAnother: 'Try with another card',
  noWallet: {
    title: 'No wallet yet?',
    text: 'A wallet is an app that holds your cards and IDs on your phone. Install the one for your country, add your card, then come back.',
  },
  way: {
    onPhone: 'Confirm the payment on your phone',
    inWallet: 'Confirm the payment',
    confirmed: 'Payment confirmed',
    check: 'We check your card',
    result: (merchant) => `${merchant} receives the confirmation`,
  },
  steps: {
    fetched: { text: () => 'Check the amount and the payee, then confirm or decline.' },
    checking: { title: 'Checking your card' },
    declined: { title: 'You have not paid', text: () => 'You declined, or your wallet has no matching card.' },
    failed: {
      title: 'We could not confirm the payment',
      text: () => 'The check of your card failed. You have not paid. Use another card.',
    },
    expired: {
      title: 'This payment link has expired',
      text: (merchant) => `You have not paid. Start the payment again at ${merchant}.`,
    },
  },
  reasons: {
    revoked: {
      title: 'This card has been revoked',
      text: () => 'Contact the bank that issued it, or use another card.',
    },
    suspended: { title: 'This card is suspended', text: () => 'Contact the bank that issued it, or use another card.' },
    outdated: {
      title: 'This card is not valid today',
      text: () => 'It has expired or is not valid yet. Renew it in your wallet, or use another card.',
    },
    untrusted: {
      title: 'This card is not accepted here',
      text: (merchant) => `${merchant} does not accept cards from this issuer. Use another card.`,
    },
    uncheckable: { title: 'We could not check your card' },
    wallet_error: {
      text: () => 'It may have no matching card or need an update. Add a card or use another wallet, then try again.',
    },
    cancelled: {
      title: 'Payment cancelled',
      text: (merchant) => `${merchant} has cancelled this payment. You have not paid.`,
    },
  },
}

const de: PaymentWords = {
  documents: 'Akzeptierte Karten',
  issuerToo: (merchant) => `${merchant} sieht auch, welche Art von Karte Sie verwenden und wer sie ausgegeben hat.`,
  privacy: '',
  sameDevice: { wide: 'Auf diesem Gerät zahlen', narrow: 'In der Wallet zahlen' },
  leave: () => 'Zahlung abbrechen',
  scanned: {
    title: 'Weiter auf Ihrem Smartphone',
    text: () => 'Ihre Wallet zeigt Betrag und Empfänger. Dort bestätigen Sie oder lehnen ab.',
  },
  tryAnother: 'Mit anderer Karte versuchen',
  noWallet: {
    title: 'Noch keine Wallet?',
    text: 'Eine Wallet ist eine App, die Ihre Karten und Ausweise auf dem Smartphone aufbewahrt. Installieren Sie die App Ihres Landes, fügen Sie Ihre Karte hinzu und kommen Sie dann zurück.',
  },
  way: {
    onPhone: 'Zahlung auf dem Smartphone bestätigen',
    inWallet: 'Zahlung bestätigen',
    confirmed: 'Zahlung bestätigt',
    check: 'Wir prüfen Ihre Karte',
    result: (merchant) => `${merchant} erhält die Bestätigung`,
  },
  steps: {
    fetched: { text: () => 'Prüfen Sie Betrag und Empfänger. Dann bestätigen Sie oder lehnen ab.' },
    checking: { title: 'Ihre Karte wird geprüft' },
    declined: {
      title: 'Sie haben nicht bezahlt',
      text: () => 'Sie haben abgelehnt, oder Ihre Wallet enthält keine passende Karte.',
    },
    failed: {
      title: 'Wir konnten die Zahlung nicht bestätigen',
      text: () =>
        'Die Prüfung Ihrer Karte ist fehlgeschlagen. Sie haben nicht bezahlt. Verwenden Sie eine andere Karte.',
    },
    expired: {
      title: 'Dieser Zahlungslink ist abgelaufen',
      text: (merchant) => `Sie haben nicht bezahlt. Beginnen Sie die Zahlung bei ${merchant} noch einmal.`,
    },
  },
  reasons: {
    revoked: {
      title: 'Diese Karte wurde widerrufen',
      text: () => 'Wenden Sie sich an die Bank, die sie ausgegeben hat, oder verwenden Sie eine andere Karte.',
    },
    suspended: {
      title: 'Diese Karte ist vorübergehend gesperrt',
      text: () => 'Wenden Sie sich an die Bank, die sie ausgegeben hat, oder verwenden Sie eine andere Karte.',
    },
    outdated: {
      title: 'Diese Karte ist heute nicht gültig',
      text: () =>
        'Sie ist abgelaufen oder noch nicht gültig. Erneuern Sie sie in Ihrer Wallet, oder verwenden Sie eine andere.',
    },
    untrusted: {
      title: 'Diese Karte wird hier nicht akzeptiert',
      text: (merchant) => `${merchant} akzeptiert keine Karten dieser Stelle. Verwenden Sie eine andere Karte.`,
    },
    uncheckable: { title: 'Wir konnten Ihre Karte nicht prüfen' },
    wallet_error: {
      text: () =>
        'Vielleicht fehlt eine passende Karte oder ein Update. Fügen Sie eine Karte hinzu oder verwenden Sie eine andere Wallet, und versuchen Sie es noch einmal.',
    },
    cancelled: {
      title: 'Zahlung zurückgezogen',
      text: (merchant) => `${merchant} hat diese Zahlung zurückgezogen. Sie haben nicht bezahlt.`,
    },
  },
}

const fr: PaymentWords = {
  documents: 'Cartes acceptées',
  issuerToo: (merchant) => `${merchant} voit aussi quel type de carte vous utilisez et qui l’a émise.`,
  privacy: '',
  sameDevice: { wide: 'Payer sur cet appareil', narrow: 'Payer dans mon portefeuille' },
  leave: () => 'Annuler le paiement',
  scanned: {
    title: 'Continuez sur votre téléphone',
    text: () => 'Votre portefeuille affiche le montant et le bénéficiaire. Acceptez ou refusez dans le portefeuille.',
  },
  tryAnother: 'Essayer une autre carte',
  noWallet: {
    title: 'Pas encore de portefeuille ?',
    text: 'Un portefeuille est une application qui garde vos cartes et vos justificatifs sur votre téléphone. Installez celle de votre pays, ajoutez votre carte, puis revenez ici.',
  },
  way: {
    onPhone: 'Confirmez le paiement sur votre téléphone',
    inWallet: 'Confirmez le paiement',
    confirmed: 'Paiement confirmé',
    check: 'Nous vérifions votre carte',
    result: (merchant) => `${merchant} reçoit la confirmation`,
  },
  steps: {
    fetched: { text: () => 'Vérifiez le montant et le bénéficiaire, puis acceptez ou refusez.' },
    checking: { title: 'Nous vérifions votre carte' },
    declined: {
      title: 'Vous n’avez pas payé',
      text: () => 'Vous avez refusé, ou votre portefeuille ne contient aucune carte correspondante.',
    },
    failed: {
      title: 'Nous n’avons pas pu confirmer le paiement',
      text: () => 'La vérification de votre carte a échoué. Vous n’avez pas payé. Utilisez une autre carte.',
    },
    expired: {
      title: 'Ce lien de paiement a expiré',
      text: (merchant) => `Vous n’avez pas payé. Recommencez le paiement chez ${merchant}.`,
    },
  },
  reasons: {
    revoked: {
      title: 'Cette carte a été révoquée',
      text: () => 'Adressez-vous à la banque qui l’a émise, ou utilisez une autre carte.',
    },
    suspended: {
      title: 'Cette carte est suspendue',
      text: () => 'Adressez-vous à la banque qui l’a émise, ou utilisez une autre carte.',
    },
    outdated: {
      title: 'Cette carte n’est pas valable aujourd’hui',
      text: () =>
        'Elle a expiré ou n’est pas encore valable. Renouvelez-la dans votre portefeuille, ou utilisez une autre carte.',
    },
    untrusted: {
      title: 'Cette carte n’est pas acceptée ici',
      text: (merchant) => `${merchant} n’accepte pas les cartes de cet émetteur. Utilisez une autre carte.`,
    },
    uncheckable: { title: 'Nous n’avons pas pu vérifier votre carte' },
    wallet_error: {
      text: () =>
        'Il n’a peut-être aucune carte correspondante ou a besoin d’une mise à jour. Ajoutez une carte ou utilisez un autre portefeuille, puis réessayez.',
    },
    cancelled: {
      title: 'Paiement annulé',
      text: (merchant) => `${merchant} a annulé ce paiement. Vous n’avez pas payé.`,
    },
  },
}

const it: PaymentWords = {
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
  way: {
    onPhone: 'Conferma il pagamento sul telefono',
    inWallet: 'Conferma il pagamento',
    confirmed: 'Pagamento confermato',
    check: 'Verifichiamo la tua carta',
    result: (merchant) => `${merchant} riceve la conferma`,
  },
  steps: {
    fetched: { text: () => 'Controlla l’importo e il beneficiario, poi conferma o rifiuta.' },
    checking: { title: 'Stiamo verificando la tua carta' },
    declined: { title: 'Non hai pagato', text: () => 'Hai rifiutato, oppure il wallet non contiene una carta adatta.' },
    failed: {
      title: 'Non siamo riusciti a confermare il pagamento',
      text: () => 'La verifica della carta non è riuscita. Non hai pagato. Usa un’altra carta.',
    },
    expired: {
      title: 'Questo link di pagamento è scaduto',
      text: (merchant) => `Non hai pagato. Ricomincia il pagamento su ${merchant}.`,
    },
  },
  reasons: {
    revoked: {
      title: 'Questa carta è stata revocata',
      text: () => 'Rivolgiti alla banca che l’ha emessa, oppure usa un’altra carta.',
    },
    suspended: {
      title: 'Questa carta è sospesa',
      text: () => 'Rivolgiti alla banca che l’ha emessa, oppure usa un’altra carta.',
    },
    outdated: {
      title: 'Questa carta oggi non è valida',
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
      text: (merchant) => `${merchant} ha annullato questo pagamento. Non hai pagato.`,
    },
  },
}

const es: PaymentWords = {
  documents: 'Tarjetas aceptadas',
  issuerToo: (merchant) => `${merchant} también ve qué tipo de tarjeta usa y quién la emitió.`,
  privacy: '',
  sameDevice: { wide: 'Pagar en este dispositivo', narrow: 'Pagar en mi cartera' },
  leave: () => 'Cancelar el pago',
  scanned: {
    title: 'Continúe en su teléfono',
    text: () => 'Su cartera muestra el importe y el beneficiario. Acepte o rechace allí.',
  },
  tryAnother: 'Probar con otra tarjeta',
  noWallet: {
    title: '¿Aún no tiene cartera?',
    text: 'Una cartera es una aplicación que guarda sus tarjetas y documentos en el teléfono. Instale la de su país, añada su tarjeta y vuelva aquí.',
  },
  way: {
    onPhone: 'Confirme el pago en el teléfono',
    inWallet: 'Confirme el pago',
    confirmed: 'Pago confirmado',
    check: 'Comprobamos su tarjeta',
    result: (merchant) => `${merchant} recibe la confirmación`,
  },
  steps: {
    fetched: { text: () => 'Compruebe el importe y el beneficiario y acepte o rechace.' },
    checking: { title: 'Comprobando su tarjeta' },
    declined: {
      title: 'No ha pagado',
      text: () => 'Ha rechazado el pago, o su cartera no contiene ninguna tarjeta adecuada.',
    },
    failed: {
      title: 'No hemos podido confirmar el pago',
      text: () => 'La comprobación de su tarjeta ha fallado. No ha pagado. Use otra tarjeta.',
    },
    expired: {
      title: 'Este enlace de pago ha caducado',
      text: (merchant) => `No ha pagado. Empiece el pago de nuevo en ${merchant}.`,
    },
  },
  reasons: {
    revoked: {
      title: 'Esta tarjeta ha sido revocada',
      text: () => 'Diríjase al banco que la emitió, o use otra tarjeta.',
    },
    suspended: {
      title: 'Esta tarjeta está suspendida',
      text: () => 'Diríjase al banco que la emitió, o use otra tarjeta.',
    },
    outdated: {
      title: 'Esta tarjeta no es válida hoy',
      text: () => 'Ha caducado o aún no es válida. Renuévela en su cartera, o use otra tarjeta.',
    },
    untrusted: {
      title: 'Esta tarjeta no se acepta aquí',
      text: (merchant) => `${merchant} no acepta tarjetas de este emisor. Use otra tarjeta.`,
    },
    uncheckable: { title: 'No hemos podido comprobar su tarjeta' },
    wallet_error: {
      text: () =>
        'Quizá no tiene ninguna tarjeta adecuada o necesita una actualización. Añada una tarjeta o use otra cartera, e inténtelo de nuevo.',
    },
    cancelled: { title: 'Pago cancelado', text: (merchant) => `${merchant} ha cancelado este pago. No ha pagado.` },
  },
}

const nl: PaymentWords = {
  documents: 'Geaccepteerde kaarten',
  issuerToo: (merchant) => `${merchant} ziet ook welk soort kaart u gebruikt en wie die heeft uitgegeven.`,
  privacy: '',
  sameDevice: { wide: 'Betalen op dit apparaat', narrow: 'Betalen in uw wallet' },
  leave: () => 'Betaling annuleren',
  scanned: {
    title: 'Ga verder op uw telefoon',
    text: () => 'Uw wallet toont het bedrag en de ontvanger. Bevestig of weiger daar.',
  },
  tryAnother: 'Probeer een andere kaart',
  noWallet: {
    title: 'Nog geen wallet?',
    text: 'Een wallet is een app die uw kaarten en bewijzen op uw telefoon bewaart. Installeer de app van uw land, voeg uw kaart toe en kom dan terug.',
  },
  way: {
    onPhone: 'Bevestig de betaling op uw telefoon',
    inWallet: 'Bevestig de betaling',
    confirmed: 'Betaling bevestigd',
    check: 'Wij controleren uw kaart',
    result: (merchant) => `${merchant} ontvangt de bevestiging`,
  },
  steps: {
    fetched: { text: () => 'Controleer het bedrag en de ontvanger, en bevestig of weiger.' },
    checking: { title: 'Uw kaart wordt gecontroleerd' },
    declined: { title: 'U hebt niet betaald', text: () => 'U hebt geweigerd, of uw wallet bevat geen passende kaart.' },
    failed: {
      title: 'We konden de betaling niet bevestigen',
      text: () => 'De controle van uw kaart is mislukt. U hebt niet betaald. Gebruik een andere kaart.',
    },
    expired: {
      title: 'Deze betaallink is verlopen',
      text: (merchant) => `U hebt niet betaald. Begin de betaling bij ${merchant} opnieuw.`,
    },
  },
  reasons: {
    revoked: {
      title: 'Deze kaart is ingetrokken',
      text: () => 'Neem contact op met de bank die de kaart heeft uitgegeven, of gebruik een andere kaart.',
    },
    suspended: {
      title: 'Deze kaart is tijdelijk geblokkeerd',
      text: () => 'Neem contact op met de bank die de kaart heeft uitgegeven, of gebruik een andere kaart.',
    },
    outdated: {
      title: 'Deze kaart is vandaag niet geldig',
      text: () => 'De kaart is verlopen of nog niet geldig. Vernieuw die in uw wallet, of gebruik een andere kaart.',
    },
    untrusted: {
      title: 'Deze kaart wordt hier niet geaccepteerd',
      text: (merchant) => `${merchant} accepteert geen kaarten van deze uitgever. Gebruik een andere kaart.`,
    },
    uncheckable: { title: 'We konden uw kaart niet controleren' },
    wallet_error: {
      text: () =>
        'Misschien zit er geen passende kaart in of is een update nodig. Voeg een kaart toe of gebruik een andere wallet, en probeer het opnieuw.',
    },
    cancelled: {
      title: 'Betaling ingetrokken',
      text: (merchant) => `${merchant} heeft deze betaling ingetrokken. U hebt niet betaald.`,
    },
  },
}

export const PAYMENT_WORDS: Readonly<Record<Language, PaymentWords>> = { en, de, fr, it, es, nl }
