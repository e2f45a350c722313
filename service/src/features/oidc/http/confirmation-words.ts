// Holds the texts of the pages after a wallet on another device or in another browser answered a sign-in.

import type { Language } from '../../../../../labels/catalogue.ts'

interface PageText {
  readonly title: string
  readonly texts: readonly string[]
}

export interface ConfirmationWords {
  readonly goingOn: string
  readonly needsScript: string
  /** In the browser that began the sign-in, where the person types the code. */
  readonly type: PageText
  readonly label: string
  readonly submit: string
  readonly wrong: (triesLeft: number) => string
  readonly noCode: PageText
  readonly leave: string
  /** In the browser that began the sign-in, if the client accepts no code. */
  readonly wait: PageText
  /** In the browser that the wallet opened, which shows the code. */
  readonly show: {
    readonly title: (merchant: string) => string
    /** Before the host, which is on its own line. */
    readonly where: string
    /** The first sentence is bold. */
    readonly warning: readonly [string, string]
    readonly notYou: string
  }
  readonly mismatch: PageText
}

export const CONFIRMATION_WORDS: Readonly<Record<Language, ConfirmationWords>> = {
  en: {
    goingOn: 'One moment…',
    needsScript: 'This page needs JavaScript to continue. Allow it, then open the page from your wallet again.',
    type: {
      title: 'Enter the code from your phone',
      texts: ['You have confirmed the sign-in in your wallet. Your phone now shows an eight-digit code.'],
    },
    label: 'Code from your phone',
    submit: 'Sign in',
    wrong: (left) =>
      left === 1
        ? 'That code is wrong. You have one attempt left.'
        : `That code is wrong. You have ${left} attempts left.`,
    noCode: {
      title: 'No code on your phone?',
      texts: [
        'Look for a new page in your phone’s browser, or for a button in your wallet that takes you back.',
        'Some wallets do not open a page. If yours does not, cancel and start again, with a wallet on the device you sign in on.',
      ],
    },
    leave: 'Cancel the sign-in',
    wait: {
      title: 'Continue on the page your wallet opens',
      texts: [
        'You have confirmed the sign-in in your wallet. You are signed in once it takes you back to this browser.',
      ],
    },
    show: {
      title: (merchant) => `Your code to sign in to ${merchant}`,
      where: 'Enter it only on the page where you started to sign in:',
      warning: ['Never tell anyone this code.', 'Never enter it anywhere else. Support will never ask for it.'],
      notYou: 'Not signing in? Close this page. Without the code, no one can sign in as you.',
    },
    mismatch: {
      title: 'This sign-in was started in another browser',
      texts: [
        'You are not signed in. This website only accepts a wallet on the same device and in the same browser.',
        'To sign in yourself, go to the website and start there. If you did not start a sign-in, someone may have tried to sign in as you.',
      ],
    },
  },
  de: {
    goingOn: 'Einen Moment…',
    needsScript:
      'Diese Seite braucht JavaScript. Erlauben Sie es und öffnen Sie die Seite noch einmal aus Ihrer Wallet.',
    type: {
      title: 'Geben Sie den Code von Ihrem Smartphone ein',
      texts: [
        'Sie haben die Anmeldung in Ihrer Wallet bestätigt. Ihr Smartphone zeigt jetzt einen achtstelligen Code.',
      ],
    },
    label: 'Code von Ihrem Smartphone',
    submit: 'Anmelden',
    wrong: (left) =>
      left === 1
        ? 'Dieser Code stimmt nicht. Sie haben noch einen Versuch.'
        : `Dieser Code stimmt nicht. Sie haben noch ${left} Versuche.`,
    noCode: {
      title: 'Kein Code auf Ihrem Smartphone?',
      texts: [
        'Suchen Sie im Browser Ihres Smartphones nach einer neuen Seite oder in Ihrer Wallet nach einer Schaltfläche, die Sie zurückbringt.',
        'Manche Wallets öffnen keine Seite. Brechen Sie dann ab und beginnen Sie neu, mit einer Wallet auf dem Gerät, auf dem Sie sich anmelden.',
      ],
    },
    leave: 'Anmeldung abbrechen',
    wait: {
      title: 'Weiter auf der Seite, die Ihre Wallet öffnet',
      texts: [
        'Sie haben die Anmeldung in Ihrer Wallet bestätigt. Sobald die Wallet Sie in diesen Browser zurückbringt, sind Sie angemeldet.',
      ],
    },
    show: {
      title: (merchant) => `Ihr Code für die Anmeldung bei ${merchant}`,
      where: 'Geben Sie ihn nur auf der Seite ein, auf der Sie die Anmeldung begonnen haben:',
      warning: [
        'Sagen Sie diesen Code niemandem.',
        'Geben Sie ihn nirgendwo sonst ein. Der Kundendienst fragt nie danach.',
      ],
      notYou:
        'Sie melden sich gar nicht an? Schließen Sie diese Seite. Ohne den Code kann sich niemand in Ihrem Namen anmelden.',
    },
    mismatch: {
      title: 'Diese Anmeldung wurde in einem anderen Browser begonnen',
      texts: [
        'Sie sind nicht angemeldet. Diese Website akzeptiert nur eine Wallet auf demselben Gerät und im selben Browser.',
        'Wenn Sie sich anmelden möchten, öffnen Sie die Website und beginnen Sie dort. Haben Sie keine Anmeldung begonnen, wollte sich vielleicht jemand in Ihrem Namen anmelden.',
      ],
    },
  },
  fr: {
    goingOn: 'Un instant…',
    needsScript: 'Cette page a besoin de JavaScript. Autorisez-le, puis rouvrez la page depuis votre portefeuille.',
    type: {
      title: 'Saisissez le code affiché sur votre téléphone',
      texts: [
        'Vous avez confirmé dans votre portefeuille. Votre téléphone affiche maintenant un code à huit chiffres.',
      ],
    },
    label: 'Code affiché sur votre téléphone',
    submit: 'Se connecter',
    wrong: (left) =>
      left === 1
        ? 'Ce code est incorrect. Il vous reste un essai.'
        : `Ce code est incorrect. Il vous reste ${left} essais.`,
    noCode: {
      title: 'Votre téléphone n’affiche aucun code ?',
      texts: [
        'Cherchez une nouvelle page dans le navigateur de votre téléphone, ou un bouton de retour dans votre portefeuille.',
        'Certains portefeuilles n’ouvrent pas de page. Dans ce cas, annulez et recommencez avec un portefeuille sur l’appareil où vous vous connectez.',
      ],
    },
    leave: 'Annuler la connexion',
    wait: {
      title: 'Continuez sur la page que votre portefeuille ouvre',
      texts: [
        'Vous avez confirmé dans votre portefeuille. La connexion se termine dès qu’il vous ramène dans ce navigateur.',
      ],
    },
    show: {
      title: (merchant) => `Votre code pour vous connecter à ${merchant}`,
      where: 'Saisissez-le uniquement sur la page où vous avez commencé à vous connecter :',
      warning: [
        'Ne communiquez ce code à personne.',
        'Ne le saisissez nulle part ailleurs. Le service client ne le demande jamais.',
      ],
      notYou:
        'Vous n’avez pas commencé de connexion ? Fermez cette page. Sans le code, personne ne peut se connecter à votre place.',
    },
    mismatch: {
      title: 'Cette connexion a commencé dans un autre navigateur',
      texts: [
        'La connexion n’a pas eu lieu. Ce site n’accepte qu’un portefeuille sur le même appareil et dans le même navigateur.',
        'Pour vous connecter vous-même, ouvrez le site et commencez-y. Si vous n’avez pas commencé de connexion, quelqu’un a peut-être essayé de se connecter à votre place.',
      ],
    },
  },
  it: {
    goingOn: 'Un momento…',
    needsScript: 'Questa pagina ha bisogno di JavaScript. Consentilo e riapri la pagina dal tuo wallet.',
    type: {
      title: 'Inserisci il codice mostrato sul telefono',
      texts: ['Hai confermato nel tuo wallet. Il telefono ora mostra un codice di otto cifre.'],
    },
    label: 'Codice sul telefono',
    submit: 'Accedi',
    wrong: (left) =>
      left === 1
        ? 'Il codice non è corretto. Hai ancora un tentativo.'
        : `Il codice non è corretto. Hai ancora ${left} tentativi.`,
    noCode: {
      title: 'Il telefono non mostra alcun codice?',
      texts: [
        'Cerca una nuova pagina nel browser del telefono, o un pulsante nel wallet che riporti indietro.',
        'Alcuni wallet non aprono nessuna pagina. In questo caso annulla e ricomincia con un wallet sul dispositivo su cui accedi.',
      ],
    },
    leave: 'Annulla l’accesso',
    wait: {
      title: 'Continua nella pagina aperta dal tuo wallet',
      texts: ['Hai confermato nel tuo wallet. L’accesso è fatto quando ti riporta in questo browser.'],
    },
    show: {
      title: (merchant) => `Il tuo codice per accedere a ${merchant}`,
      where: 'Inseriscilo solo nella pagina in cui hai iniziato l’accesso:',
      warning: [
        'Non comunicare questo codice a nessuno.',
        'Non inserirlo altrove. Il servizio clienti non lo chiede mai.',
      ],
      notYou: 'Non hai iniziato un accesso? Chiudi questa pagina. Senza il codice nessuno può accedere al posto tuo.',
    },
    mismatch: {
      title: 'Questo accesso è iniziato in un altro browser',
      texts: [
        'Non hai effettuato l’accesso. Questo sito accetta solo un wallet sullo stesso dispositivo e nello stesso browser.',
        'Per accedere, apri il sito e inizia da lì. Se non hai iniziato un accesso, forse qualcuno ha cercato di accedere al posto tuo.',
      ],
    },
  },
  es: {
    goingOn: 'Un momento…',
    needsScript: 'Esta página necesita JavaScript. Permítalo y vuelva a abrir la página desde su cartera.',
    type: {
      title: 'Introduzca el código de su teléfono',
      texts: ['Ha confirmado en su cartera. Su teléfono muestra ahora un código de ocho cifras.'],
    },
    label: 'Código de su teléfono',
    submit: 'Iniciar sesión',
    wrong: (left) =>
      left === 1
        ? 'El código no es correcto. Le queda un intento.'
        : `El código no es correcto. Le quedan ${left} intentos.`,
    noCode: {
      title: '¿Su teléfono no muestra ningún código?',
      texts: [
        'Busque una página nueva en el navegador de su teléfono, o un botón en su cartera que lleve de vuelta.',
        'Algunas carteras no abren ninguna página. En ese caso, cancele y empiece de nuevo con una cartera en el dispositivo en el que inicia sesión.',
      ],
    },
    leave: 'Cancelar el inicio de sesión',
    wait: {
      title: 'Continúe en la página que abre su cartera',
      texts: ['Ha confirmado en su cartera. Habrá iniciado sesión cuando le devuelva a este navegador.'],
    },
    show: {
      title: (merchant) => `Su código para iniciar sesión en ${merchant}`,
      where: 'Introdúzcalo solo en la página en la que empezó a iniciar sesión:',
      warning: [
        'No diga este código a nadie.',
        'No lo introduzca en ningún otro lugar. El servicio de atención nunca lo pide.',
      ],
      notYou:
        '¿No ha empezado ningún inicio de sesión? Cierre esta página. Sin el código nadie puede iniciar sesión en su nombre.',
    },
    mismatch: {
      title: 'Este inicio de sesión empezó en otro navegador',
      texts: [
        'No ha iniciado sesión. Este sitio solo acepta una cartera en el mismo dispositivo y en el mismo navegador.',
        'Para iniciar sesión, abra el sitio web y empiece allí. Si no ha empezado ningún inicio de sesión, puede que alguien haya intentado hacerlo en su nombre.',
      ],
    },
  },
  nl: {
    goingOn: 'Een ogenblik…',
    needsScript: 'Deze pagina heeft JavaScript nodig. Sta het toe en open de pagina opnieuw vanuit uw wallet.',
    type: {
      title: 'Voer de code van uw telefoon in',
      texts: ['U hebt bevestigd in uw wallet. Uw telefoon toont nu een code van acht cijfers.'],
    },
    label: 'Code op uw telefoon',
    submit: 'Inloggen',
    wrong: (left) =>
      left === 1 ? 'Die code klopt niet. U hebt nog één poging.' : `Die code klopt niet. U hebt nog ${left} pogingen.`,
    noCode: {
      title: 'Toont uw telefoon geen code?',
      texts: [
        'Zoek een nieuwe pagina in de browser van uw telefoon, of een knop in uw wallet die terugleidt.',
        'Sommige wallets openen geen pagina. Annuleer dan en begin opnieuw, met een wallet op het apparaat waarop u inlogt.',
      ],
    },
    leave: 'Inloggen annuleren',
    wait: {
      title: 'Ga verder op de pagina die uw wallet opent',
      texts: ['U hebt bevestigd in uw wallet. U bent ingelogd zodra die u in deze browser terugbrengt.'],
    },
    show: {
      title: (merchant) => `Uw code om in te loggen bij ${merchant}`,
      where: 'Voer hem alleen in op de pagina waarop u bent begonnen met inloggen:',
      warning: ['Vertel deze code aan niemand.', 'Voer hem nergens anders in. De klantenservice vraagt er nooit om.'],
      notYou: 'Bent u niet zelf gaan inloggen? Sluit dan deze pagina. Zonder de code kan niemand uit uw naam inloggen.',
    },
    mismatch: {
      title: 'Het inloggen is in een andere browser begonnen',
      texts: [
        'U bent niet ingelogd. Deze website accepteert alleen een wallet op hetzelfde apparaat en in dezelfde browser.',
        'Wilt u inloggen, open dan de website en begin daar. Bent u niet zelf gaan inloggen, dan heeft misschien iemand geprobeerd uit uw naam in te loggen.',
      ],
    },
  },
}
