// Holds the texts of a link's page.

import type { Language } from '../../../../../labels/catalogue.ts'
import type { LinkStop } from '../usecases/open-link.ts'

interface Words {
  readonly title: (merchant: string) => string
  readonly text: string
  readonly go: string
  /** If the browser sent no cookie with the button. */
  readonly cookies: string
  /** The problem, and what to do. Only an unknown link has no merchant. */
  readonly stops: Readonly<
    Record<LinkStop, { readonly title: string; readonly text: (merchant: string | null) => string }>
  >
}

export const WORDS: Readonly<Record<Language, Words>> = {
  en: {
    title: (merchant) => `${merchant} asks you for a confirmation`,
    text: 'Have the phone with your wallet ready. On the next page you see what is asked, before you share anything.',
    go: 'Continue',
    cookies: 'Press the button again. If that does not help, allow cookies for this page.',
    stops: {
      unknown: {
        title: 'This link does not exist',
        text: () => 'Check that the address is complete, or ask the sender for a new link.',
      },
      scheduled: { title: 'This link is not open yet', text: () => 'Open it again at that time.' },
      used_up: {
        title: 'This link has been used',
        text: (merchant) => `If you are not finished, ask ${merchant} for a new link.`,
      },
      ended: { title: 'This link has expired', text: (merchant) => `Ask ${merchant} for a new link.` },
      revoked: {
        title: 'This link was withdrawn',
        text: (merchant) => `${merchant} no longer needs an answer here. If you think it does, contact ${merchant}.`,
      },
      unavailable: {
        title: 'This link does not work at the moment',
        text: (merchant) => `${merchant} has to set it up again. Contact ${merchant}, or ask for a new link.`,
      },
      busy: { title: 'Too many people are here right now', text: () => 'Your link still works. Try again later.' },
    },
  },
  de: {
    title: (merchant) => `${merchant} bittet Sie um eine Bestätigung`,
    text: 'Halten Sie das Telefon mit Ihrer Wallet bereit. Auf der nächsten Seite sehen Sie, worum es geht, bevor Sie etwas teilen.',
    go: 'Weiter',
    cookies: 'Drücken Sie den Knopf noch einmal. Hilft das nicht, erlauben Sie Cookies für diese Seite.',
    stops: {
      unknown: {
        title: 'Diesen Link gibt es nicht',
        text: () => 'Prüfen Sie, ob die Adresse vollständig ist, oder bitten Sie den Absender um einen neuen Link.',
      },
      scheduled: { title: 'Dieser Link ist noch nicht offen', text: () => 'Öffnen Sie ihn dann noch einmal.' },
      used_up: {
        title: 'Dieser Link wurde schon benutzt',
        text: (merchant) => `Sind Sie noch nicht fertig? Bitten Sie ${merchant} um einen neuen Link.`,
      },
      ended: { title: 'Dieser Link ist abgelaufen', text: (merchant) => `Bitten Sie ${merchant} um einen neuen Link.` },
      revoked: {
        title: 'Dieser Link wurde zurückgezogen',
        text: (merchant) =>
          `${merchant} braucht hier keine Antwort mehr. Falls Sie das anders sehen, wenden Sie sich an ${merchant}.`,
      },
      unavailable: {
        title: 'Dieser Link funktioniert gerade nicht',
        text: (merchant) =>
          `${merchant} muss ihn neu einrichten. Wenden Sie sich an ${merchant}, oder bitten Sie um einen neuen Link.`,
      },
      busy: {
        title: 'Gerade ist zu viel los',
        text: () => 'Ihr Link gilt weiterhin. Versuchen Sie es später noch einmal.',
      },
    },
  },
  fr: {
    title: (merchant) => `${merchant} vous demande une confirmation`,
    text: 'Ayez à portée de main le téléphone avec votre portefeuille. La page suivante montre ce qui est demandé, avant tout partage.',
    go: 'Continuer',
    cookies: 'Appuyez de nouveau sur le bouton. Si cela ne suffit pas, autorisez les cookies pour cette page.',
    stops: {
      unknown: {
        title: 'Ce lien n’existe pas',
        text: () => 'Vérifiez que l’adresse est complète, ou demandez un nouveau lien à l’expéditeur.',
      },
      scheduled: { title: 'Ce lien n’est pas encore ouvert', text: () => 'Ouvrez-le de nouveau à ce moment-là.' },
      used_up: {
        title: 'Ce lien a déjà été utilisé',
        text: (merchant) => `Si vous n’avez pas terminé, demandez un nouveau lien à ${merchant}.`,
      },
      ended: { title: 'Ce lien a expiré', text: (merchant) => `Demandez un nouveau lien à ${merchant}.` },
      revoked: {
        title: 'Ce lien a été retiré',
        text: (merchant) => `${merchant} n’attend plus de réponse ici. En cas de doute, contactez ${merchant}.`,
      },
      unavailable: {
        title: 'Ce lien ne fonctionne pas pour le moment',
        text: (merchant) =>
          `${merchant} doit le configurer de nouveau. Contactez ${merchant}, ou demandez un nouveau lien.`,
      },
      busy: {
        title: 'Il y a trop de monde en ce moment',
        text: () => 'Votre lien reste valable. Réessayez plus tard.',
      },
    },
  },
  it: {
    title: (merchant) => `${merchant} le chiede una conferma`,
    text: 'Tenga a portata di mano il telefono con il wallet. La pagina seguente mostra che cosa viene chiesto, prima di condividere qualsiasi dato.',
    go: 'Continua',
    cookies: 'Prema di nuovo il pulsante. Se non basta, consenta i cookie per questa pagina.',
    stops: {
      unknown: {
        title: 'Questo link non esiste',
        text: () => 'Controlli che l’indirizzo sia completo, oppure chieda un nuovo link al mittente.',
      },
      scheduled: { title: 'Questo link non è ancora aperto', text: () => 'Lo apra di nuovo a quell’ora.' },
      used_up: {
        title: 'Questo link è già stato usato',
        text: (merchant) => `Se non ha finito, chieda un nuovo link a ${merchant}.`,
      },
      ended: { title: 'Questo link è scaduto', text: (merchant) => `Chieda un nuovo link a ${merchant}.` },
      revoked: {
        title: 'Questo link è stato ritirato',
        text: (merchant) => `${merchant} non aspetta più una risposta qui. In caso di dubbio, contatti ${merchant}.`,
      },
      unavailable: {
        title: 'Questo link al momento non funziona',
        text: (merchant) => `${merchant} deve configurarlo di nuovo. Contatti ${merchant} o chieda un nuovo link.`,
      },
      busy: {
        title: 'In questo momento ci sono troppe persone',
        text: () => 'Il suo link resta valido. Riprovi più tardi.',
      },
    },
  },
  es: {
    title: (merchant) => `${merchant} le pide una confirmación`,
    text: 'Tenga a mano el teléfono con su cartera. En la página siguiente verá qué se pide, antes de compartir nada.',
    go: 'Continuar',
    cookies: 'Pulse el botón de nuevo. Si no basta, permita las cookies de esta página.',
    stops: {
      unknown: {
        title: 'Este enlace no existe',
        text: () => 'Compruebe que la dirección está completa o pida un enlace nuevo al remitente.',
      },
      scheduled: { title: 'Este enlace aún no está abierto', text: () => 'Ábralo de nuevo a esa hora.' },
      used_up: {
        title: 'Este enlace ya se ha usado',
        text: (merchant) => `Si no ha terminado, pida un enlace nuevo a ${merchant}.`,
      },
      ended: { title: 'Este enlace ha caducado', text: (merchant) => `Pida un enlace nuevo a ${merchant}.` },
      revoked: {
        title: 'Este enlace se ha retirado',
        text: (merchant) => `${merchant} ya no espera una respuesta aquí. Si tiene dudas, contacte con ${merchant}.`,
      },
      unavailable: {
        title: 'Este enlace no funciona en este momento',
        text: (merchant) =>
          `${merchant} tiene que configurarlo de nuevo. Contacte con ${merchant} o pida un enlace nuevo.`,
      },
      busy: {
        title: 'Hay demasiada gente en este momento',
        text: () => 'Su enlace sigue siendo válido. Inténtelo más tarde.',
      },
    },
  },
  nl: {
    title: (merchant) => `${merchant} vraagt u om een bevestiging`,
    text: 'Houd de telefoon met uw wallet bij de hand. Op de volgende pagina ziet u wat er wordt gevraagd, voordat u iets deelt.',
    go: 'Doorgaan',
    cookies: 'Druk nog eens op de knop. Helpt dat niet, sta dan cookies toe voor deze pagina.',
    stops: {
      unknown: {
        title: 'Deze link bestaat niet',
        text: () => 'Controleer of het adres volledig is, of vraag de afzender om een nieuwe link.',
      },
      scheduled: { title: 'Deze link is nog niet open', text: () => 'Open hem dan opnieuw.' },
      used_up: {
        title: 'Deze link is al gebruikt',
        text: (merchant) => `Bent u nog niet klaar? Vraag ${merchant} om een nieuwe link.`,
      },
      ended: { title: 'Deze link is verlopen', text: (merchant) => `Vraag ${merchant} om een nieuwe link.` },
      revoked: {
        title: 'Deze link is ingetrokken',
        text: (merchant) =>
          `${merchant} verwacht hier geen antwoord meer. Neem bij twijfel contact op met ${merchant}.`,
      },
      unavailable: {
        title: 'Deze link werkt op dit moment niet',
        text: (merchant) =>
          `${merchant} moet hem opnieuw instellen. Neem contact op met ${merchant}, of vraag om een nieuwe link.`,
      },
      busy: { title: 'Het is hier nu te druk', text: () => 'Uw link blijft geldig. Probeer het later opnieuw.' },
    },
  },
}
