// The hosted page in Spanish.

import type { Words } from './words.ts'

export const es: Words = {
  asks: (merchant) => `${merchant} le pide una acreditación`,
  onBehalfOf: (tenant) => `En nombre de ${tenant}`,
  colon: ':',
  why: 'Para qué',
  registeredPurpose: 'Finalidad registrada',
  agree: {
    asks: (merchant) => `${merchant} le pide su conformidad`,
    title: 'En su cartera acepta',
    pay: (amount, payee) => `Pagar ${amount} a ${payee}`,
    recurring: 'Este pago es recurrente.',
    sign: 'Firmar',
  },
  what: 'Qué se pide',
  documents: 'Se aceptan',
  birthDateForAge:
    'Si su cartera solo puede acreditar su edad con la fecha de nacimiento, la muestra; no la guardamos ni la transmitimos.',
  scan: 'Escanee este código con la cámara del teléfono en el que está su cartera.',
  qr: 'Código QR que abre su cartera',
  sameDevice: 'Abrir la cartera en este dispositivo',
  ageApp: 'Abrir la aplicación de edad de la UE',
  anotherDevice: 'Usar otro dispositivo',
  codeAgain: 'Mostrar el código otra vez',
  browser: {
    ask: 'Usar una cartera en este dispositivo o teléfono',
    otherWays: 'Otras formas',
    sending: 'Su respuesta está en camino…',
    failed: 'No ha funcionado. Puede intentarlo otra vez o elegir otra forma.',
  },
  signIn: {
    asks: (merchant) => `Inicie sesión en ${merchant} con su cartera`,
    cancel: 'Cancelar el inicio de sesión',
    onward: 'Continuar',
    startThere: 'Para usar su teléfono, abra el sitio web en el teléfono e inicie sesión allí.',
  },
  timeLeft: 'Tiempo restante',
  test: 'Prueba: no se piden datos reales',
  testWallet: 'Responder con la cartera de prueba',
  reload: 'Su navegador no ejecuta scripts aquí. Recargue la página para ver el resultado.',
  offline: 'No tiene conexión. La página continuará por sí sola cuando vuelva.',
  cookies:
    'Su navegador bloquea las cookies de esta página y por eso no puede consultar él mismo una cartera. El código y el enlace funcionan sin ellas.',
  privacy: 'En su cartera ve qué se va a mostrar, y allí decide. Esta página no recibe nada de ello.',
  privacyPolicy: 'Política de privacidad',
  support: 'Ayuda',
  language: 'Idioma',
  way: {
    label: 'Cómo funciona',
    scan: 'Escanear el código',
    open: 'Abrir la cartera',
    onPhone: 'Continuar en el teléfono',
    inWallet: 'Confirmar en la cartera',
    check: 'Comprobando',
    done: 'Listo',
  },
  steps: {
    waiting: { title: 'Esperando a su cartera', text: 'Esta página se actualiza sola en cuanto responda.' },
    fetched: {
      title: 'Continúe en su cartera',
      text: 'Su cartera tiene la solicitud. Compruebe qué va a mostrar, y acepte o rechace.',
    },
    checking: { title: 'Comprobando', text: 'Su respuesta ha llegado. Tarda un momento.' },
    completed: {
      title: 'Listo',
      text: 'Su respuesta se ha comprobado y transmitido. Puede cerrar esta página.',
    },
    declined: {
      title: 'Solicitud rechazada',
      text: 'No se ha transmitido nada. Su cartera la rechazó, o no tiene nada que corresponda a ella.',
    },
    failed: {
      title: 'No acreditado',
      text: 'Su cartera respondió, pero no se pudo confirmar lo que presentó. No se ha transmitido nada.',
    },
    expired: { title: 'Se acabó el tiempo', text: 'Esta solicitud ya no es válida. Pida una nueva.' },
  },
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
    held: {
      title: 'Esta solicitud está abierta en otro navegador',
      texts: [
        'Aquí no se ha compartido nada.',
        'Continúe en el navegador en el que la abrió primero. Si no fue usted, pida un enlace nuevo y no utilice este.',
      ],
    },
  },
  unknown: {
    title: 'Solicitud no encontrada',
    text: 'Esta solicitud no existe o se ha eliminado. Pida un enlace nuevo.',
  },
}
