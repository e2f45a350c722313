// Italian: what templates, claims and documents are called, and why a proof was not taken.

import type { Labels } from './catalogue.ts'

export const it: Labels = {
  templates: {
    age_over_16: {
      title: 'Almeno 16 anni',
      description:
        'Se la persona ha almeno 16 anni. Una data di nascita, dove non c’è nulla di meno, non viene conservata.',
    },
    age_over_18: {
      title: 'Almeno 18 anni',
      description:
        'Se la persona ha almeno 18 anni. Una data di nascita, dove non c’è nulla di meno, non viene conservata.',
    },
    age_over_21: {
      title: 'Almeno 21 anni',
      description:
        'Se la persona ha almeno 21 anni. Una data di nascita, dove non c’è nulla di meno, non viene conservata.',
    },
    identity: { title: 'Identità', description: 'Nome, cognome e data di nascita.' },
    identity_extended: { title: 'Identità estesa', description: 'Nomi, data e luogo di nascita, e cittadinanze.' },
    address: { title: 'Indirizzo', description: 'L’indirizzo di residenza, nelle parti contenute nell’attestato.' },
    nationality: { title: 'Cittadinanza', description: 'Cittadinanze.' },
    driving_licence: {
      title: 'Patente di guida',
      description: 'Nomi, data di nascita, il documento e le sue categorie di guida.',
    },
    portrait: { title: 'Ritratto', description: 'Il ritratto e i nomi che gli appartengono.' },
  },
  claims: {
    given_name: 'Nome',
    family_name: 'Cognome',
    birth_date: 'Data di nascita',
    birthdate: 'Data di nascita',
    birth_place: 'Luogo di nascita',
    place_of_birth: 'Luogo di nascita',
    nationalities: 'Cittadinanze',
    nationality: 'Cittadinanza',
    address: 'Indirizzo',
    portrait: 'Ritratto',
    document_number: 'Numero del documento',
    issuing_country: 'Paese di rilascio',
    issuing_authority: 'Autorità di rilascio',
    issue_date: 'Data di rilascio',
    expiry_date: 'Data di scadenza',
    driving_privileges: 'Categorie di guida',
    picture: 'Ritratto',
    sex: 'Sesso',
    email: 'Indirizzo e-mail',
    phone_number: 'Numero di telefono',
    personal_administrative_number: 'Numero personale',
    formatted: 'Indirizzo',
    street_address: 'Via',
    postal_code: 'Codice postale',
    locality: 'Località',
    region: 'Regione',
    country: 'Paese',
    age_in_years: 'Età',
  },
  ages: { asked: (age) => `Che hai compiuto ${age} anni`, told: (age) => `${age} anni o più` },
  documents: {
    'urn:eudi:pid:1': 'Identità personale (PID)',
    'eu.europa.ec.eudi.pid.1': 'Identità personale (PID)',
    'org.iso.18013.5.1.mDL': 'Patente di guida mobile',
    'eu.europa.ec.av.1': 'Prova dell’età UE',
    'urn:vidimus:sandbox:payment-card:1': 'Carta di pagamento (sandbox)',
  },
  reasons: {
    wallet_declined: 'La persona ha rifiutato, o non ha nulla che risponda alla domanda.',
    wallet_error: 'Il wallet ha risposto con un errore.',
    query_not_satisfied: 'Il wallet non ha presentato quanto richiesto.',
    credential_invalid: 'Un attestato non è autentico.',
    issuer_untrusted: 'L’emittente di un attestato non è riconosciuto qui.',
    holder_binding_invalid: 'Un attestato non appartiene al wallet che lo ha presentato.',
    credential_expired: 'Un attestato è fuori dal suo periodo di validità.',
    credential_revoked: 'Un attestato è stato revocato.',
    credential_suspended: 'Un attestato è sospeso.',
    status_unavailable: 'Non è stato possibile sapere se un attestato è stato revocato.',
    transaction_not_confirmed: 'La persona non ha firmato ciò a cui doveva acconsentire.',
    sca_factors_missing: 'Il pagamento non è stato confermato con due fattori diversi.',
    authentication_code_reused: 'La prova del pagamento è già stata usata.',
    wallet_refused_transaction: 'Il wallet non può mostrare né firmare ciò a cui si doveva acconsentire.',
    proof_unavailable: 'Una prova non ha potuto essere verificata qui.',
  },
}
