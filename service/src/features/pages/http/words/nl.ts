// The hosted page in Dutch.

import type { Words } from './words.ts'

export const nl: Words = {
  confirmAge: (merchant, age) => `Bevestig aan ${merchant} dat u ${age} jaar of ouder bent`,
  share: (merchant, list) => (list === null ? `Deel uw gegevens met ${merchant}` : `Deel met ${merchant}: ${list}`),
  receives: (merchant) => `${merchant} ontvangt`,
  yesOrNo: (age) => `${age} jaar of ouder, ja of nee`,
  onBehalfOf: (tenant) => `Namens ${tenant}`,
  colon: ':',
  why: 'Waarom',
  registeredPurpose: 'Geregistreerd doel',
  agree: {
    asks: (merchant) => `${merchant} vraagt om uw akkoord`,
    title: 'In uw wallet stemt u in met',
    pay: (amount, payee) => `${amount} betalen aan ${payee}`,
    recurring: 'Dit is een terugkerende betaling.',
    sign: 'Ondertekenen',
  },
  documents: 'Mogelijk met',
  presents: 'Wat uw wallet daarvoor toont',
  birthDateForAge:
    'Kan uw wallet uw leeftijd alleen met uw geboortedatum aantonen, dan stuurt die ons de datum voor de controle; wij bewaren die niet en geven die niet door.',
  issuerToo: (merchant) => `${merchant} ziet ook wat voor bewijs u hebt gebruikt en wie het heeft uitgegeven.`,
  scan: 'Scan deze code met de camera van de telefoon waarop uw wallet staat.',
  qr: 'QR-code die uw wallet opent',
  sameDevice: 'Wallet op dit apparaat openen',
  ageApp: 'EU-leeftijdsapp openen',
  anotherDevice: 'Ander apparaat gebruiken',
  codeAgain: 'Code opnieuw tonen',
  browser: {
    ask: 'Een wallet op dit apparaat of een telefoon gebruiken',
    otherWays: 'Andere manieren',
    sending: 'Uw antwoord is onderweg…',
    failed: 'Dat is niet gelukt. U kunt het opnieuw proberen of een andere manier kiezen.',
  },
  signIn: {
    asks: (merchant) => `Log met uw wallet in bij ${merchant}`,
    cancel: 'Inloggen annuleren',
    onward: 'Doorgaan',
    startThere: 'Wilt u uw telefoon gebruiken, open de website dan op uw telefoon en log daar in.',
  },
  timeLeft: 'Resterende tijd',
  test: 'Test: er worden geen echte gegevens gevraagd',
  testWallet: 'Antwoorden met de testwallet',
  reload: 'Uw browser voert hier geen scripts uit. Laad de pagina opnieuw om te zien hoe het afliep.',
  offline: 'U bent offline. De pagina gaat vanzelf verder zodra u weer verbinding hebt.',
  cookies:
    'Uw browser blokkeert cookies voor deze pagina en kan daarom niet zelf een wallet vragen. De code en de link werken ook zonder.',
  privacy: 'Uw wallet laat zien wat er wordt gedeeld. Daar beslist u.',
  noWallet: {
    title: 'Nog geen wallet?',
    text: 'Een wallet is een app die uw digitale identiteitsbewijs op uw telefoon bewaart. Installeer de app van uw land, voeg uw identiteitsbewijs toe en kom dan terug.',
  },
  privacyPolicy: 'Privacyverklaring',
  support: 'Hulp',
  language: 'Taal',
  way: {
    label: 'Zo werkt het',
    scan: 'Code scannen',
    open: 'Wallet openen',
    onPhone: 'Verder op uw telefoon',
    inWallet: 'Bevestigen in de wallet',
    check: 'Wordt gecontroleerd',
    done: 'Klaar',
  },
  steps: {
    waiting: { title: 'Wachten op uw wallet', text: 'Deze pagina werkt vanzelf bij.' },
    fetched: {
      title: 'Ga verder in uw wallet',
      text: 'Uw wallet heeft het verzoek geopend. Controleer wat er wordt gedeeld, en bevestig of weiger.',
    },
    checking: { title: 'Wordt gecontroleerd', text: 'Uw antwoord is binnen. Dit duurt even.' },
    completed: {
      title: 'Klaar',
      text: 'Uw bewijs is gecontroleerd en het resultaat is verstuurd. U kunt deze pagina sluiten.',
    },
    declined: {
      title: 'Verzoek geweigerd',
      text: 'Er is niets gedeeld. U weigerde in uw wallet, of die bevat geen passend bewijs.',
    },
    failed: {
      title: 'We konden dit niet bevestigen',
      text: 'Uw wallet antwoordde, maar de controle is mislukt. Uw gegevens zijn niet gedeeld. Probeer het met een ander bewijs.',
    },
    expired: { title: 'Deze link is verlopen', text: 'Er is niets gedeeld. Vraag om een nieuwe link.' },
  },
  scanned: {
    title: 'Code gescand',
    text: 'Ga verder op uw telefoon. Uw wallet laat zien wat er wordt gedeeld: bevestig of weiger daar.',
  },
  reasons: {
    revoked: {
      title: 'Dit bewijs is ingetrokken',
      text: (merchant) =>
        `De uitgever heeft het ingetrokken. Gebruik een ander bewijs of neem contact op met ${merchant}.`,
    },
    suspended: {
      title: 'Dit bewijs is geblokkeerd',
      text: (merchant) =>
        `De uitgever heeft het tijdelijk geblokkeerd. Vraag het de uitgever, gebruik een ander bewijs of neem contact op met ${merchant}.`,
    },
    outdated: {
      title: 'Dit bewijs is vandaag niet geldig',
      text: () => 'Het is verlopen of nog niet geldig. Vernieuw het in uw wallet en probeer het opnieuw.',
    },
    untrusted: {
      title: 'Dit bewijs wordt hier niet geaccepteerd',
      text: (merchant) =>
        `${merchant} accepteert geen bewijzen van deze uitgever. Gebruik een ander bewijs of neem contact op met ${merchant}.`,
    },
    incomplete: {
      title: 'Er ontbrak iets',
      text: (merchant) => `Uw wallet deelde niet alles wat ${merchant} nodig heeft. Probeer het opnieuw en deel alles.`,
    },
    uncheckable: {
      title: 'We konden uw bewijs niet controleren',
      text: () => 'Of het nog geldig is, was nu niet vast te stellen. Probeer het over een paar minuten opnieuw.',
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
      title: 'Deze aanmelding is in een andere browser begonnen',
      texts: [
        'Er is niets gedeeld.',
        'Wilt u zich aanmelden, open dan de website en begin daar. Heeft iemand u deze link gestuurd, ga dan niet verder: misschien probeert iemand zich als u aan te melden.',
        'Bent u hier begonnen? Dan blokkeert uw browser cookies voor deze pagina. Sta ze toe en begin opnieuw.',
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
    busy: { title: 'Te veel pogingen', text: 'Er is niets gedeeld. Wacht een minuut en probeer het opnieuw.' },
    away: { title: 'Deze pagina is nu niet bereikbaar', text: 'Er is niets gedeeld. Probeer het zo opnieuw.' },
  },
  tryAgain: 'Opnieuw proberen',
  unknown: {
    title: 'Verzoek niet gevonden',
    text: 'Dit verzoek bestaat niet of is verwijderd. Vraag om een nieuwe link.',
  },
}
