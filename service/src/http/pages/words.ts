// What the pages say, in English and German.

export const LANGUAGES = ['en', 'de'] as const
export type Language = (typeof LANGUAGES)[number]

/** What a visitor chose wins over what the browser prefers; English where neither speaks one of ours. */
export function chooseLanguage(chosen: string | undefined, acceptLanguage: string | undefined): Language {
  const preferred = (acceptLanguage ?? '')
    .split(',')
    .map((part) => {
      const [tag = '', ...parameters] = part.trim().split(';')
      const quality = parameters.map((text) => /^\s*q=([\d.]+)$/.exec(text)?.[1]).find((text) => text !== undefined)
      return { tag: tag.toLowerCase(), quality: quality === undefined ? 1 : Number(quality) }
    })
    .filter(({ quality }) => quality > 0)
    .sort((a, b) => b.quality - a.quality)
    .map(({ tag }) => tag.split('-')[0])
  return (
    [chosen, ...preferred]
      .map((tag) => LANGUAGES.find((known) => known === tag))
      .find((known) => known !== undefined) ?? 'en'
  )
}

export interface Words {
  readonly title: string
  readonly asks: (merchant: string) => string
  readonly why: string
  /** Before what the registration certificate says. */
  readonly registeredPurpose: string
  readonly privacyPolicy: string
  readonly what: string
  readonly birthDateForAge: string
  readonly scan: string
  readonly qr: string
  readonly sameDevice: string
  /** Where the browser itself asks the wallets. */
  readonly browser: Readonly<Record<'ask' | 'otherWays' | 'sending' | 'failed', string>>
  /** Where somebody signs in by it. */
  readonly signIn: Readonly<Record<'cancel' | 'onward', string>>
  readonly timeLeft: string
  readonly test: string
  readonly testWallet: string
  readonly reload: string
  readonly privacy: string
  readonly otherLanguage: string
  readonly states: Readonly<Record<'pending' | 'completed' | 'failed' | 'expired', { title: string; text: string }>>
  readonly unknown: { readonly title: string; readonly text: string }
  readonly claims: Readonly<Record<string, string>>
}

export const WORDS: Readonly<Record<Language, Words>> = {
  en: {
    title: 'Show a proof from your wallet',
    asks: (merchant) => `${merchant} asks you for a proof`,
    why: 'Why',
    registeredPurpose: 'Registered purpose',
    privacyPolicy: 'Privacy policy',
    what: 'What is asked for',
    birthDateForAge:
      'If your wallet can only tell your age by your date of birth, it shows that; we neither keep it nor pass it on.',
    scan: 'Scan this code with the camera of the phone that holds your wallet.',
    qr: 'QR code that opens your wallet',
    sameDevice: 'Open the wallet on this device',
    browser: {
      ask: 'Use a wallet on this device or phone',
      otherWays: 'Other ways',
      sending: 'Your answer is on its way…',
      failed: 'That did not work. You can try again, or take one of the other ways.',
    },
    signIn: { cancel: 'Cancel the sign-in', onward: 'Go on' },
    timeLeft: 'Time left',
    test: 'Test: no real data is asked for',
    testWallet: 'Answer with the test wallet',
    reload: 'Your browser runs no scripts here. Reload the page to see how it went.',
    privacy: 'You see in your wallet what would be shown, and decide there. This page learns nothing of it.',
    otherLanguage: 'Deutsch',
    states: {
      pending: { title: 'Waiting for your wallet', text: 'This page notices by itself when you have answered.' },
      completed: { title: 'Done', text: 'Your answer was checked and passed on. You can close this page.' },
      failed: {
        title: 'Not successful',
        text: 'The proof was declined or could not be confirmed. Please ask for a new one.',
      },
      expired: { title: 'Time is up', text: 'This request is no longer valid. Please ask for a new one.' },
    },
    unknown: {
      title: 'Nothing here',
      text: 'There is no such request, or it has been removed. Please ask for a new link.',
    },
    claims: {
      given_name: 'Given name',
      family_name: 'Family name',
      birth_date: 'Date of birth',
      birthdate: 'Date of birth',
      birth_place: 'Place of birth',
      place_of_birth: 'Place of birth',
      nationalities: 'Nationalities',
      nationality: 'Nationality',
      address: 'Address',
      portrait: 'Portrait',
      document_number: 'Document number',
      issuing_country: 'Issuing country',
      issuing_authority: 'Issuing authority',
      issue_date: 'Date of issue',
      expiry_date: 'Date of expiry',
      driving_privileges: 'Driving privileges',
      age_over_16: 'That you are 16 or older',
      age_over_18: 'That you are 18 or older',
      age_over_21: 'That you are 21 or older',
    },
  },
  de: {
    title: 'Nachweis aus Ihrer Wallet zeigen',
    asks: (merchant) => `${merchant} bittet Sie um einen Nachweis`,
    why: 'Wozu',
    registeredPurpose: 'Registrierter Zweck',
    privacyPolicy: 'Datenschutzerklärung',
    what: 'Was gefragt wird',
    birthDateForAge:
      'Kann Ihre Wallet Ihr Alter nur mit dem Geburtsdatum belegen, zeigt sie dieses; wir speichern es nicht und geben es nicht weiter.',
    scan: 'Scannen Sie diesen Code mit der Kamera des Telefons, auf dem Ihre Wallet ist.',
    qr: 'QR-Code, der Ihre Wallet öffnet',
    sameDevice: 'Wallet auf diesem Gerät öffnen',
    browser: {
      ask: 'Wallet auf diesem Gerät oder Telefon verwenden',
      otherWays: 'Andere Wege',
      sending: 'Ihre Antwort ist unterwegs…',
      failed: 'Das hat nicht geklappt. Sie können es noch einmal versuchen oder einen der anderen Wege nehmen.',
    },
    signIn: { cancel: 'Anmeldung abbrechen', onward: 'Weiter' },
    timeLeft: 'Verbleibende Zeit',
    test: 'Test: Es werden keine echten Daten verlangt',
    testWallet: 'Mit der Test-Wallet antworten',
    reload: 'Ihr Browser führt hier keine Skripte aus. Laden Sie die Seite neu, um das Ergebnis zu sehen.',
    privacy: 'Was gezeigt würde, sehen und entscheiden Sie in Ihrer Wallet. Diese Seite erfährt davon nichts.',
    otherLanguage: 'English',
    states: {
      pending: { title: 'Warten auf Ihre Wallet', text: 'Diese Seite bemerkt von selbst, wenn Sie geantwortet haben.' },
      completed: {
        title: 'Erledigt',
        text: 'Ihre Antwort wurde geprüft und weitergegeben. Sie können die Seite schließen.',
      },
      failed: {
        title: 'Nicht erfolgreich',
        text: 'Der Nachweis wurde abgelehnt oder konnte nicht bestätigt werden. Bitte lassen Sie sich eine neue Anfrage geben.',
      },
      expired: {
        title: 'Die Zeit ist um',
        text: 'Diese Anfrage gilt nicht mehr. Bitte lassen Sie sich eine neue geben.',
      },
    },
    unknown: {
      title: 'Hier ist nichts',
      text: 'Diese Anfrage gibt es nicht, oder sie wurde entfernt. Bitte lassen Sie sich einen neuen Link geben.',
    },
    claims: {
      given_name: 'Vorname',
      family_name: 'Familienname',
      birth_date: 'Geburtsdatum',
      birthdate: 'Geburtsdatum',
      birth_place: 'Geburtsort',
      place_of_birth: 'Geburtsort',
      nationalities: 'Staatsangehörigkeiten',
      nationality: 'Staatsangehörigkeit',
      address: 'Anschrift',
      portrait: 'Lichtbild',
      document_number: 'Dokumentnummer',
      issuing_country: 'Ausstellendes Land',
      issuing_authority: 'Ausstellende Behörde',
      issue_date: 'Ausstellungsdatum',
      expiry_date: 'Ablaufdatum',
      driving_privileges: 'Fahrerlaubnisklassen',
      age_over_16: 'Dass Sie 16 oder älter sind',
      age_over_18: 'Dass Sie 18 oder älter sind',
      age_over_21: 'Dass Sie 21 oder älter sind',
    },
  },
}

/** An unknown claim is shown under its own name. */
export function claimName(words: Words, name: string): string {
  return Object.hasOwn(words.claims, name) ? (words.claims[name] ?? name) : name.replaceAll('_', ' ')
}
