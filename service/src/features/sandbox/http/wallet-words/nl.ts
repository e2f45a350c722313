// The test wallet in Dutch.

import type { WalletWords } from './words.ts'

export const nl: WalletWords = {
  title: 'Testwallet',
  ribbon: 'Testwallet: verzonnen persoon, geen echte gegevens',
  link: {
    heading: 'Verzoek openen',
    intro:
      'Plak de link die een wallet-app zou openen. Of kies ‘Antwoorden met de testwallet’ op de pagina van een controle.',
    label: 'Walletlink',
    open: 'Verzoek openen',
    another: 'Ander verzoek openen',
    holds: 'In deze wallet',
  },
  closed: {
    link: {
      title: 'Dit is geen walletlink',
      text: 'Een walletlink begint met openid4vp:// of av://. Kopieer de hele link.',
    },
    foreign: {
      title: 'Deze link is niet van hier',
      text: 'Deze link hoort bij geen enkele controle van deze dienst. Kopieer de hele link, of maak een nieuwe controle aan.',
    },
    live: {
      title: 'Dit verzoek is echt',
      text: 'De testwallet beantwoordt alleen controles in de testmodus. Maak er een aan met een testsleutel.',
    },
    answered: {
      title: 'Al beantwoord',
      text: 'Elk verzoek kan één keer worden beantwoord. Maak een nieuwe controle aan om het opnieuw te proberen.',
    },
    expired: {
      title: 'Dit verzoek is verlopen',
      text: 'Er kwam niet op tijd een antwoord. Maak een nieuwe controle aan om het opnieuw te proberen.',
    },
    unavailable: {
      title: 'Het verzoek kon niet worden opgehaald',
      text: 'De dienst heeft het niet vrijgegeven. Ga terug naar de pagina van de controle en open de wallet daar.',
    },
    request: {
      title: 'De wallet weigert dit verzoek',
      text: 'Het verzoek overtreedt een regel van het protocol. Elke conforme wallet zou het weigeren.',
    },
    nothing_held: {
      title: 'Er is niets gedeeld',
      text: 'Deze wallet bevat geen passend bewijs, of heeft geweigerd. Het verzoek staat nog open.',
    },
    choice: {
      title: 'Deze keuze is niet mogelijk',
      text: 'De testwallet ondersteunt dit niet. Ga terug en kies iets anders.',
    },
  },
  certificate: 'Certificaat',
  unsigned: 'Dit verzoek is niet ondertekend. Het antwoord gaat naar',
  registered: 'Geregistreerd',
  registeredFor: 'Geregistreerd voor',
  warns: 'Uw wallet waarschuwt u',
  warnings: {
    unregistered:
      'Deze aanbieder heeft niet laten zien dat hij geregistreerd is om dit te vragen. In de testmodus is dat normaal.',
    several_registrations: 'Deze aanbieder toont meer dan één registratie.',
    malformed_registration: 'De registratie is niet leesbaar.',
    untrusted_registration: 'De registratie komt van een instantie die deze wallet niet kent.',
    expired_registration: 'De registratie is verlopen.',
    revoked_registration: 'De registratie is ingetrokken.',
    unknown_status: 'Het was niet na te gaan of de registratie is ingetrokken.',
    wrong_party: 'De registratie is van iemand anders.',
    wrong_intermediary: 'De registratie noemt deze tussenpersoon niet.',
    service_mismatch: 'De registratie geldt voor een andere dienst dan die het verzoek doet.',
    over_asking: 'Deze aanbieder vraagt meer dan er geregistreerd is.',
  },
  agree: {
    title: 'Wat u met uw handtekening bevestigt',
    type: 'Soort',
    exact: 'Wat u precies ondertekent',
    letterForLetter: 'Deze tekst wordt teken voor teken gehasht en ondertekend',
  },
  shares: 'U deelt',
  paysWith: 'U betaalt met',
  choose: 'Waarmee wilt u antwoorden?',
  optional: 'Optioneel',
  withhold: 'Niet delen',
  holdsIt: 'Dat u het hebt',
  noMatch: 'Deze wallet bevat geen bewijs dat bij dit verzoek past. U kunt het alleen weigeren.',
  exactRequest: 'Wat het verzoek toestaat',
  technical: 'Technische details',
  consent: { share: 'Delen', confirm: 'Bevestigen', signIn: 'Inloggen', pay: (amount) => `${amount} betalen` },
  decline: 'Weigeren',
  trial: {
    scenario: 'Testgeval',
    succeeds: 'Moet slagen',
    fails: 'Moet mislukken',
    more: 'Meer testopties',
    channel: 'Hoe de wallet wordt gevraagd',
    transaction: 'Wat de wallet ondertekent',
    exactly: 'Precies wat u bevestigt',
  },
  channels: {
    link: 'Via de link, als wallet-app',
    'openid4vp-v1-signed': 'Via deze browser: Digital Credentials API met OpenID4VP',
    'org-iso-mdoc': 'Via deze browser: Digital Credentials API met ISO 18013-7 bijlage C (alleen mdoc)',
  },
  scenarios: {
    good: 'Alles zoals gevraagd',
    declined: 'De persoon weigert',
    expired: 'Het bewijs is gisteren verlopen',
    revoked: 'Het bewijs is ingetrokken',
    suspended: 'Het bewijs is opgeschort',
    untrusted: 'Een niet-vertrouwde uitgever met dezelfde naam',
    wrong_nonce: 'Gebonden aan een andere nonce',
    wrong_audience: 'Gebonden aan een andere aanbieder',
    tampered: 'De gegevens zijn na ondertekening door de uitgever gewijzigd',
    replayed: 'Antwoord op een eerder verzoek, opnieuw verzonden',
    missing_claim: 'Een van de gevraagde gegevens ontbreekt',
    over_disclosing: 'Alle gegevens worden gedeeld, gevraagd of niet',
  },
  answered: 'Antwoord verzonden',
  failed: 'Controle mislukt',
  declined: 'U hebt dit verzoek geweigerd.',
  stillOpen: {
    title: 'Er is niets gedeeld',
    text: 'U hebt in deze browser geweigerd. Het verzoek staat nog open en kan worden beantwoord.',
  },
  expected: (scenario) => `Dit is het verwachte resultaat: u koos het testgeval ‘${scenario}’.`,
  unexpected: (scenario, end) =>
    end === null
      ? `Ongewoon resultaat: het testgeval ‘${scenario}’ hoort te slagen.`
      : `Ongewoon resultaat: het testgeval ‘${scenario}’ hoort te mislukken met ${end}.`,
  shared: 'U hebt gedeeld',
  onward: (merchant) => `Verder naar ${merchant}`,
  back: 'Terug naar het verzoek',
  facts: { http: 'HTTP-status van het antwoord', status: 'Status van de controle', error: 'Foutcode' },
}
