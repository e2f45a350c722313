// Texts of the page that verifies receipts, in six languages.

import type { Language } from '../../../../../labels/catalogue.ts'
import type { ReceiptProblem } from '../../../../../wire/values/log.ts'

export interface ReceiptPageWords {
  readonly title: string
  readonly lead: string
  readonly choose: string
  /** Instead of `choose`, below a result. */
  readonly another: string
  readonly pick: string
  readonly local: string
  readonly script: string
  readonly checking: string
  readonly verified: string
  readonly verifiedText: string
  readonly verifiedRejected: string
  readonly compare: string
  readonly notVerified: string
  readonly missing: string
  readonly problems: Readonly<Record<ReceiptProblem, string>>
  readonly test: string
  readonly facts: Readonly<Record<'outcome' | 'asked' | 'time' | 'verification' | 'company' | 'issuer' | 'log', string>>
  readonly accepted: string
  readonly rejected: string
}

const en: ReceiptPageWords = {
  title: 'Verify a receipt',
  lead: 'Choose a certificate (PDF), or a receipt together with its proof.',
  choose: 'Certificate or receipt',
  another: 'Verify another',
  pick: 'Choose files',
  local: 'The check runs in your browser. Nothing is uploaded.',
  script: 'This page needs JavaScript to check receipts in your browser.',
  checking: 'Checking…',
  verified: 'Genuine receipt',
  verifiedRejected: 'Genuine receipt of a rejected answer',
  verifiedText: 'This service signed the receipt, and its public log has it.',
  compare: 'If you hold a printed certificate, compare it with these details. Only the details below are verified.',
  notVerified: 'Not verified',
  missing: 'One file is missing',
  problems: {
    malformed: 'This is not a certificate or receipt of Vidimus, or it is damaged. Ask for the original file.',
    too_large: 'This file is too large to be a certificate or receipt.',
    unknown_key:
      'This service did not sign the receipt. Open the page of the service that is named on the certificate.',
    bad_signature: 'The signature is wrong: the receipt was changed or forged. Do not trust it.',
    no_proof:
      'The signature is right, but the proof from the public log is missing. Choose both files, or the certificate.',
    not_in_log: 'The public log does not have this receipt. Do not trust it.',
    no_keys: 'The keys of this service could not be loaded. Check your connection and reload the page.',
    no_log: 'The public log could not be read. Check your connection, or choose the certificate as a file.',
    unsupported: 'Your browser is too old to check signatures of this kind. Use a newer one.',
  },
  test: 'Test environment: this was not a real verification.',
  facts: {
    outcome: 'Outcome',
    asked: 'Template',
    time: 'Time',
    verification: 'Verification',
    company: 'Asked by (company ID)',
    issuer: 'Checked by',
    log: 'Entry in the public log',
  },
  accepted: 'A genuine answer. This receipt does not say what it was.',
  rejected: 'Answer rejected',
}

const de: ReceiptPageWords = {
  title: 'Quittung prüfen',
  lead: 'Wählen Sie eine Bescheinigung (PDF) oder eine Quittung zusammen mit ihrem Eintrag aus dem öffentlichen Log (receipt.tlog-proof).',
  choose: 'Bescheinigung oder Quittung',
  another: 'Weitere Quittung prüfen',
  pick: 'Dateien auswählen',
  local: 'Geprüft wird in Ihrem Browser. Nichts wird hochgeladen.',
  script: 'Diese Seite braucht JavaScript, um Quittungen in Ihrem Browser zu prüfen.',
  checking: 'Wird geprüft …',
  verified: 'Echte Quittung',
  verifiedRejected: 'Echte Quittung über eine abgelehnte Antwort',
  verifiedText: 'Dieser Dienst hat die Quittung signiert, und sie steht in seinem öffentlichen Log.',
  compare: 'Vergleichen Sie eine gedruckte Bescheinigung mit diesen Angaben. Nur die Angaben hier sind geprüft.',
  notVerified: 'Nicht bestätigt',
  missing: 'Eine Datei fehlt',
  problems: {
    malformed:
      'Das ist keine Bescheinigung oder Quittung von Vidimus, oder sie ist beschädigt. Bitten Sie um die Originaldatei.',
    too_large: 'Diese Datei ist zu groß für eine Bescheinigung oder Quittung.',
    unknown_key:
      'Dieser Dienst hat die Quittung nicht signiert. Öffnen Sie die Seite des Dienstes, den die Bescheinigung nennt.',
    bad_signature: 'Die Signatur ist falsch: Die Quittung wurde verändert oder gefälscht. Vertrauen Sie ihr nicht.',
    no_proof:
      'Die Signatur stimmt, aber der Eintrag aus dem öffentlichen Log fehlt. Wählen Sie beide Dateien oder die Bescheinigung.',
    not_in_log: 'Das öffentliche Log enthält diese Quittung nicht. Vertrauen Sie ihr nicht.',
    no_keys:
      'Die Schlüssel dieses Dienstes konnten nicht geladen werden. Prüfen Sie Ihre Verbindung, und laden Sie die Seite neu.',
    no_log:
      'Das öffentliche Log konnte nicht gelesen werden. Prüfen Sie Ihre Verbindung, oder wählen Sie die Bescheinigung als Datei.',
    unsupported: 'Ihr Browser ist zu alt, um solche Signaturen zu prüfen. Verwenden Sie einen neueren.',
  },
  test: 'Testumgebung: Das war keine echte Prüfung.',
  facts: {
    outcome: 'Ergebnis',
    asked: 'Vorlage',
    time: 'Zeitpunkt',
    verification: 'Prüfung',
    company: 'Angefragt von (Unternehmens-ID)',
    issuer: 'Geprüft von',
    log: 'Eintrag im öffentlichen Log',
  },
  accepted: 'Eine echte Antwort. Welche, steht nicht in dieser Quittung.',
  rejected: 'Antwort abgelehnt',
}

const fr: ReceiptPageWords = {
  title: 'Vérifier un reçu',
  lead: 'Choisissez une attestation (PDF), ou un reçu avec sa preuve.',
  choose: 'Attestation ou reçu',
  another: 'Vérifier un autre reçu',
  pick: 'Choisir des fichiers',
  local: 'La vérification se fait dans votre navigateur. Rien n’est envoyé.',
  script: 'Cette page a besoin de JavaScript pour vérifier les reçus dans votre navigateur.',
  checking: 'Vérification…',
  verified: 'Reçu authentique',
  verifiedRejected: 'Reçu authentique d’une réponse refusée',
  verifiedText: 'Ce service a signé le reçu, et il figure dans son registre public.',
  compare: 'Si vous avez une attestation imprimée, comparez-la avec ces indications. Elles seules sont vérifiées.',
  notVerified: 'Non vérifié',
  missing: 'Il manque un fichier',
  problems: {
    malformed:
      'Ce n’est pas une attestation ou un reçu de Vidimus, ou le fichier est endommagé. Demandez le fichier d’origine.',
    too_large: 'Ce fichier est trop grand pour une attestation ou un reçu.',
    unknown_key: 'Ce service n’a pas signé le reçu. Ouvrez la page du service nommé sur l’attestation.',
    bad_signature: 'La signature est fausse : le reçu a été modifié ou falsifié. Ne vous y fiez pas.',
    no_proof:
      'La signature est bonne, mais la preuve du registre public manque. Choisissez les deux fichiers, ou l’attestation.',
    not_in_log: 'Le registre public ne contient pas ce reçu. Ne vous y fiez pas.',
    no_keys: 'Les clés de ce service n’ont pas pu être chargées. Vérifiez votre connexion et rechargez la page.',
    no_log:
      'Le registre public n’a pas pu être lu. Vérifiez votre connexion, ou choisissez l’attestation comme fichier.',
    unsupported: 'Votre navigateur est trop ancien pour vérifier ces signatures. Utilisez-en un plus récent.',
  },
  test: 'Environnement de test : ce n’était pas une vraie vérification.',
  facts: {
    outcome: 'Résultat',
    asked: 'Modèle',
    time: 'Date et heure',
    verification: 'Vérification',
    company: 'Demandée par (identifiant)',
    issuer: 'Vérifiée par',
    log: 'Entrée du registre public',
  },
  accepted: 'Une réponse authentique. Ce reçu ne dit pas laquelle.',
  rejected: 'Réponse refusée',
}

const it: ReceiptPageWords = {
  title: 'Verifica una ricevuta',
  lead: 'Scegli un attestato (PDF), oppure una ricevuta insieme alla sua prova.',
  choose: 'Attestato o ricevuta',
  another: 'Verifica un’altra ricevuta',
  pick: 'Scegli i file',
  local: 'Il controllo avviene nel tuo browser. Nulla viene caricato.',
  script: 'Questa pagina ha bisogno di JavaScript per controllare le ricevute nel tuo browser.',
  checking: 'Controllo in corso…',
  verified: 'Ricevuta autentica',
  verifiedRejected: 'Ricevuta autentica di una risposta rifiutata',
  verifiedText: 'Questo servizio ha firmato la ricevuta, ed è nel suo registro pubblico.',
  compare: 'Se hai un attestato stampato, confrontalo con questi dati. Solo questi dati sono verificati.',
  notVerified: 'Non verificata',
  missing: 'Manca un file',
  problems: {
    malformed: 'Non è un attestato o una ricevuta di Vidimus, oppure il file è danneggiato. Chiedi il file originale.',
    too_large: 'Il file è troppo grande per un attestato o una ricevuta.',
    unknown_key: 'Questo servizio non ha firmato la ricevuta. Apri la pagina del servizio indicato sull’attestato.',
    bad_signature: 'La firma è sbagliata: la ricevuta è stata modificata o falsificata. Non fidarti.',
    no_proof: 'La firma è giusta, ma manca la prova del registro pubblico. Scegli entrambi i file, oppure l’attestato.',
    not_in_log: 'Il registro pubblico non contiene questa ricevuta. Non fidarti.',
    no_keys:
      'Non è stato possibile caricare le chiavi di questo servizio. Controlla la connessione e ricarica la pagina.',
    no_log:
      'Non è stato possibile leggere il registro pubblico. Controlla la connessione, oppure scegli l’attestato come file.',
    unsupported: 'Il tuo browser è troppo vecchio per controllare queste firme. Usane uno più recente.',
  },
  test: 'Ambiente di test: non era una verifica reale.',
  facts: {
    outcome: 'Esito',
    asked: 'Modello',
    time: 'Data e ora',
    verification: 'Verifica',
    company: 'Richiesta da (ID azienda)',
    issuer: 'Controllata da',
    log: 'Voce del registro pubblico',
  },
  accepted: 'Una risposta autentica. Questa ricevuta non dice quale.',
  rejected: 'Risposta rifiutata',
}

const es: ReceiptPageWords = {
  title: 'Comprobar un recibo',
  lead: 'Elija un certificado (PDF), o un recibo junto con su prueba.',
  choose: 'Certificado o recibo',
  another: 'Comprobar otro recibo',
  pick: 'Elegir archivos',
  local: 'La comprobación se hace en su navegador. No se envía nada.',
  script: 'Esta página necesita JavaScript para comprobar recibos en su navegador.',
  checking: 'Comprobando…',
  verified: 'Recibo auténtico',
  verifiedRejected: 'Recibo auténtico de una respuesta rechazada',
  verifiedText: 'Este servicio firmó el recibo, y está en su registro público.',
  compare: 'Si tiene un certificado impreso, compárelo con estos datos. Solo estos datos están comprobados.',
  notVerified: 'No confirmado',
  missing: 'Falta un archivo',
  problems: {
    malformed: 'No es un certificado ni un recibo de Vidimus, o está dañado. Pida el archivo original.',
    too_large: 'El archivo es demasiado grande para un certificado o un recibo.',
    unknown_key: 'Este servicio no firmó el recibo. Abra la página del servicio que nombra el certificado.',
    bad_signature: 'La firma es incorrecta: el recibo fue modificado o falsificado. No se fíe de él.',
    no_proof:
      'La firma es correcta, pero falta la prueba del registro público. Elija los dos archivos, o el certificado.',
    not_in_log: 'El registro público no contiene este recibo. No se fíe de él.',
    no_keys: 'No se pudieron cargar las claves de este servicio. Compruebe su conexión y vuelva a cargar la página.',
    no_log: 'No se pudo leer el registro público. Compruebe su conexión, o elija el certificado como archivo.',
    unsupported: 'Su navegador es demasiado antiguo para comprobar estas firmas. Use uno más reciente.',
  },
  test: 'Entorno de pruebas: no fue una verificación real.',
  facts: {
    outcome: 'Resultado',
    asked: 'Plantilla',
    time: 'Fecha y hora',
    verification: 'Verificación',
    company: 'Pedida por (ID de la empresa)',
    issuer: 'Comprobada por',
    log: 'Entrada del registro público',
  },
  accepted: 'Una respuesta auténtica. Este recibo no dice cuál.',
  rejected: 'Respuesta rechazada',
}

const nl: ReceiptPageWords = {
  title: 'Een ontvangstbewijs controleren',
  lead: 'Kies een certificaat (pdf), of een ontvangstbewijs samen met het logboekbewijs.',
  choose: 'Certificaat of ontvangstbewijs',
  another: 'Nog een ontvangstbewijs controleren',
  pick: 'Bestanden kiezen',
  local: 'De controle gebeurt in uw browser. Er wordt niets geüpload.',
  script: 'Deze pagina heeft JavaScript nodig om ontvangstbewijzen in uw browser te controleren.',
  checking: 'Bezig met controleren…',
  verified: 'Echt ontvangstbewijs',
  verifiedRejected: 'Echt ontvangstbewijs van een afgewezen antwoord',
  verifiedText: 'Deze dienst heeft het ontvangstbewijs ondertekend, en het staat in het openbare logboek.',
  compare:
    'Hebt u een gedrukt certificaat, vergelijk het dan met deze gegevens. Alleen deze gegevens zijn gecontroleerd.',
  notVerified: 'Niet bevestigd',
  missing: 'Er ontbreekt een bestand',
  problems: {
    malformed:
      'Dit is geen certificaat of ontvangstbewijs van Vidimus, of het is beschadigd. Vraag om het oorspronkelijke bestand.',
    too_large: 'Dit bestand is te groot voor een certificaat of ontvangstbewijs.',
    unknown_key:
      'Deze dienst heeft het ontvangstbewijs niet ondertekend. Open de pagina van de dienst die op het certificaat staat.',
    bad_signature: 'De handtekening klopt niet: het ontvangstbewijs is veranderd of vervalst. Vertrouw het niet.',
    no_proof:
      'De handtekening klopt, maar het bewijs uit het openbare logboek ontbreekt. Kies beide bestanden, of het certificaat.',
    not_in_log: 'Het openbare logboek bevat dit ontvangstbewijs niet. Vertrouw het niet.',
    no_keys:
      'De sleutels van deze dienst konden niet worden geladen. Controleer uw verbinding en laad de pagina opnieuw.',
    no_log:
      'Het openbare logboek kon niet worden gelezen. Controleer uw verbinding, of kies het certificaat als bestand.',
    unsupported: 'Uw browser is te oud om zulke handtekeningen te controleren. Gebruik een nieuwere.',
  },
  test: 'Testomgeving: dit was geen echte verificatie.',
  facts: {
    outcome: 'Uitkomst',
    asked: 'Sjabloon',
    time: 'Tijdstip',
    verification: 'Verificatie',
    company: 'Gevraagd door (bedrijfs-ID)',
    issuer: 'Gecontroleerd door',
    log: 'Regel in het openbare logboek',
  },
  accepted: 'Een echt antwoord. Dit ontvangstbewijs zegt niet welk.',
  rejected: 'Antwoord afgewezen',
}

export const RECEIPT_PAGE_WORDS: Readonly<Record<Language, ReceiptPageWords>> = { en, de, fr, it, es, nl }
