// Spanish: the words of a payment.

import type { PaymentWords } from './payment-words.ts'

export const es: PaymentWords = {
  documents: 'Tarjetas aceptadas',
  issuerToo: (merchant) => `${merchant} también ve qué tipo de tarjeta usa y quién la emitió.`,
  privacy: '',
  sameDevice: { wide: 'Pagar en este dispositivo', narrow: 'Pagar en mi cartera' },
  leave: () => 'Cancelar el pago',
  scanned: {
    title: 'Continúe en su teléfono',
    text: () => 'Su cartera muestra el importe y el beneficiario. Acepte o rechace allí.',
  },
  tryAnother: 'Probar con otra tarjeta',
  noWallet: {
    title: '¿Aún no tiene cartera?',
    text: 'Una cartera es una aplicación que guarda sus tarjetas y documentos en el teléfono. Instale la de su país, añada su tarjeta y vuelva aquí.',
  },
  progress: {
    onPhone: 'Confirme el pago en el teléfono',
    inWallet: 'Confirme el pago',
    confirmed: 'Pago confirmado',
    check: 'Comprobamos su tarjeta',
    result: (merchant) => `${merchant} recibe la confirmación`,
  },
  steps: {
    fetched: { text: () => 'Compruebe el importe y el beneficiario y acepte o rechace.' },
    checking: { title: 'Comprobando su tarjeta' },
    declined: {
      title: 'Pago interrumpido',
      text: () => 'No se ha pagado nada. Ha rechazado el pago, o su cartera no contiene ninguna tarjeta adecuada.',
    },
    failed: {
      title: 'No hemos podido confirmar el pago',
      text: () => 'La comprobación de su tarjeta ha fallado. No se ha pagado nada. Use otra tarjeta.',
    },
    expired: {
      title: 'Este enlace de pago ha caducado',
      text: (merchant) => `No se ha pagado nada. Empiece el pago de nuevo en ${merchant}.`,
    },
  },
  notPaid: 'No se ha pagado nada.',
  reasons: {
    revoked: { title: 'Esta tarjeta está bloqueada', text: () => 'Diríjase a su banco, o use otra tarjeta.' },
    suspended: {
      title: 'Esta tarjeta está suspendida',
      text: () => 'Diríjase al banco que la emitió, o use otra tarjeta.',
    },
    outdated: {
      title: 'Esta tarjeta no es válida actualmente',
      text: () => 'Ha caducado o aún no es válida. Renuévela en su cartera, o use otra tarjeta.',
    },
    untrusted: {
      title: 'Esta tarjeta no se acepta aquí',
      text: (merchant) => `${merchant} no acepta tarjetas de este emisor. Use otra tarjeta.`,
    },
    uncheckable: { title: 'No hemos podido comprobar su tarjeta' },
    wallet_error: {
      text: () =>
        'Quizá no tiene ninguna tarjeta adecuada o necesita una actualización. Añada una tarjeta o use otra cartera, e inténtelo de nuevo.',
    },
    cancelled: {
      title: 'Pago cancelado',
      text: (merchant) => `${merchant} ha cancelado este pago. No se ha pagado nada.`,
    },
  },
}
