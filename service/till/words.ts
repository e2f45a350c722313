// What the till says, in English and German.

export const LANGUAGES = ['en', 'de'] as const
export type Language = (typeof LANGUAGES)[number]

const ENGLISH = {
  /** For dates. */
  locale: 'en-GB',
  other: 'Deutsch',
  offline: 'No connection',
  pairTitle: 'Pair this till',
  pairHint: 'Type the pairing code that your merchant account shows.',
  pairLabel: 'Pairing code',
  pair: 'Pair',
  pairing: 'Pairing…',
  scan: 'Scan the code',
  stopScan: 'Stop scanning',
  noCamera: 'The camera cannot be used. Type the code instead.',
  badCode: 'This code is not valid. It may be mistyped, used already or too old.',
  pairUnknown: 'No answer. Check the connection; if the code no longer works, ask for a new one.',
  tooMany: 'Too many attempts. Wait a moment.',
  revoked: 'This till was revoked. Ask for a new pairing code to use it again.',
  lost: 'The till lost its pairing while the connection failed. Ask for a new pairing code.',
  choose: 'What do you want to check?',
  starting: 'One moment…',
  unpair: 'Unpair this till',
  unpairSure: 'Tap again to unpair',
  show: 'Scan with your wallet',
  code: 'QR code for the wallet',
  cancel: 'Cancel',
  left: (time: string) => `${time} left`,
  yes: 'Yes',
  no: 'No',
  again: 'Next',
  timeUp: 'Time ran out',
  declined: 'The holder declined.',
  notGenuine: 'What was presented could not be accepted.',
  gone: 'This check is no longer there.',
  quota: 'The daily number of checks is used up.',
  notAllowed: 'This till may not ask for that any more.',
  trouble: 'Something went wrong. Try again.',
  noConnection: 'No connection. Try again in a moment.',
  templates: {
    age_over_16: '16 or older?',
    age_over_18: '18 or older?',
    age_over_21: '21 or older?',
    identity: 'Identity',
    identity_extended: 'Identity, extended',
    address: 'Address',
    nationality: 'Nationality',
    driving_licence: 'Driving licence',
    portrait: 'Portrait',
  } as Readonly<Record<string, string>>,
  claims: {
    age_over_16: '16 or older',
    age_over_18: '18 or older',
    age_over_21: '21 or older',
    given_name: 'Given name',
    family_name: 'Family name',
    birth_date: 'Date of birth',
    birth_place: 'Place of birth',
    nationalities: 'Nationalities',
    address: 'Address',
    document_number: 'Document number',
    issuing_country: 'Issuing country',
    issuing_authority: 'Issuing authority',
    issue_date: 'Issued on',
    expiry_date: 'Valid until',
    driving_privileges: 'Categories',
    portrait: 'Portrait',
  } as Readonly<Record<string, string>>,
}

export type Words = typeof ENGLISH

const GERMAN: Words = {
  locale: 'de-DE',
  other: 'English',
  offline: 'Keine Verbindung',
  pairTitle: 'Diese Kasse koppeln',
  pairHint: 'Geben Sie den Kopplungscode aus Ihrem Händlerkonto ein.',
  pairLabel: 'Kopplungscode',
  pair: 'Koppeln',
  pairing: 'Wird gekoppelt…',
  scan: 'Code scannen',
  stopScan: 'Scannen beenden',
  noCamera: 'Die Kamera ist nicht verfügbar. Bitte tippen Sie den Code ein.',
  badCode: 'Dieser Code gilt nicht. Er ist vertippt, schon verwendet oder abgelaufen.',
  pairUnknown: 'Keine Antwort. Prüfen Sie die Verbindung; gilt der Code nicht mehr, lassen Sie einen neuen erstellen.',
  tooMany: 'Zu viele Versuche. Bitte warten Sie einen Moment.',
  revoked: 'Diese Kasse wurde gesperrt. Zum Weiterarbeiten ist ein neuer Kopplungscode nötig.',
  lost: 'Die Kopplung ging bei einem Verbindungsausfall verloren. Bitte einen neuen Kopplungscode erstellen lassen.',
  choose: 'Was möchten Sie prüfen?',
  starting: 'Einen Moment…',
  unpair: 'Kopplung aufheben',
  unpairSure: 'Zum Aufheben noch einmal tippen',
  show: 'Mit Ihrer Wallet scannen',
  code: 'QR-Code für die Wallet',
  cancel: 'Abbrechen',
  left: (time) => `noch ${time}`,
  yes: 'Ja',
  no: 'Nein',
  again: 'Weiter',
  timeUp: 'Zeit abgelaufen',
  declined: 'Die Person hat abgelehnt.',
  notGenuine: 'Der Nachweis konnte nicht anerkannt werden.',
  gone: 'Diese Prüfung gibt es nicht mehr.',
  quota: 'Die Prüfungen für heute sind aufgebraucht.',
  notAllowed: 'Diese Kasse darf das nicht mehr abfragen.',
  trouble: 'Etwas ist schiefgegangen. Bitte noch einmal versuchen.',
  noConnection: 'Keine Verbindung. Bitte gleich noch einmal versuchen.',
  templates: {
    age_over_16: '16 oder älter?',
    age_over_18: '18 oder älter?',
    age_over_21: '21 oder älter?',
    identity: 'Identität',
    identity_extended: 'Identität, erweitert',
    address: 'Anschrift',
    nationality: 'Staatsangehörigkeit',
    driving_licence: 'Führerschein',
    portrait: 'Lichtbild',
  },
  claims: {
    age_over_16: '16 oder älter',
    age_over_18: '18 oder älter',
    age_over_21: '21 oder älter',
    given_name: 'Vorname',
    family_name: 'Nachname',
    birth_date: 'Geburtsdatum',
    birth_place: 'Geburtsort',
    nationalities: 'Staatsangehörigkeiten',
    address: 'Anschrift',
    document_number: 'Dokumentnummer',
    issuing_country: 'Ausstellungsland',
    issuing_authority: 'Behörde',
    issue_date: 'Ausgestellt am',
    expiry_date: 'Gültig bis',
    driving_privileges: 'Klassen',
    portrait: 'Lichtbild',
  },
}

export const WORDS: Readonly<Record<Language, Words>> = { en: ENGLISH, de: GERMAN }

/** Keys that we have no words for are the merchant's own: shown as they are, a little more readable. */
export function titleOf(words: Words, template: string): string {
  return words.templates[template] ?? readable(template)
}

export function labelOf(words: Words, claim: string): string {
  return words.claims[claim] ?? readable(claim)
}

function readable(key: string): string {
  const text = key.replace(/[_.-]+/g, ' ').trim()
  return text.charAt(0).toUpperCase() + text.slice(1)
}
