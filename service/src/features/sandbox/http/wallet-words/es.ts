// The test wallet in Spanish.

import type { WalletWords } from './words.ts'

export const es: WalletWords = {
  title: 'Cartera de prueba',
  ribbon: 'Cartera de prueba: persona inventada, sin datos reales',
  link: {
    heading: 'Abrir una solicitud',
    intro:
      'Pegue el enlace que abriría una aplicación de cartera. O elija «Responder con la cartera de prueba» en la página de una verificación.',
    label: 'Enlace de cartera',
    open: 'Abrir la solicitud',
    another: 'Abrir otra solicitud',
    holds: 'En esta cartera',
  },
  closed: {
    link: {
      title: 'Este no es un enlace de cartera',
      text: 'Un enlace de cartera empieza por openid4vp:// o av://. Cópielo entero.',
    },
    foreign: {
      title: 'Este enlace no es de aquí',
      text: 'Este enlace no corresponde a ninguna verificación de este servicio. Cópielo entero o cree una verificación nueva.',
    },
    live: {
      title: 'Esta solicitud es real',
      text: 'La cartera de prueba solo responde a verificaciones en modo de prueba. Cree una con una clave de prueba.',
    },
    answered: {
      title: 'Ya se ha respondido',
      text: 'Cada solicitud solo se puede responder una vez. Cree una verificación nueva para volver a intentarlo.',
    },
    expired: {
      title: 'Esta solicitud ha caducado',
      text: 'No llegó ninguna respuesta a tiempo. Cree una verificación nueva para volver a intentarlo.',
    },
    unavailable: {
      title: 'No se ha podido obtener la solicitud',
      text: 'El servicio no la ha entregado. Vuelva a la página de la verificación y abra la cartera desde allí.',
    },
    request: {
      title: 'La cartera rechaza esta solicitud',
      text: 'La solicitud incumple una regla del protocolo. Cualquier cartera conforme la rechazaría.',
    },
    nothing_held: {
      title: 'No se ha compartido nada',
      text: 'Esta cartera no contiene ningún documento adecuado, o ha rechazado la solicitud, que sigue abierta.',
    },
    choice: {
      title: 'Esta opción no es posible',
      text: 'La cartera de prueba no la admite. Vuelva atrás y elija otra.',
    },
  },
  certificate: 'Certificado',
  unsigned: 'Esta solicitud no está firmada. La respuesta va a',
  registered: 'Registrado',
  registeredFor: 'Registrado para',
  warns: 'Su cartera le advierte',
  warnings: {
    unregistered: 'Este sitio no ha mostrado que está registrado para pedir estos datos. En modo de prueba es normal.',
    several_registrations: 'Este sitio muestra más de un registro.',
    malformed_registration: 'El registro de este sitio no se puede leer.',
    untrusted_registration: 'El registro de este sitio procede de un organismo que esta cartera no conoce.',
    expired_registration: 'El registro de este sitio ha caducado.',
    revoked_registration: 'El registro de este sitio ha sido revocado.',
    unknown_status: 'No se ha podido comprobar si el registro de este sitio ha sido revocado.',
    wrong_party: 'El registro pertenece a otra persona o empresa.',
    wrong_intermediary: 'El registro no menciona a este intermediario.',
    service_mismatch: 'El registro es para un servicio distinto del que hace la solicitud.',
    over_asking: 'Este sitio pide más de lo que ha registrado.',
  },
  agree: {
    title: 'Lo que confirma con su firma',
    type: 'Tipo',
    exact: 'Lo que firma exactamente',
    letterForLetter: 'De este texto se firma el hash, carácter por carácter',
  },
  shares: 'Va a compartir',
  paysWith: 'Paga con',
  choose: '¿Con qué quiere responder?',
  optional: 'Opcional',
  withhold: 'No compartir',
  holdsIt: 'Que lo posee',
  noMatch: 'Esta cartera no contiene ningún documento adecuado para esta solicitud. Solo puede rechazarla.',
  exactRequest: 'Lo que permite la solicitud',
  technical: 'Detalles técnicos',
  consent: { share: 'Compartir', confirm: 'Confirmar', signIn: 'Iniciar sesión', pay: (amount) => `Pagar ${amount}` },
  decline: 'Rechazar',
  trial: {
    scenario: 'Caso de prueba',
    succeeds: 'Debe salir bien',
    fails: 'Debe fallar',
    more: 'Más opciones de prueba',
    channel: 'Cómo se pregunta a la cartera',
    transaction: 'Qué firma la cartera',
    exactly: 'Exactamente lo que confirma',
  },
  channels: {
    link: 'Por el enlace, como una aplicación',
    'openid4vp-v1-signed': 'Por este navegador: Digital Credentials API con OpenID4VP',
    'org-iso-mdoc': 'Por este navegador: Digital Credentials API con ISO 18013-7, anexo C (solo mdoc)',
  },
  scenarios: {
    good: 'Todo como se pide',
    declined: 'La persona rechaza la solicitud',
    expired: 'El documento caducó ayer',
    revoked: 'El documento está revocado',
    suspended: 'El documento está suspendido',
    untrusted: 'Un emisor que no es de confianza, con el mismo nombre',
    wrong_nonce: 'Vinculado a otro nonce',
    wrong_audience: 'Vinculado a otro sitio',
    tampered: 'Los datos se modificaron después de la firma del emisor',
    replayed: 'Respuesta a una solicitud anterior, enviada de nuevo',
    missing_claim: 'Falta uno de los datos solicitados',
    over_disclosing: 'Se comparten todos los datos, solicitados o no',
  },
  answered: 'Respuesta enviada',
  failed: 'La verificación ha fallado',
  declined: 'Ha rechazado esta solicitud.',
  stillOpen: {
    title: 'No se ha compartido nada',
    text: 'Ha rechazado la solicitud en este navegador. Sigue abierta y se puede responder.',
  },
  expected: (scenario) => `Es el resultado esperado: eligió el caso de prueba «${scenario}».`,
  unexpected: (scenario, end) =>
    end === null
      ? `Resultado inusual: el caso de prueba «${scenario}» debería salir bien.`
      : `Resultado inusual: el caso de prueba «${scenario}» debería fallar con ${end}.`,
  shared: 'Ha compartido',
  onward: (merchant) => `Continuar en ${merchant}`,
  back: 'Volver a la solicitud',
  facts: { http: 'Estado HTTP de la respuesta', status: 'Estado de la verificación', error: 'Código de error' },
}
