// What the till says, in English and German.

export const LANGUAGES = ['en', 'de'] as const
export type Language = (typeof LANGUAGES)[number]

const ENGLISH = {
  /** For dates. */
  locale: 'en-GB',
  other: 'Deutsch',
  test: 'TEST',
  testMeans: 'For trying out: nothing shown here is proof.',
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
  pay: (amount: string, payee: string) => `Pay ${amount} to ${payee}`,
  agreeTo: 'To agree to',
  fields: { amount: 'Amount', payee: 'Payee', reference: 'Reference', text: 'Text' } as Readonly<
    Record<string, string>
  >,
  askWith: 'Show the code',
  notAccepted: 'These values are not accepted. Please check them.',
  code: 'QR code for the wallet',
  cancel: 'Cancel',
  left: (time: string) => `${time} left`,
  notCancelled: 'No connection: it is cancelled as soon as there is one. Until then it can still be answered.',
  yes: 'Yes',
  no: 'No',
  unproven: 'Not proven',
  again: 'Next',
  timeUp: 'Time ran out.',
  unsaid: 'The answer does not say.',
  forgotten: 'The answer was handed over and is no longer here.',
  notGenuine: 'What was presented could not be accepted.',
  failures: {
    wallet_declined: 'The holder declined, or has nothing that fits.',
    wallet_error: 'The wallet reported an error.',
    query_not_satisfied: 'The wallet did not show what was asked for.',
    credential_invalid: 'The proof is not genuine.',
    issuer_untrusted: 'The proof comes from an issuer that is not trusted here.',
    holder_binding_invalid: 'The proof does not belong to this wallet.',
    credential_expired: 'The proof is out of date.',
    credential_revoked: 'The proof was revoked.',
    credential_suspended: 'The proof is suspended.',
    status_unavailable: 'Whether the proof still holds could not be found out. Try again.',
    transaction_not_confirmed: 'What was to be agreed to was not signed.',
    sca_factors_missing: 'The payment was not confirmed by two factors.',
    authentication_code_reused: 'The proof of the payment was used before.',
    wallet_refused_transaction: 'This wallet cannot agree to that.',
  } as Readonly<Record<string, string>>,
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
  test: 'TEST',
  testMeans: 'Zum Ausprobieren: Nichts hier ist ein Nachweis.',
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
  pay: (amount, payee) => `${amount} an ${payee} zahlen`,
  agreeTo: 'Zur Einwilligung',
  fields: { amount: 'Betrag', payee: 'Empfänger', reference: 'Verwendungszweck', text: 'Text' },
  askWith: 'Code anzeigen',
  notAccepted: 'Diese Angaben werden nicht angenommen. Bitte prüfen.',
  code: 'QR-Code für die Wallet',
  cancel: 'Abbrechen',
  left: (time) => `noch ${time}`,
  notCancelled:
    'Keine Verbindung: Abgebrochen wird, sobald es wieder eine gibt. Bis dahin kann noch geantwortet werden.',
  yes: 'Ja',
  no: 'Nein',
  unproven: 'Nicht nachgewiesen',
  again: 'Weiter',
  timeUp: 'Die Zeit ist abgelaufen.',
  unsaid: 'Die Antwort sagt dazu nichts.',
  forgotten: 'Die Antwort wurde übergeben und ist nicht mehr hier.',
  notGenuine: 'Der Nachweis konnte nicht anerkannt werden.',
  failures: {
    wallet_declined: 'Die Person hat abgelehnt oder hat nichts Passendes.',
    wallet_error: 'Die Wallet hat einen Fehler gemeldet.',
    query_not_satisfied: 'Die Wallet hat nicht gezeigt, wonach gefragt wurde.',
    credential_invalid: 'Der Nachweis ist nicht echt.',
    issuer_untrusted: 'Dem Aussteller des Nachweises wird hier nicht vertraut.',
    holder_binding_invalid: 'Der Nachweis gehört nicht zu dieser Wallet.',
    credential_expired: 'Der Nachweis gilt nicht mehr.',
    credential_revoked: 'Der Nachweis wurde widerrufen.',
    credential_suspended: 'Der Nachweis ist ausgesetzt.',
    status_unavailable: 'Ob der Nachweis noch gilt, war nicht festzustellen. Bitte noch einmal versuchen.',
    transaction_not_confirmed: 'Worin eingewilligt werden sollte, wurde nicht unterschrieben.',
    sca_factors_missing: 'Die Zahlung wurde nicht mit zwei Faktoren bestätigt.',
    authentication_code_reused: 'Der Nachweis der Zahlung wurde schon verwendet.',
    wallet_refused_transaction: 'Diese Wallet kann darin nicht einwilligen.',
  },
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

/** A merchant's own templates by their keys, as the merchant calls them. */
export type Titles = readonly { readonly key: string; readonly title: string }[]

/** Built-in ones in the till's language; of a template that is no longer there, only the key is left. */
export function titleOf(words: Words, titles: Titles, template: string): string {
  return known(words.templates, template) ?? titles.find(({ key }) => key === template)?.title ?? readable(template)
}

export function labelOf(words: Words, claim: string): string {
  return known(words.claims, claim) ?? readable(claim)
}

export function failureOf(words: Words, code: string): string {
  return known(words.failures, code) ?? words.notGenuine
}

/** Minutes and seconds by their names: "4:59" could be a time of day. */
export function durationText(seconds: number): string {
  const minutes = Math.floor(seconds / 60)
  return minutes === 0 ? `${seconds} s` : `${minutes} min ${seconds % 60} s`
}

/** Own members only: a template may be called "constructor". */
function known(table: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined
}

function readable(key: string): string {
  const text = key.replace(/[_.-]+/g, ' ').trim()
  return text.charAt(0).toUpperCase() + text.slice(1)
}
