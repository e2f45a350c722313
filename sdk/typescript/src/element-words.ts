// What <vidimus-verify> says, in the languages of the hosted page.

const en = {
  browser: 'Use a wallet on this device or phone',
  ways: 'Other ways',
  troubled: 'That did not work. You can try again, or take one of the other ways.',
  scan: 'Scan this code with the camera of the phone that holds your wallet.',
  code: 'QR code that opens your wallet',
  open: 'Open the wallet on this device',
  pending: 'Waiting for your wallet…',
  completed: 'Your answer has arrived.',
  failed: 'Declined, or the proof could not be confirmed.',
  expired: 'The time is up. Please start again.',
  unknown: 'This request no longer exists. Please start again.',
}

export type ElementWords = typeof en

const WORDS: Readonly<Record<string, ElementWords>> = {
  en,
  de: {
    browser: 'Wallet auf diesem Gerät oder Telefon verwenden',
    ways: 'Andere Wege',
    troubled: 'Das hat nicht geklappt. Sie können es noch einmal versuchen oder einen der anderen Wege nehmen.',
    scan: 'Scannen Sie diesen Code mit der Kamera des Telefons, auf dem Ihre Wallet ist.',
    code: 'QR-Code, der Ihre Wallet öffnet',
    open: 'Wallet auf diesem Gerät öffnen',
    pending: 'Wir warten auf Ihre Wallet…',
    completed: 'Ihre Antwort ist da.',
    failed: 'Abgelehnt, oder der Nachweis ließ sich nicht bestätigen.',
    expired: 'Die Zeit ist abgelaufen. Bitte beginnen Sie neu.',
    unknown: 'Diese Anfrage gibt es nicht mehr. Bitte beginnen Sie neu.',
  },
  fr: {
    browser: 'Utiliser un portefeuille sur cet appareil ou un téléphone',
    ways: 'Autres moyens',
    troubled: 'Cela n’a pas fonctionné. Vous pouvez réessayer ou choisir un autre moyen.',
    scan: 'Scannez ce code avec l’appareil photo du téléphone où se trouve votre portefeuille.',
    code: 'Code QR qui ouvre votre portefeuille',
    open: 'Ouvrir le portefeuille sur cet appareil',
    pending: 'En attente de votre portefeuille…',
    completed: 'Votre réponse est arrivée.',
    failed: 'Refusé, ou la preuve n’a pas pu être confirmée.',
    expired: 'Le temps est écoulé. Veuillez recommencer.',
    unknown: 'Cette demande n’existe plus. Veuillez recommencer.',
  },
  it: {
    browser: 'Usa un wallet su questo dispositivo o telefono',
    ways: 'Altri modi',
    troubled: 'Non ha funzionato. Puoi riprovare o scegliere un altro modo.',
    scan: 'Inquadra questo codice con la fotocamera del telefono su cui si trova il tuo wallet.',
    code: 'Codice QR che apre il tuo wallet',
    open: 'Apri il wallet su questo dispositivo',
    pending: 'In attesa del tuo wallet…',
    completed: 'La tua risposta è arrivata.',
    failed: 'Rifiutato, oppure non è stato possibile confermare la prova.',
    expired: 'Il tempo è scaduto. Ricomincia.',
    unknown: 'Questa richiesta non esiste più. Ricomincia.',
  },
  es: {
    browser: 'Usar una cartera en este dispositivo o teléfono',
    ways: 'Otras formas',
    troubled: 'No ha funcionado. Puede intentarlo otra vez o elegir otra forma.',
    scan: 'Escanee este código con la cámara del teléfono en el que está su cartera.',
    code: 'Código QR que abre su cartera',
    open: 'Abrir la cartera en este dispositivo',
    pending: 'Esperando a su cartera…',
    completed: 'Su respuesta ha llegado.',
    failed: 'Rechazado, o no se pudo confirmar lo que presentó.',
    expired: 'Se acabó el tiempo. Empiece de nuevo.',
    unknown: 'Esta solicitud ya no existe. Empiece de nuevo.',
  },
  nl: {
    browser: 'Een wallet op dit apparaat of een telefoon gebruiken',
    ways: 'Andere manieren',
    troubled: 'Dat is niet gelukt. U kunt het opnieuw proberen of een andere manier kiezen.',
    scan: 'Scan deze code met de camera van de telefoon waarop uw wallet staat.',
    code: 'QR-code die uw wallet opent',
    open: 'Wallet op dit apparaat openen',
    pending: 'Wachten op uw wallet…',
    completed: 'Uw antwoord is aangekomen.',
    failed: 'Geweigerd, of het bewijs kon niet worden bevestigd.',
    expired: 'De tijd is om. Begin opnieuw.',
    unknown: 'Dit verzoek bestaat niet meer. Begin opnieuw.',
  },
}

/** `language`: a tag like `de-AT`. English where there is nothing nearer. */
export const elementWords = (language: string): ElementWords => WORDS[language.toLowerCase().split('-')[0] ?? ''] ?? en
