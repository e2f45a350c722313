// English: what templates, claims and documents are called, and why a proof was not taken.

import type { Labels } from './catalogue.ts'

export const en: Labels = {
  templates: {
    age_over_16: {
      title: 'Age over 16',
      description:
        'Whether the holder is at least 16 years old. A birth date, where nothing less is there, is not kept.',
    },
    age_over_18: {
      title: 'Age over 18',
      description:
        'Whether the holder is at least 18 years old. A birth date, where nothing less is there, is not kept.',
    },
    age_over_21: {
      title: 'Age over 21',
      description:
        'Whether the holder is at least 21 years old. A birth date, where nothing less is there, is not kept.',
    },
    identity: { title: 'Identity', description: 'Given name, family name and date of birth.' },
    identity_extended: {
      title: 'Identity, extended',
      description: 'Names, date and place of birth, and nationalities.',
    },
    address: { title: 'Address', description: 'The address of residence, in the parts that the credential has.' },
    nationality: { title: 'Nationality', description: 'Nationalities.' },
    driving_licence: {
      title: 'Driving licence',
      description: 'Names, date of birth, the document and its driving privileges.',
    },
    portrait: { title: 'Portrait', description: 'The portrait and the names that belong to it.' },
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
    pan_last_four: 'Last four digits of the card',
    issuing_country: 'Issuing country',
    issuing_authority: 'Issuing authority',
    issue_date: 'Date of issue',
    expiry_date: 'Date of expiry',
    driving_privileges: 'Driving privileges',
    picture: 'Portrait',
    sex: 'Sex',
    email: 'E-mail address',
    phone_number: 'Phone number',
    personal_administrative_number: 'Personal number',
    formatted: 'Address',
    street_address: 'Street',
    postal_code: 'Postal code',
    locality: 'Town',
    region: 'Region',
    country: 'Country',
    age_in_years: 'Age',
  },
  ages: { asked: (age) => `That you are ${age} or older`, told: (age) => `${age} or older` },
  documents: {
    'urn:eudi:pid:1': 'Personal ID (PID)',
    'eu.europa.ec.eudi.pid.1': 'Personal ID (PID)',
    'org.iso.18013.5.1.mDL': 'Mobile driving licence',
    'eu.europa.ec.av.1': 'EU age proof',
    'urn:vidimus:sandbox:payment-card:1': 'Payment card (sandbox)',
  },
  reasons: {
    wallet_declined: 'The holder declined, or has nothing that answers the question.',
    wallet_error: 'The wallet answered with an error.',
    query_not_satisfied: 'The wallet did not present what was asked for.',
    credential_invalid: 'A credential is not genuine.',
    issuer_untrusted: 'The issuer of a credential is not trusted here.',
    holder_binding_invalid: 'A credential does not belong to the wallet that presented it.',
    credential_expired: 'A credential is outside its validity.',
    credential_revoked: 'A credential was revoked.',
    credential_suspended: 'A credential is suspended.',
    status_unavailable: 'Whether a credential was revoked could not be found out.',
    transaction_not_confirmed: 'The holder did not sign what was to be agreed to.',
    sca_factors_missing: 'The payment was not confirmed with two different factors.',
    authentication_code_reused: 'The proof of the payment was used before.',
    wallet_refused_transaction: 'The wallet cannot show or sign what was to be agreed to.',
    proof_unavailable: 'A proof could not be checked here.',
    claim_conflict: 'Several credentials gave different details and may be of different people.',
  },
}
