// The hosted page in Dutch.

import type { Words } from './words.ts'

export const nl: Words = {
  confirmAge: (merchant, age) => `Bevestig aan ${merchant} dat u ${age} jaar of ouder bent`,
  share: (merchant, list) => (list === null ? `Deel uw gegevens met ${merchant}` : `Deel met ${merchant}: ${list}`),
  receives: (merchant) => `${merchant} ontvangt`,
  yesOrNo: (age) => `Of u ${age} jaar of ouder bent (alleen\u00a0ja\u00a0of\u00a0nee)`,
  colon: ':',
  why: 'Waarom',
  registeredPurpose: 'Geregistreerd doel',
  agree: {
    asks: (merchant) => `${merchant} vraagt u om bevestiging`,
    title: 'In uw wallet bevestigt u',
    payTo: (payee) => `Betaling aan ${payee}`,
    paidTo: (payee) => `aan ${payee}`,
    asksToPay: (merchant, payee) => `${merchant} vraagt u om ${payee} te betalen.`,
    reference: 'Kenmerk',
    pay: (amount, payee) => `${amount} betalen aan ${payee}`,
    onlyThere: 'Uw wallet toont het bedrag en de ontvanger. U betaalt pas als u daar bevestigt.',
    recurring: 'Dit is een terugkerende betaling.',
    sign: 'Ondertekenen',
  },
  documents: 'Geaccepteerde bewijzen',
  presents: 'Wat uw wallet voor de controle verstuurt',
  birthDateForAge:
    'Kan uw wallet uw leeftijd alleen met uw geboortedatum aantonen, dan stuurt hij ons de datum voor de controle. Wij bewaren de datum niet en geven hem niet door.',
  issuerToo: (merchant) => `${merchant} ziet ook welk soort bewijs u gebruikt en wie het heeft uitgegeven.`,
  scan: 'Scan deze code met de camera van uw telefoon om uw wallet te openen.',
  qr: 'QR-code die uw wallet opent',
  sameDevice: { wide: 'Open een wallet op dit apparaat', narrow: 'Open uw wallet' },
  ageApp: 'EU-leeftijdsapp openen',
  anotherDevice: 'Ander apparaat gebruiken',
  codeAgain: 'Code opnieuw tonen',
  walletAgain: 'Wallet opnieuw openen',
  browser: {
    ask: 'Kies uw wallet',
    otherOptions: 'Andere opties',
    orScan: 'of scan met uw telefoon',
    sending: 'Uw antwoord is onderweg…',
    failed: 'Dat is niet gelukt. Probeer het opnieuw of kies een andere optie.',
  },
  signIn: {
    asks: (merchant) => `Log met uw wallet in bij ${merchant}`,
    cancel: 'Inloggen annuleren',
    onward: 'Doorgaan',
    startThere: 'Wilt u op uw telefoon inloggen, open de website dan daar.',
    how: 'Bevestig in uw wallet en u bent ingelogd, zonder wachtwoord.',
    howWithCode:
      'Scan de code en bevestig in uw wallet. Uw telefoon toont dan een code die u hier invoert. U hebt geen wachtwoord nodig.',
  },
  timeLeft: 'Resterende tijd',
  test: 'Testmodus: geen echte gegevens.',
  testWallet: 'Antwoorden met de testwallet',
  reload: 'JavaScript staat uit in uw browser. Laad de pagina opnieuw om het resultaat te zien.',
  offline: 'U bent offline. De pagina gaat verder zodra u weer online bent.',
  cookies:
    'Uw browser blokkeert cookies voor deze pagina. Daarom kunt u hier geen wallet kiezen. De QR-code en de link werken wel.',
  privacy: 'Uw wallet laat alles zien voordat u het deelt.',
  noWallet: {
    title: 'Nog geen wallet?',
    text: 'Een wallet is een app die uw digitale identiteitsbewijs op uw telefoon bewaart. Installeer de app van uw land, voeg uw identiteitsbewijs toe en kom dan terug.',
  },
  privacyPolicy: 'Privacyverklaring',
  support: 'Hulp',
  language: 'Taal',
  progress: {
    label: 'Voortgang',
    opened: 'Verzoek geopend',
    onPhone: 'Bevestig op uw telefoon',
    inWallet: 'Bevestig in uw wallet',
    confirmed: 'Bevestigd in uw wallet',
    check: 'Wij controleren uw bewijs',
    result: (merchant) => `${merchant} ontvangt het resultaat`,
  },
  steps: {
    waiting: { title: 'Wachten op uw wallet', text: () => 'Daarna gaat deze pagina vanzelf verder.' },
    fetched: { title: 'Ga verder in uw wallet', text: () => 'Controleer wat er wordt gedeeld, en bevestig of weiger.' },
    checking: {
      title: 'Uw bewijs wordt gecontroleerd',
      text: () => 'Dit duurt meestal maar enkele seconden. Houd deze pagina open.',
    },
    completed: { title: 'Klaar', text: (merchant) => `${merchant} heeft het resultaat ontvangen.` },
    declined: {
      title: 'Er is niets gedeeld',
      text: () => 'U hebt het verzoek geweigerd, of uw wallet bevat geen passend bewijs.',
    },
    failed: {
      title: 'Bewijs niet bevestigd',
      text: () => 'De controle van uw bewijs is mislukt. Uw gegevens zijn niet doorgegeven. Gebruik een ander bewijs.',
    },
    expired: {
      title: 'Deze link is verlopen',
      text: (merchant) => `Er is niets gedeeld. Vraag ${merchant} om een nieuwe link.`,
    },
  },
  scanned: {
    title: 'Ga verder op uw telefoon',
    text: () => 'Uw wallet laat zien wat er wordt gedeeld. Bevestig of weiger daar.',
  },
  done: {
    age: { title: 'Leeftijd gecontroleerd', text: (merchant) => `${merchant} heeft het antwoord ontvangen.` },
    details: { title: 'Gegevens gedeeld', text: (merchant) => `${merchant} heeft ze ontvangen.` },
    payment: { title: 'Betaling bevestigd', text: (merchant) => `${merchant} heeft uw bevestiging ontvangen.` },
    agreement: { title: 'Bevestigd', text: (merchant) => `${merchant} heeft uw bevestiging ontvangen.` },
  },
  close: 'U kunt deze pagina sluiten.',
  received: (merchant) => `Wat ${merchant} heeft ontvangen`,
  notPassedOn: 'Uw gegevens zijn niet doorgegeven.',
  reasons: {
    revoked: {
      title: 'Dit bewijs is ingetrokken',
      text: () => 'Neem contact op met de instantie die het heeft uitgegeven, of gebruik een ander bewijs.',
    },
    suspended: {
      title: 'Dit bewijs is tijdelijk geblokkeerd',
      text: () => 'Neem contact op met de instantie die het heeft uitgegeven, of gebruik een ander bewijs.',
    },
    outdated: {
      title: 'Dit bewijs is momenteel niet geldig',
      text: () => 'Het is verlopen of nog niet geldig. Vernieuw het in uw wallet, of gebruik een ander bewijs.',
    },
    untrusted: {
      title: 'Dit bewijs wordt hier niet geaccepteerd',
      text: (merchant) => `${merchant} accepteert geen bewijzen van deze uitgever. Gebruik een ander bewijs.`,
    },
    incomplete: {
      title: 'Er ontbreken gegevens',
      text: (merchant) => `Uw wallet deelde niet alles wat ${merchant} nodig heeft. Probeer het opnieuw en deel alles.`,
    },
    uncheckable: {
      title: 'We konden uw bewijs niet controleren',
      text: () => 'We konden niet vaststellen of het nog geldig is. Probeer het over een paar minuten opnieuw.',
    },
    wallet_error: {
      title: 'Uw wallet meldt een fout',
      text: () =>
        'Misschien zit er geen passend bewijs in of is een update nodig. Open de wallet opnieuw, voeg een bewijs toe of gebruik een andere wallet, en probeer het nog eens.',
    },
    not_confirmed: {
      title: 'Niet bevestigd in uw wallet',
      text: (merchant) =>
        `Uw wallet bevestigde niet waarmee u akkoord moest gaan. Probeer het opnieuw of neem contact op met ${merchant}.`,
    },
    cancelled: {
      title: 'Verzoek ingetrokken',
      text: (merchant) => `${merchant} heeft dit verzoek ingetrokken. Er is niets gedeeld.`,
    },
  },
  contact: (merchant) => `Contact met ${merchant}`,
  back: (merchant) => `Terug naar ${merchant}`,
  again: (merchant) => `Opnieuw proberen bij ${merchant}`,
  elsewhere: {
    signIn: {
      title: 'Het inloggen is in een andere browser begonnen',
      texts: [
        'Er is niets gedeeld.',
        'Wilt u inloggen, open dan de website en begin daar. Heeft iemand u deze link gestuurd, ga dan niet verder: misschien probeert iemand als u in te loggen.',
        'Bent u hier begonnen? Dan blokkeert uw browser cookies voor deze pagina. Sta ze toe en begin opnieuw.',
      ],
    },
    signInOver: {
      title: 'Het inloggen is beëindigd',
      texts: [
        'Bent u ingelogd, dan kunt u deze pagina sluiten.',
        'Wilt u inloggen, open dan de website en begin daar. Heeft iemand u deze link gestuurd, dan probeerde misschien iemand als u in te loggen.',
      ],
    },
    held: {
      title: 'Dit verzoek is in een andere browser geopend',
      texts: [
        'Hier is niets gedeeld.',
        'Ga verder in de browser waarin u het eerst hebt geopend. Was u dat niet, vraag dan om een nieuwe link en gebruik deze niet.',
      ],
    },
  },
  stops: {
    busy: { title: 'Te veel pogingen', text: 'Wacht een minuut en probeer het opnieuw.' },
    away: { title: 'Deze pagina is nu niet bereikbaar', text: 'Probeer het zo opnieuw.' },
  },
  tryAgain: 'Opnieuw proberen',
  tryAnother: 'Probeer een ander bewijs',
  goBack: 'Terug',
  unknown: {
    title: 'Verzoek niet gevonden',
    text: 'Dit verzoek bestaat niet of niet meer. Ga terug naar de website of het bericht waar u vandaan komt en open de link daar opnieuw.',
  },
}
