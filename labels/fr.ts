// French: what templates, claims and documents are called, and why a proof was not taken.

import type { Labels } from './catalogue.ts'

export const fr: Labels = {
  templates: {
    age_over_16: {
      title: '16 ans ou plus',
      description:
        'Si la personne a au moins 16 ans. Une date de naissance, s’il n’y a rien de plus sobre, n’est pas conservée.',
    },
    age_over_18: {
      title: '18 ans ou plus',
      description:
        'Si la personne a au moins 18 ans. Une date de naissance, s’il n’y a rien de plus sobre, n’est pas conservée.',
    },
    age_over_21: {
      title: '21 ans ou plus',
      description:
        'Si la personne a au moins 21 ans. Une date de naissance, s’il n’y a rien de plus sobre, n’est pas conservée.',
    },
    identity: { title: 'Identité', description: 'Prénom, nom et date de naissance.' },
    identity_extended: { title: 'Identité étendue', description: 'Noms, date et lieu de naissance, et nationalités.' },
    address: {
      title: 'Adresse',
      description: 'L’adresse de résidence, dans les parties que contient le justificatif.',
    },
    nationality: { title: 'Nationalité', description: 'Nationalités.' },
    driving_licence: {
      title: 'Permis de conduire',
      description: 'Noms, date de naissance, le document et ses catégories de conduite.',
    },
    portrait: { title: 'Portrait', description: 'Le portrait et les noms qui vont avec.' },
  },
  claims: {
    given_name: 'Prénom',
    family_name: 'Nom',
    birth_date: 'Date de naissance',
    birthdate: 'Date de naissance',
    birth_place: 'Lieu de naissance',
    place_of_birth: 'Lieu de naissance',
    nationalities: 'Nationalités',
    nationality: 'Nationalité',
    address: 'Adresse',
    portrait: 'Portrait',
    document_number: 'Numéro du document',
    issuing_country: 'Pays de délivrance',
    issuing_authority: 'Autorité de délivrance',
    issue_date: 'Date de délivrance',
    expiry_date: 'Date d’expiration',
    driving_privileges: 'Catégories de conduite',
    picture: 'Portrait',
    sex: 'Sexe',
    email: 'Adresse e-mail',
    phone_number: 'Numéro de téléphone',
    personal_administrative_number: 'Numéro personnel',
    formatted: 'Adresse',
    street_address: 'Rue',
    postal_code: 'Code postal',
    locality: 'Localité',
    region: 'Région',
    country: 'Pays',
    age_in_years: 'Âge',
  },
  ages: { asked: (age) => `Que vous avez ${age} ans ou plus`, told: (age) => `${age} ans ou plus` },
  documents: {
    'urn:eudi:pid:1': 'Identité personnelle (PID)',
    'eu.europa.ec.eudi.pid.1': 'Identité personnelle (PID)',
    'org.iso.18013.5.1.mDL': 'Permis de conduire mobile',
    'eu.europa.ec.av.1': 'Preuve d’âge de l’UE',
    'urn:vidimus:sandbox:payment-card:1': 'Carte de paiement (bac à sable)',
  },
  reasons: {
    wallet_declined: 'La personne a refusé, ou n’a rien qui réponde à la question.',
    wallet_error: 'Le portefeuille a répondu par une erreur.',
    query_not_satisfied: 'Le portefeuille n’a pas présenté ce qui était demandé.',
    credential_invalid: 'Un justificatif n’est pas authentique.',
    issuer_untrusted: 'L’émetteur d’un justificatif n’est pas reconnu ici.',
    holder_binding_invalid: 'Un justificatif n’appartient pas au portefeuille qui l’a présenté.',
    credential_expired: 'Un justificatif est hors de sa période de validité.',
    credential_revoked: 'Un justificatif a été révoqué.',
    credential_suspended: 'Un justificatif est suspendu.',
    status_unavailable: 'Il n’a pas été possible de savoir si un justificatif a été révoqué.',
    transaction_not_confirmed: 'La personne n’a pas signé ce qu’elle devait accepter.',
    sca_factors_missing: 'Le paiement n’a pas été confirmé par deux facteurs différents.',
    authentication_code_reused: 'La preuve du paiement a déjà servi.',
    wallet_refused_transaction: 'Le portefeuille ne peut ni montrer ni signer ce qui devait être accepté.',
    proof_unavailable: 'Une preuve n’a pas pu être vérifiée ici.',
  },
}
