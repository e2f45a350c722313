// The hosted page in Spanish.

import type { Words } from './words.ts'

export const es: Words = {
  confirmAge: (merchant, age) => `Confirme a ${merchant} que tiene ${age} años o más`,
  share: (merchant, list) =>
    list === null ? `Compartir sus datos con ${merchant}` : `Compartir con ${merchant}: ${list}`,
  receives: (merchant) => `${merchant} recibe`,
  yesOrNo: (age) => `Si tiene ${age} años o más (solo\u00a0sí\u00a0o\u00a0no)`,
  colon: ':',
  why: 'Para qué',
  registeredPurpose: 'Finalidad registrada',
  agree: {
    asks: (merchant) => `${merchant} le pide su confirmación`,
    title: 'En su cartera confirma',
    payTo: (payee) => `Pago a ${payee}`,
    paidTo: (payee) => `a ${payee}`,
    asksToPay: (merchant, payee) => `${merchant} le pide que pague a ${payee}.`,
    reference: 'Referencia',
    pay: (amount, payee) => `Pagar ${amount} a ${payee}`,
    onlyThere: 'Su cartera digital muestra el importe y el beneficiario. Solo paga si confirma allí.',
    recurring: 'Este pago es recurrente.',
    sign: 'Firmar',
  },
  documents: 'Documentos aceptados',
  presents: 'Lo que envía su cartera para la comprobación',
  birthDateForAge:
    'Si su cartera solo puede acreditar su edad con la fecha de nacimiento, nos la envía para la comprobación. No la guardamos ni la transmitimos.',
  issuerToo: (merchant) => `${merchant} también ve qué tipo de documento usa y quién lo emitió.`,
  scan: 'Escanee este código con la cámara del teléfono para abrir su cartera digital.',
  qr: 'Código QR que abre su cartera',
  sameDevice: { wide: 'Abrir una cartera en este dispositivo', narrow: 'Abrir mi cartera digital' },
  ageApp: 'Abrir la aplicación de edad de la UE',
  anotherDevice: 'Usar otro dispositivo',
  codeAgain: 'Mostrar el código otra vez',
  walletAgain: 'Abrir la cartera otra vez',
  browser: {
    ask: 'Elegir su cartera',
    otherOptions: 'Otras opciones',
    orScan: 'o escanee con el teléfono',
    sending: 'Su respuesta está en camino…',
    failed: 'No ha funcionado. Inténtelo de nuevo o elija otra opción.',
  },
  signIn: {
    asks: (merchant) => `Inicie sesión en ${merchant} con su cartera`,
    cancel: 'Cancelar el inicio de sesión',
    onward: 'Continuar',
    startThere: 'Para iniciar sesión en el teléfono, abra el sitio web en él.',
    how: 'Confirme en su cartera digital e iniciará sesión sin contraseña.',
    howWithCode:
      'Escanee el código y confirme en su cartera digital. Su teléfono mostrará un código que debe introducir aquí. No necesita contraseña.',
  },
  timeLeft: 'Tiempo restante',
  test: 'Modo de prueba: sin datos reales.',
  testWallet: 'Responder con la cartera de prueba',
  reload: 'JavaScript está desactivado en su navegador. Recargue la página para ver el resultado.',
  offline: 'No tiene conexión. La página continuará cuando la recupere.',
  cookies:
    'Su navegador bloquea las cookies de esta página, así que aquí no puede elegir una cartera. El código QR y el enlace funcionan igualmente.',
  privacy: 'Su cartera le muestra todo antes de compartirlo.',
  noWallet: {
    title: '¿Aún no tiene cartera?',
    text: 'Una cartera es una aplicación que guarda su identidad digital en el teléfono. Instale la de su país, añada su documento y vuelva aquí.',
  },
  privacyPolicy: 'Política de privacidad',
  support: 'Ayuda',
  language: 'Idioma',
  progress: {
    label: 'Progreso',
    opened: 'Solicitud abierta',
    onPhone: 'Confirme en el teléfono',
    inWallet: 'Confirme en la cartera',
    confirmed: 'Confirmado en la cartera',
    check: 'Comprobamos su documento',
    result: (merchant) => `${merchant} recibe el resultado`,
  },
  steps: {
    waiting: { title: 'Esperando la respuesta de su cartera', text: () => 'Después, la página continúa sola.' },
    fetched: { title: 'Continúe en su cartera', text: () => 'Compruebe qué se va a compartir y acepte o rechace.' },
    checking: {
      title: 'Comprobando su documento',
      text: () => 'Suele tardar solo unos segundos. Mantenga abierta esta página.',
    },
    completed: { title: 'Listo', text: (merchant) => `${merchant} ha recibido el resultado.` },
    declined: {
      title: 'No se ha compartido nada',
      text: () => 'Ha rechazado la solicitud, o su cartera no contiene ningún documento adecuado.',
    },
    failed: {
      title: 'Documento no confirmado',
      text: () => 'La comprobación de su documento ha fallado. Sus datos no se han transmitido. Use otro documento.',
    },
    expired: {
      title: 'Este enlace ha caducado',
      text: (merchant) => `No se ha compartido nada. Pida un enlace nuevo a ${merchant}.`,
    },
  },
  scanned: {
    title: 'Continúe en su teléfono',
    text: () => 'Su cartera muestra qué se va a compartir. Acepte o rechace allí.',
  },
  done: {
    age: { title: 'Edad comprobada', text: (merchant) => `${merchant} ha recibido la respuesta.` },
    details: { title: 'Datos compartidos', text: (merchant) => `${merchant} los ha recibido.` },
    payment: { title: 'Pago confirmado', text: (merchant) => `${merchant} ha recibido su confirmación.` },
    agreement: { title: 'Confirmado', text: (merchant) => `${merchant} ha recibido su confirmación.` },
  },
  close: 'Puede cerrar esta página.',
  received: (merchant) => `Lo que ha recibido ${merchant}`,
  notPassedOn: 'Sus datos no se han transmitido.',
  reasons: {
    revoked: {
      title: 'Este documento ha sido revocado',
      text: () => 'Diríjase al organismo que lo emitió, o use otro documento.',
    },
    suspended: {
      title: 'Este documento está suspendido',
      text: () => 'Diríjase al organismo que lo emitió, o use otro documento.',
    },
    outdated: {
      title: 'Este documento no es válido actualmente',
      text: () => 'Ha caducado o aún no es válido. Renuévelo en su cartera, o use otro documento.',
    },
    untrusted: {
      title: 'Este documento no se acepta aquí',
      text: (merchant) => `${merchant} no acepta documentos de este emisor. Use otro documento.`,
    },
    incomplete: {
      title: 'Faltan datos',
      text: (merchant) =>
        `Su cartera no compartió todo lo que ${merchant} necesita. Inténtelo de nuevo y compártalo todo.`,
    },
    uncheckable: {
      title: 'No hemos podido comprobar su documento',
      text: () => 'No hemos podido saber si sigue siendo válido. Inténtelo de nuevo en unos minutos.',
    },
    wallet_error: {
      title: 'Su cartera indica un error',
      text: () =>
        'Quizá no tiene ningún documento adecuado o necesita una actualización. Vuelva a abrirla, añada un documento o use otra cartera, e inténtelo de nuevo.',
    },
    not_confirmed: {
      title: 'No confirmado en su cartera',
      text: (merchant) =>
        `Su cartera no confirmó lo que debía aceptar. Inténtelo de nuevo, o contacte con ${merchant}.`,
    },
    cancelled: {
      title: 'Solicitud cancelada',
      text: (merchant) => `${merchant} ha cancelado esta solicitud. No se ha compartido nada.`,
    },
  },
  contact: (merchant) => `Contactar con ${merchant}`,
  back: (merchant) => `Volver a ${merchant}`,
  again: (merchant) => `Intentar de nuevo en ${merchant}`,
  elsewhere: {
    signIn: {
      title: 'Este inicio de sesión empezó en otro navegador',
      texts: [
        'No se ha compartido nada.',
        'Para iniciar sesión, abra el sitio web y empiece allí. Si alguien le ha enviado este enlace, no continúe: puede que intente iniciar sesión en su nombre.',
        '¿Ha empezado aquí? Entonces su navegador bloquea las cookies de esta página. Permítalas y empiece de nuevo.',
      ],
    },
    signInOver: {
      title: 'Este inicio de sesión ha terminado',
      texts: [
        'Si ya ha iniciado sesión, puede cerrar esta página.',
        'Para iniciar sesión, abra el sitio web y empiece allí. Si alguien le ha enviado este enlace, puede que haya intentado iniciar sesión en su nombre.',
      ],
    },
    held: {
      title: 'Esta solicitud está abierta en otro navegador',
      texts: [
        'Aquí no se ha compartido nada.',
        'Continúe en el navegador en el que la abrió primero. Si no fue usted, pida un enlace nuevo y no utilice este.',
      ],
    },
  },
  stops: {
    busy: { title: 'Demasiados intentos', text: 'Espere un minuto e inténtelo de nuevo.' },
    away: {
      title: 'Esta página no está disponible ahora',
      text: 'Inténtelo de nuevo en un momento.',
    },
  },
  tryAgain: 'Intentar de nuevo',
  tryAnother: 'Probar con otro documento',
  goBack: 'Volver',
  unknown: {
    title: 'Solicitud no encontrada',
    text: 'Esta solicitud no existe o ya no existe. Vuelva al sitio web o al mensaje del que viene y abra el enlace otra vez.',
  },
}
