import type { MailWords } from './words.ts'

export const es: MailWords = {
  footer: (host) => `Enviado por Vidimus en ${host}. Las respuestas a este correo no se leen.`,
  once: (until) => `El enlace funciona una sola vez, hasta el ${until}.`,
  roles: { owner: 'propietario', admin: 'administrador', viewer: 'lector' },
  invitation: {
    subject: (tenant) => `Únase a ${tenant} en Vidimus`,
    lead: (tenant, role) => `${tenant} le invita a unirse a su equipo en Vidimus. Su función: ${role}.`,
    accept: 'Aceptar la invitación',
    unexpected: 'Si no esperaba este correo, ignórelo. No se crea ninguna cuenta sin usted.',
  },
  signIn: {
    subject: 'Su enlace para iniciar sesión',
    lead: 'Con este enlace inicia sesión en Vidimus. Después elija una nueva contraseña en su cuenta.',
    go: 'Iniciar sesión',
    goTo: (tenants) => `Iniciar sesión en ${tenants}`,
    sameBrowser: 'Ábralo en el navegador en el que lo pidió.',
    unexpected: 'Si no lo pidió, ignore este correo. Su contraseña no cambia.',
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
  usage: {
    subject: (tenant, percent) => `${tenant}: ${percent} % de la cuota de hoy utilizada`,
    lead: (used, quota) => `Se han utilizado ${used} de las ${quota} verificaciones de la cuota de hoy.`,
    remedy: 'Cuando se agote la cuota, las nuevas verificaciones se rechazan hasta medianoche (UTC).',
    open: 'Abrir el uso',
  },
  webhooks: {
    subject: (tenant) => `${tenant}: fallan los webhooks`,
    lead: (environment) => `Un receptor de sus webhooks (${environment}) no los acepta.`,
    remedy: 'Revise el receptor. Puede reenviar los webhooks fallidos desde el panel.',
    open: 'Abrir los webhooks',
  },
  subscribed: 'Recibe este aviso porque lo activó en su cuenta. Allí puede desactivarlo.',
  test: {
    subject: 'Correo de prueba de Vidimus',
    lead: 'Su servidor de correo aceptó este mensaje. Vidimus ya puede enviar invitaciones, enlaces para iniciar sesión y avisos.',
  },
}
