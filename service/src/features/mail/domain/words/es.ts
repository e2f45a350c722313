// The texts of mails in Spanish.

import type { MailWords } from './words.ts'

export const es: MailWords = {
  footer: (host) => `Enviado por Vidimus en ${host}. No responda: este buzón no se lee.`,
  once: (until) => `El enlace funciona una sola vez, hasta el ${until}.`,
  orOpen: 'Si el botón no funciona, abra esta dirección:',
  roles: { owner: 'propietario', admin: 'administrador', viewer: 'lector' },
  invitation: {
    subject: (tenant) => `Invitación al equipo de ${tenant} en Vidimus`,
    lead: (tenant, role) => `${tenant} le invita a unirse a su equipo en Vidimus. Su función: ${role}.`,
    accept: 'Aceptar la invitación',
    unexpected: 'Si no esperaba este correo, ignórelo. Solo se crea una cuenta si acepta.',
  },
  lostAccess: {
    subject: 'Elija una nueva contraseña',
    lead: 'Ha pedido una nueva contraseña para su cuenta de Vidimus. Con este enlace elige una e inicia sesión.',
    replaces:
      'Su contraseña anterior y sus llaves de acceso dejan entonces de funcionar, y se cierran todas las demás sesiones.',
    go: 'Elegir una nueva contraseña',
    goTo: (tenants) => `Elegir una nueva contraseña para ${tenants}`,
    sameBrowser: 'Abra el enlace en el navegador en el que lo pidió.',
    unexpected: 'Si no lo pidió, ignore este correo. Su contraseña no cambia.',
  },
  verificationLink: {
    test: 'Prueba',
    subject: (merchant) => `${merchant}: confirme con su identidad digital`,
    lead: (merchant) => `${merchant} le pide que confirme algo con su identidad digital.`,
    purpose: (purpose) => `Motivo: ${purpose}`,
    consent:
      'Para proteger su privacidad, este correo no dice qué se le pide. Lo verá en la página siguiente. No se comparte nada hasta que usted acepte en su cartera.',
    open: 'Ver la solicitud',
    until: (time) => `El enlace funciona hasta el ${time}.`,
    unexpected: (merchant) =>
      `¿No conoce a ${merchant}? Ignore este correo. Su dirección solo se usó para el envío y después se borra.`,
  },
  alert: {
    quota: (tenant, percent, used, quota) => ({
      subject: `${tenant}: ${percent}\u00a0% de la cuota diaria usada`,
      paragraphs: [
        `${tenant} ha creado hoy ${used} de ${quota} verificaciones.`,
        'Cuando se agota la cuota, las demás verificaciones se rechazan hasta la medianoche UTC.',
      ],
    }),
    webhooks: (tenant, host, since, isDisabled) => ({
      subject: `${tenant}: fallan los webhooks a ${host}`,
      paragraphs: [
        `Los webhooks de ${tenant} a ${host} fallan desde el ${since}.`,
        isDisabled
          ? 'Hemos dejado de enviarlos. Corrija el receptor y vuelva a activar el destino.'
          : 'Seguimos intentándolo. Tras cinco días de errores, dejaremos de enviarlos.',
      ],
    }),
    open: { quota: 'Ver el uso', webhooks: 'Ver los webhooks' },
    unsubscribe: 'Desactivar estos correos',
  },
  newSignIn: {
    subject: 'Nuevo inicio de sesión en su cuenta',
    lead: (time, method) => `Se inició sesión en su cuenta de Vidimus desde un navegador nuevo el ${time}, ${method}.`,
    methods: {
      password: 'con contraseña',
      passkey: 'con una llave de acceso',
      link: 'con un enlace de un solo uso',
      oidc: 'mediante el inicio de sesión de su empresa',
    },
    yours: 'Si fue usted, no tiene que hacer nada.',
    notYours: 'Si no, inicie sesión, elija una nueva contraseña y cierre las demás sesiones.',
    open: 'Abrir su cuenta',
  },
  test: {
    subject: 'Correo de prueba de Vidimus',
    lead: 'Su servidor de correo aceptó este mensaje. Vidimus ya puede enviar invitaciones y enlaces para elegir una nueva contraseña.',
  },
}
