// Dutch: what templates, claims and documents are called, and why a proof was not taken.

import type { Labels } from './catalogue.ts'

export const nl: Labels = {
  templates: {
    age_over_16: {
      title: '16 jaar of ouder',
      description:
        'Of de persoon ten minste 16 jaar oud is. Een geboortedatum wordt, als er niets zuinigers is, niet bewaard.',
    },
    age_over_18: {
      title: '18 jaar of ouder',
      description:
        'Of de persoon ten minste 18 jaar oud is. Een geboortedatum wordt, als er niets zuinigers is, niet bewaard.',
    },
    age_over_21: {
      title: '21 jaar of ouder',
      description:
        'Of de persoon ten minste 21 jaar oud is. Een geboortedatum wordt, als er niets zuinigers is, niet bewaard.',
    },
    identity: { title: 'Identiteit', description: 'Voornaam, achternaam en geboortedatum.' },
    identity_extended: {
      title: 'Identiteit, uitgebreid',
      description: 'Namen, geboortedatum en -plaats en nationaliteiten.',
    },
    address: { title: 'Adres', description: 'Het woonadres, in de delen die het bewijs bevat.' },
    nationality: { title: 'Nationaliteit', description: 'Nationaliteiten.' },
    driving_licence: {
      title: 'Rijbewijs',
      description: 'Namen, geboortedatum, het document en de rijbewijscategorieën.',
    },
    portrait: { title: 'Pasfoto', description: 'De pasfoto en de namen die erbij horen.' },
  },
  claims: {
    given_name: 'Voornaam',
    family_name: 'Achternaam',
    birth_date: 'Geboortedatum',
    birthdate: 'Geboortedatum',
    birth_place: 'Geboorteplaats',
    place_of_birth: 'Geboorteplaats',
    nationalities: 'Nationaliteiten',
    nationality: 'Nationaliteit',
    address: 'Adres',
    portrait: 'Pasfoto',
    document_number: 'Documentnummer',
    issuing_country: 'Land van afgifte',
    issuing_authority: 'Autoriteit van afgifte',
    issue_date: 'Datum van afgifte',
    expiry_date: 'Vervaldatum',
    driving_privileges: 'Rijbewijscategorieën',
    picture: 'Pasfoto',
    sex: 'Geslacht',
    email: 'E-mailadres',
    phone_number: 'Telefoonnummer',
    personal_administrative_number: 'Persoonsnummer',
    formatted: 'Adres',
    street_address: 'Straat',
    postal_code: 'Postcode',
    locality: 'Plaats',
    region: 'Regio',
    country: 'Land',
    age_in_years: 'Leeftijd',
  },
  ages: { asked: (age) => `Dat u ${age} jaar of ouder bent`, told: (age) => `${age} jaar of ouder` },
  documents: {
    'urn:eudi:pid:1': 'Persoonsgegevens (PID)',
    'eu.europa.ec.eudi.pid.1': 'Persoonsgegevens (PID)',
    'org.iso.18013.5.1.mDL': 'Mobiel rijbewijs',
    'eu.europa.ec.av.1': 'EU-leeftijdsbewijs',
    'urn:vidimus:sandbox:payment-card:1': 'Betaalkaart (testomgeving)',
  },
  reasons: {
    wallet_declined: 'De persoon heeft geweigerd, of heeft niets dat de vraag beantwoordt.',
    wallet_error: 'De wallet antwoordde met een fout.',
    query_not_satisfied: 'De wallet heeft niet getoond waarom werd gevraagd.',
    credential_invalid: 'Een bewijs is niet echt.',
    issuer_untrusted: 'De uitgever van een bewijs wordt hier niet vertrouwd.',
    holder_binding_invalid: 'Een bewijs hoort niet bij de wallet die het toonde.',
    credential_expired: 'Een bewijs is niet geldig op dit moment.',
    credential_revoked: 'Een bewijs is ingetrokken.',
    credential_suspended: 'Een bewijs is opgeschort.',
    status_unavailable: 'Of een bewijs is ingetrokken, was niet te achterhalen.',
    transaction_not_confirmed: 'De persoon heeft niet ondertekend waarmee moest worden ingestemd.',
    sca_factors_missing: 'De betaling is niet met twee verschillende factoren bevestigd.',
    authentication_code_reused: 'Het bewijs van de betaling is al eerder gebruikt.',
    wallet_refused_transaction: 'De wallet kan niet tonen of ondertekenen waarmee moest worden ingestemd.',
    proof_unavailable: 'Een bewijsvoering kon hier niet worden gecontroleerd.',
  },
}
