// The hosted page in Dutch.

import type { Words } from './words.ts'

export const nl: Words = {
  asks: (merchant) => `${merchant} vraagt u om een bewijs`,
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
  what: 'Wat wordt gevraagd',
  documents: 'Mogelijk met',
  birthDateForAge:
    'Kan uw wallet uw leeftijd alleen met uw geboortedatum aantonen, dan wordt die getoond; wij bewaren die niet en geven die niet door.',
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
  privacy: 'In uw wallet ziet u wat er wordt getoond, en daar beslist u. Deze pagina krijgt daar niets van te zien.',
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
    waiting: { title: 'Wachten op uw wallet', text: 'Deze pagina merkt vanzelf wanneer u hebt geantwoord.' },
    fetched: {
      title: 'Ga verder in uw wallet',
      text: 'Uw wallet heeft het verzoek. Bekijk daar wat er wordt getoond, en bevestig of weiger.',
    },
    checking: { title: 'Wordt gecontroleerd', text: 'Uw antwoord is binnen. Dit duurt even.' },
    completed: {
      title: 'Klaar',
      text: 'Uw antwoord is gecontroleerd en doorgegeven. U kunt deze pagina sluiten.',
    },
    declined: {
      title: 'U hebt geweigerd',
      text: 'Er is niets doorgegeven. Uw wallet weigerde, of heeft niets wat bij het verzoek past.',
    },
    failed: {
      title: 'Niet bewezen',
      text: 'Uw wallet antwoordde, maar het bewijs kon niet worden bevestigd. Er is niets doorgegeven.',
    },
    expired: { title: 'De tijd is om', text: 'Dit verzoek is niet meer geldig. Vraag om een nieuw verzoek.' },
  },
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
  unknown: {
    title: 'Verzoek niet gevonden',
    text: 'Dit verzoek bestaat niet of is verwijderd. Vraag om een nieuwe link.',
  },
}
