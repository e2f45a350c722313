// Texts of a certificate, in six languages.

import type { Language } from '../../../../../labels/catalogue.ts'

export interface CertificateWords {
  readonly title: string
  readonly lead: (merchant: string) => string
  readonly test: string
  readonly accepted: string
  readonly acceptedText: string
  readonly rejected: string
  readonly requested: string
  readonly requestErased: string
  readonly merchant: string
  readonly time: string
  readonly verification: string
  readonly issuer: string
  readonly log: string
  readonly logAt: (index: string, origin: string) => string
  readonly receiptHash: string
  readonly check: string
  readonly checkText: (address: string) => string
  readonly compare: string
  readonly noData: string
  readonly qrAlt: (address: string) => string
  readonly files: { readonly receipt: string; readonly proof: string }
}

const en: CertificateWords = {
  title: 'Certificate of verification',
  lead: (merchant) => `${merchant} asked a person for proof from a digital ID. Vidimus checked the answer.`,
  test: 'Test environment: not a real verification',
  accepted: 'Genuine answer',
  acceptedText:
    'The answer was genuine, complete and from a trusted issuer. What was answered, such as yes or no, is not stated here.',
  rejected: 'Answer rejected',
  requested: 'Asked for',
  requestErased: 'No longer stored: the data of this verification was deleted',
  merchant: 'Asked by',
  time: 'Time',
  verification: 'Verification',
  issuer: 'Checked by',
  log: 'Public log',
  logAt: (index, origin) => `Entry ${index} of ${origin}`,
  receiptHash: 'Receipt (SHA-256)',
  check: 'Check this certificate',
  checkText: (address) =>
    `Scan the code, or open ${address} and choose this file. The check runs in your browser: nothing is uploaded.`,
  compare: 'Compare what the page shows with this sheet. The signed receipt counts, not the printed text.',
  noData: 'This certificate names no person and contains none of the data that was shown.',
  qrAlt: (address) => `QR code that leads to ${address} with the receipt of this verification`,
  files: { receipt: 'The signed receipt', proof: 'Proof that the receipt is in the public log' },
}

const de: CertificateWords = {
  title: 'Prüfbescheinigung',
  lead: (merchant) =>
    `${merchant} hat eine Person um einen Nachweis aus einem digitalen Ausweis gebeten. Vidimus hat die Antwort geprüft.`,
  test: 'Testumgebung: keine echte Prüfung',
  accepted: 'Echte Antwort',
  acceptedText:
    'Die Antwort war echt, vollständig und von einem vertrauenswürdigen Aussteller. Was geantwortet wurde, etwa ja oder nein, steht hier nicht.',
  rejected: 'Antwort abgelehnt',
  requested: 'Gefragt nach',
  requestErased: 'Nicht mehr gespeichert: Die Daten dieser Prüfung wurden gelöscht',
  merchant: 'Angefragt von',
  time: 'Zeitpunkt',
  verification: 'Prüfung',
  issuer: 'Geprüft von',
  log: 'Öffentliches Log',
  logAt: (index, origin) => `Eintrag ${index} von ${origin}`,
  receiptHash: 'Quittung (SHA-256)',
  check: 'Diese Bescheinigung prüfen',
  checkText: (address) =>
    `Scannen Sie den Code, oder öffnen Sie ${address} und wählen Sie diese Datei. Geprüft wird in Ihrem Browser, nichts wird hochgeladen.`,
  compare:
    'Vergleichen Sie die Angaben der Seite mit diesem Blatt. Es zählt die signierte Quittung, nicht der gedruckte Text.',
  noData: 'Diese Bescheinigung nennt keine Person und enthält keine der gezeigten Daten.',
  qrAlt: (address) => `QR-Code, der mit der Quittung dieser Prüfung zu ${address} führt`,
  files: { receipt: 'Die signierte Quittung', proof: 'Der Eintrag der Quittung im öffentlichen Log' },
}

const fr: CertificateWords = {
  title: 'Attestation de vérification',
  lead: (merchant) =>
    `${merchant} a demandé à une personne une preuve issue d’une identité numérique. Vidimus a vérifié la réponse.`,
  test: 'Environnement de test : pas une vraie vérification',
  accepted: 'Réponse authentique',
  acceptedText:
    'La réponse était authentique, complète et d’un émetteur reconnu. Ce qui a été répondu, par exemple oui ou non, n’est pas indiqué ici.',
  rejected: 'Réponse refusée',
  requested: 'Demande',
  requestErased: 'N’est plus enregistré : les données de cette vérification ont été effacées',
  merchant: 'Demandée par',
  time: 'Date et heure',
  verification: 'Vérification',
  issuer: 'Vérifiée par',
  log: 'Registre public',
  logAt: (index, origin) => `Entrée ${index} de ${origin}`,
  receiptHash: 'Reçu (SHA-256)',
  check: 'Vérifier cette attestation',
  checkText: (address) =>
    `Scannez le code, ou ouvrez ${address} et choisissez ce fichier. La vérification se fait dans votre navigateur, rien n’est envoyé.`,
  compare: 'Comparez ce que la page affiche avec cette feuille. C’est le reçu signé qui compte, pas le texte imprimé.',
  noData: 'Cette attestation ne nomme personne et ne contient rien de ce qui a été montré.',
  qrAlt: (address) => `Code QR qui mène à ${address} avec le reçu de cette vérification`,
  files: { receipt: 'Le reçu signé', proof: 'Preuve que le reçu figure dans le registre public' },
}

const it: CertificateWords = {
  title: 'Attestato di verifica',
  lead: (merchant) =>
    `${merchant} ha chiesto a una persona una prova da un’identità digitale. Vidimus ha controllato la risposta.`,
  test: 'Ambiente di test: non è una verifica reale',
  accepted: 'Risposta autentica',
  acceptedText:
    'La risposta era autentica, completa e di un emittente affidabile. Che cosa è stato risposto, ad esempio sì o no, non è indicato qui.',
  rejected: 'Risposta rifiutata',
  requested: 'Richiesta',
  requestErased: 'Non più memorizzato: i dati di questa verifica sono stati cancellati',
  merchant: 'Richiesta da',
  time: 'Data e ora',
  verification: 'Verifica',
  issuer: 'Controllata da',
  log: 'Registro pubblico',
  logAt: (index, origin) => `Voce ${index} di ${origin}`,
  receiptHash: 'Ricevuta (SHA-256)',
  check: 'Controlla questo attestato',
  checkText: (address) =>
    `Scansiona il codice, oppure apri ${address} e scegli questo file. Il controllo avviene nel tuo browser, nulla viene caricato.`,
  compare: 'Confronta ciò che mostra la pagina con questo foglio. Conta la ricevuta firmata, non il testo stampato.',
  noData: 'Questo attestato non nomina nessuno e non contiene nulla di ciò che è stato mostrato.',
  qrAlt: (address) => `Codice QR che porta a ${address} con la ricevuta di questa verifica`,
  files: { receipt: 'La ricevuta firmata', proof: 'Prova che la ricevuta è nel registro pubblico' },
}

const es: CertificateWords = {
  title: 'Certificado de verificación',
  lead: (merchant) =>
    `${merchant} pidió a una persona una prueba de una identidad digital. Vidimus comprobó la respuesta.`,
  test: 'Entorno de pruebas: no es una verificación real',
  accepted: 'Respuesta auténtica',
  acceptedText:
    'La respuesta era auténtica, completa y de un emisor de confianza. Lo que se respondió, por ejemplo sí o no, no se indica aquí.',
  rejected: 'Respuesta rechazada',
  requested: 'Se pidió',
  requestErased: 'Ya no se guarda: los datos de esta verificación se han borrado',
  merchant: 'Pedida por',
  time: 'Fecha y hora',
  verification: 'Verificación',
  issuer: 'Comprobada por',
  log: 'Registro público',
  logAt: (index, origin) => `Entrada ${index} de ${origin}`,
  receiptHash: 'Recibo (SHA-256)',
  check: 'Comprobar este certificado',
  checkText: (address) =>
    `Escanee el código, o abra ${address} y elija este archivo. La comprobación se hace en su navegador y no se envía nada.`,
  compare: 'Compare lo que muestra la página con esta hoja. Cuenta el recibo firmado, no el texto impreso.',
  noData: 'Este certificado no nombra a nadie y no contiene nada de lo mostrado.',
  qrAlt: (address) => `Código QR que lleva a ${address} con el recibo de esta verificación`,
  files: { receipt: 'El recibo firmado', proof: 'Prueba de que el recibo está en el registro público' },
}

const nl: CertificateWords = {
  title: 'Verificatiecertificaat',
  lead: (merchant) =>
    `${merchant} heeft iemand om een bewijs uit een digitale identiteit gevraagd. Vidimus heeft het antwoord gecontroleerd.`,
  test: 'Testomgeving: geen echte verificatie',
  accepted: 'Echt antwoord',
  acceptedText:
    'Het antwoord was echt, volledig en van een vertrouwde uitgever. Wat er is geantwoord, zoals ja of nee, staat hier niet.',
  rejected: 'Antwoord afgewezen',
  requested: 'Gevraagd',
  requestErased: 'Niet meer opgeslagen: de gegevens van deze controle zijn gewist',
  merchant: 'Gevraagd door',
  time: 'Tijdstip',
  verification: 'Verificatie',
  issuer: 'Gecontroleerd door',
  log: 'Openbaar logboek',
  logAt: (index, origin) => `Regel ${index} van ${origin}`,
  receiptHash: 'Ontvangstbewijs (SHA-256)',
  check: 'Dit certificaat controleren',
  checkText: (address) =>
    `Scan de code, of open ${address} en kies dit bestand. De controle gebeurt in uw browser, er wordt niets geüpload.`,
  compare: 'Vergelijk wat de pagina toont met dit blad. Het ondertekende ontvangstbewijs telt, niet de gedrukte tekst.',
  noData: 'Dit certificaat noemt geen persoon en bevat niets van wat is getoond.',
  qrAlt: (address) => `QR-code die naar ${address} leidt met het ontvangstbewijs van deze verificatie`,
  files: {
    receipt: 'Het ondertekende ontvangstbewijs',
    proof: 'Bewijs dat het ontvangstbewijs in het openbare logboek staat',
  },
}

export const CERTIFICATE_WORDS: Readonly<Record<Language, CertificateWords>> = { en, de, fr, it, es, nl }
