// The hosted page in Spanish.

import type { Words } from './words.ts'

export const es: Words = {
  asks: (merchant) => `${merchant} le pide una prueba`,
  onBehalfOf: (tenant) => `Por cuenta de ${tenant}`,
  why: 'Para qué',
  registeredPurpose: 'Finalidad registrada',
  agree: {
    title: 'En su cartera acepta',
    pay: (amount, payee) => `Pagar ${amount} a ${payee}`,
    recurring: 'Este pago se repite.',
    sign: 'Firmar',
  },
  what: 'Qué se pide',
  documents: 'Se aceptan',
  birthDateForAge:
    'Si su cartera solo puede probar su edad con la fecha de nacimiento, la muestra; no la guardamos ni la transmitimos.',
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
  signIn: { cancel: 'Cancelar el inicio de sesión', onward: 'Continuar' },
  timeLeft: 'Tiempo restante',
  test: 'Prueba: no se piden datos reales',
  testWallet: 'Responder con la cartera de prueba',
  reload: 'Su navegador no ejecuta scripts aquí. Recargue la página para ver el resultado.',
  offline: 'No tiene conexión. La página continuará por sí sola cuando vuelva.',
  privacy: 'En su cartera ve lo que se mostraría y decide allí. Esta página no se entera de nada.',
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
    waiting: { title: 'Esperando a su cartera', text: 'Esta página nota por sí sola cuándo ha respondido.' },
    fetched: {
      title: 'Continúe en su cartera',
      text: 'Su cartera tiene la solicitud. Vea allí lo que mostraría y acepte o rechace.',
    },
    checking: { title: 'Comprobando', text: 'Su respuesta ha llegado. Tarda un momento.' },
    completed: {
      title: 'Listo',
      text: 'Su respuesta se ha comprobado y transmitido. Puede cerrar esta página.',
    },
    declined: {
      title: 'Usted rechazó',
      text: 'No se ha transmitido nada. Su cartera rechazó, o no tiene nada que responda a la pregunta.',
    },
    failed: {
      title: 'No probado',
      text: 'Su cartera respondió, pero la prueba no se pudo confirmar. No se ha transmitido nada.',
    },
    expired: { title: 'Se acabó el tiempo', text: 'Esta solicitud ya no es válida. Pida una nueva.' },
  },
  back: (merchant) => `Volver a ${merchant}`,
  again: (merchant) => `Intentar de nuevo en ${merchant}`,
  unknown: {
    title: 'Aquí no hay nada',
    text: 'Esta solicitud no existe o se ha eliminado. Pida un enlace nuevo.',
  },
}
