// Spanish: what templates, claims and documents are called, and why a proof was not taken.

import type { Labels } from './catalogue.ts'

export const es: Labels = {
  templates: {
    age_over_16: {
      title: '16 años o más',
      description:
        'Si la persona tiene al menos 16 años. Una fecha de nacimiento, donde no hay nada menos, no se guarda.',
    },
    age_over_18: {
      title: '18 años o más',
      description:
        'Si la persona tiene al menos 18 años. Una fecha de nacimiento, donde no hay nada menos, no se guarda.',
    },
    age_over_21: {
      title: '21 años o más',
      description:
        'Si la persona tiene al menos 21 años. Una fecha de nacimiento, donde no hay nada menos, no se guarda.',
    },
    identity: { title: 'Identidad', description: 'Nombre, apellidos y fecha de nacimiento.' },
    identity_extended: {
      title: 'Identidad ampliada',
      description: 'Nombres, fecha y lugar de nacimiento, y nacionalidades.',
    },
    address: {
      title: 'Dirección',
      description: 'La dirección de residencia, en las partes que contiene la credencial.',
    },
    nationality: { title: 'Nacionalidad', description: 'Nacionalidades.' },
    driving_licence: {
      title: 'Permiso de conducir',
      description: 'Nombres, fecha de nacimiento, el documento y sus categorías de conducción.',
    },
    portrait: { title: 'Retrato', description: 'El retrato y los nombres que le corresponden.' },
  },
  claims: {
    given_name: 'Nombre',
    family_name: 'Apellidos',
    birth_date: 'Fecha de nacimiento',
    birthdate: 'Fecha de nacimiento',
    birth_place: 'Lugar de nacimiento',
    place_of_birth: 'Lugar de nacimiento',
    nationalities: 'Nacionalidades',
    nationality: 'Nacionalidad',
    address: 'Dirección',
    portrait: 'Retrato',
    document_number: 'Número del documento',
    issuing_country: 'País emisor',
    issuing_authority: 'Autoridad emisora',
    issue_date: 'Fecha de expedición',
    expiry_date: 'Fecha de caducidad',
    driving_privileges: 'Categorías de conducción',
    picture: 'Retrato',
    sex: 'Sexo',
    email: 'Correo electrónico',
    phone_number: 'Número de teléfono',
    personal_administrative_number: 'Número personal',
    formatted: 'Dirección',
    street_address: 'Calle',
    postal_code: 'Código postal',
    locality: 'Localidad',
    region: 'Región',
    country: 'País',
    age_in_years: 'Edad',
  },
  ages: { asked: (age) => `Que tiene ${age} años o más`, told: (age) => `${age} años o más` },
  documents: {
    'urn:eudi:pid:1': 'Identidad personal (PID)',
    'eu.europa.ec.eudi.pid.1': 'Identidad personal (PID)',
    'org.iso.18013.5.1.mDL': 'Permiso de conducir móvil',
    'eu.europa.ec.av.1': 'Prueba de edad de la UE',
    'urn:vidimus:sandbox:payment-card:1': 'Tarjeta de pago (entorno de pruebas)',
  },
  reasons: {
    wallet_declined: 'La persona la rechazó, o no tiene nada que responda a la pregunta.',
    wallet_error: 'La cartera respondió con un error.',
    query_not_satisfied: 'La cartera no presentó lo que se pedía.',
    credential_invalid: 'Una credencial no es auténtica.',
    issuer_untrusted: 'El emisor de una credencial no es de confianza aquí.',
    holder_binding_invalid: 'Una credencial no pertenece a la cartera que la presentó.',
    credential_expired: 'Una credencial está fuera de su periodo de validez.',
    credential_revoked: 'Una credencial fue revocada.',
    credential_suspended: 'Una credencial está suspendida.',
    status_unavailable: 'No se pudo averiguar si una credencial fue revocada.',
    transaction_not_confirmed: 'La persona no firmó lo que debía aceptar.',
    sca_factors_missing: 'El pago no se confirmó con dos factores distintos.',
    authentication_code_reused: 'La prueba del pago ya se usó antes.',
    wallet_refused_transaction: 'La cartera no puede mostrar ni firmar lo que se debía aceptar.',
    proof_unavailable: 'Aquí no se pudo comprobar una prueba.',
  },
}
