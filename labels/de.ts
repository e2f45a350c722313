// German: what templates, claims and documents are called, and why a proof was not taken.

import type { Labels } from './catalogue.ts'

export const de: Labels = {
  templates: {
    age_over_16: {
      title: 'Alter ab 16',
      description:
        'Ob die Person mindestens 16 Jahre alt ist. Ein Geburtsdatum, wo es nichts Sparsameres gibt, wird nicht aufbewahrt.',
    },
    age_over_18: {
      title: 'Alter ab 18',
      description:
        'Ob die Person mindestens 18 Jahre alt ist. Ein Geburtsdatum, wo es nichts Sparsameres gibt, wird nicht aufbewahrt.',
    },
    age_over_21: {
      title: 'Alter ab 21',
      description:
        'Ob die Person mindestens 21 Jahre alt ist. Ein Geburtsdatum, wo es nichts Sparsameres gibt, wird nicht aufbewahrt.',
    },
    identity: { title: 'Identität', description: 'Namen und Geburtsdatum.' },
    identity_extended: {
      title: 'Identität, erweitert',
      description: 'Namen, Geburtsdatum und -ort und Staatsangehörigkeiten.',
    },
    address: { title: 'Anschrift', description: 'Die Wohnanschrift, in den Teilen, die der Nachweis enthält.' },
    nationality: { title: 'Staatsangehörigkeit', description: 'Staatsangehörigkeiten.' },
    driving_licence: {
      title: 'Führerschein',
      description: 'Namen, Geburtsdatum, das Dokument und seine Fahrerlaubnisklassen.',
    },
    portrait: { title: 'Lichtbild', description: 'Das Lichtbild und die Namen, die dazu gehören.' },
  },
  claims: {
    given_name: 'Vorname',
    family_name: 'Nachname',
    birth_date: 'Geburtsdatum',
    birthdate: 'Geburtsdatum',
    birth_place: 'Geburtsort',
    place_of_birth: 'Geburtsort',
    nationalities: 'Staatsangehörigkeiten',
    nationality: 'Staatsangehörigkeit',
    address: 'Anschrift',
    portrait: 'Lichtbild',
    document_number: 'Dokumentnummer',
    pan_last_four: 'Letzte vier Ziffern der Karte',
    issuing_country: 'Ausstellendes Land',
    issuing_authority: 'Ausstellende Behörde',
    issue_date: 'Ausstellungsdatum',
    expiry_date: 'Ablaufdatum',
    driving_privileges: 'Fahrerlaubnisklassen',
    picture: 'Lichtbild',
    sex: 'Geschlecht',
    email: 'E-Mail-Adresse',
    phone_number: 'Telefonnummer',
    personal_administrative_number: 'Personenkennzahl',
    formatted: 'Anschrift',
    street_address: 'Straße',
    postal_code: 'Postleitzahl',
    locality: 'Ort',
    region: 'Region',
    country: 'Land',
    age_in_years: 'Alter',
  },
  ages: { asked: (age) => `Dass Sie ${age} oder älter sind`, told: (age) => `${age} oder älter` },
  documents: {
    'urn:eudi:pid:1': 'Personalausweisdaten (PID)',
    'eu.europa.ec.eudi.pid.1': 'Personalausweisdaten (PID)',
    'org.iso.18013.5.1.mDL': 'Digitaler Führerschein',
    'eu.europa.ec.av.1': 'EU-Altersnachweis',
    'urn:vidimus:sandbox:payment-card:1': 'Zahlungskarte (Testumgebung)',
  },
  reasons: {
    wallet_declined: 'Die Person hat abgelehnt oder hat nichts, was die Frage beantwortet.',
    wallet_error: 'Die Wallet hat mit einem Fehler geantwortet.',
    query_not_satisfied: 'Die Wallet hat nicht vorgelegt, wonach gefragt wurde.',
    credential_invalid: 'Ein Nachweis ist nicht echt.',
    issuer_untrusted: 'Dem Aussteller eines Nachweises wird hier nicht vertraut.',
    holder_binding_invalid: 'Ein Nachweis gehört nicht zu der Wallet, die ihn vorgelegt hat.',
    credential_expired: 'Ein Nachweis liegt außerhalb seiner Gültigkeit.',
    credential_revoked: 'Ein Nachweis wurde widerrufen.',
    credential_suspended: 'Ein Nachweis ist ausgesetzt.',
    status_unavailable: 'Ob ein Nachweis widerrufen wurde, war nicht festzustellen.',
    transaction_not_confirmed: 'Die Person hat nicht unterschrieben, worin sie einwilligen sollte.',
    sca_factors_missing: 'Die Zahlung wurde nicht mit zwei verschiedenen Faktoren bestätigt.',
    authentication_code_reused: 'Der Nachweis der Zahlung wurde schon einmal verwendet.',
    wallet_refused_transaction: 'Die Wallet kann nicht zeigen oder unterschreiben, worin eingewilligt werden sollte.',
    proof_unavailable: 'Ein Beweis war hier nicht zu prüfen.',
    claim_conflict: 'Mehrere Nachweise nannten verschiedene Angaben und können von verschiedenen Personen sein.',
  },
}
