// Texts between a wallet's answer and the end of a sign-in, if the answer came from another device or browser.

import type { Language } from '../../../../../labels/catalogue.ts'

interface PageText {
  readonly title: string
  readonly texts: readonly string[]
}

export interface ConfirmationWords {
  readonly goingOn: string
  readonly needsScript: string
  /** In the browser that began: type the code. */
  readonly type: PageText
  readonly label: string
  readonly submit: string
  readonly wrong: (triesLeft: number) => string
  readonly noCode: PageText
  readonly leave: string
  /** In the browser that began, if only the wallet's return counts. */
  readonly wait: PageText
  /** In the browser that the wallet opened: the code. */
  readonly show: {
    readonly title: (merchant: string) => string
    readonly where: (host: string) => string
    readonly warning: string
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
      texts: ['Your wallet has answered. After that, your phone opened a page with a code of eight digits.'],
    },
    label: 'Code',
    submit: 'Continue',
    wrong: (left) =>
      left === 1
        ? 'That code is not right. You have one try left.'
        : `That code is not right. You have ${left} tries left.`,
    noCode: {
      title: 'Your phone shows no code?',
      texts: [
        'Look for a new page in the browser of your phone, or for a button in your wallet that leads back.',
        'Some wallets open no page. Then cancel, start again, and open the wallet on the device on which you sign in, or choose the wallet in this browser.',
      ],
    },
    leave: 'Cancel the sign-in',
    wait: {
      title: 'Continue in the page that your wallet opens',
      texts: ['Your wallet has answered. The sign-in goes on in this browser once your wallet has led back to it.'],
    },
    show: {
      title: (merchant) => `Your code to sign in to ${merchant}`,
      where: (host) =>
        `Type it into the page on which you started the sign-in yourself. Its address begins with ${host}.`,
      warning: 'Never tell anyone this code, and never type it anywhere else. Nobody from support will ask for it.',
      notYou: 'You did not start a sign-in? Then close this page. Without the code nobody can sign in as you.',
    },
    mismatch: {
      title: 'This sign-in began in another browser',
      texts: [
        'Nobody was signed in. This website only accepts a wallet on the same device and in the same browser.',
        'To sign in yourself, go to the website and start there. If you did not start a sign-in, someone may have tried to sign in as you.',
      ],
    },
  },
  de: {
    goingOn: 'Einen Moment…',
    needsScript:
      'Diese Seite braucht JavaScript. Erlauben Sie es und öffnen Sie die Seite noch einmal aus Ihrer Wallet.',
    type: {
      title: 'Geben Sie den Code von Ihrem Telefon ein',
      texts: ['Ihre Wallet hat geantwortet. Danach hat Ihr Telefon eine Seite mit einem achtstelligen Code geöffnet.'],
    },
    label: 'Code',
    submit: 'Weiter',
    wrong: (left) =>
      left === 1
        ? 'Dieser Code stimmt nicht. Sie haben noch einen Versuch.'
        : `Dieser Code stimmt nicht. Sie haben noch ${left} Versuche.`,
    noCode: {
      title: 'Ihr Telefon zeigt keinen Code?',
      texts: [
        'Sehen Sie im Browser Ihres Telefons nach einer neuen Seite oder in Ihrer Wallet nach einer Schaltfläche, die zurückführt.',
        'Manche Wallets öffnen keine Seite. Brechen Sie dann ab, beginnen Sie noch einmal und öffnen Sie die Wallet auf dem Gerät, auf dem Sie sich anmelden, oder wählen Sie die Wallet in diesem Browser.',
      ],
    },
    leave: 'Anmeldung abbrechen',
    wait: {
      title: 'Weiter geht es auf der Seite, die Ihre Wallet öffnet',
      texts: [
        'Ihre Wallet hat geantwortet. Die Anmeldung geht in diesem Browser weiter, sobald Ihre Wallet hierher zurückgeführt hat.',
      ],
    },
    show: {
      title: (merchant) => `Ihr Code für die Anmeldung bei ${merchant}`,
      where: (host) =>
        `Geben Sie ihn auf der Seite ein, auf der Sie selbst die Anmeldung begonnen haben. Ihre Adresse beginnt mit ${host}.`,
      warning: 'Sagen Sie diesen Code niemandem und geben Sie ihn nirgendwo sonst ein. Kein Kundendienst fragt danach.',
      notYou:
        'Sie haben keine Anmeldung begonnen? Dann schließen Sie diese Seite. Ohne den Code kann sich niemand als Sie anmelden.',
    },
    mismatch: {
      title: 'Diese Anmeldung wurde in einem anderen Browser begonnen',
      texts: [
        'Niemand wurde angemeldet. Diese Website nimmt nur eine Wallet auf demselben Gerät und in demselben Browser an.',
        'Wenn Sie sich anmelden möchten, öffnen Sie die Website und beginnen Sie dort. Haben Sie keine Anmeldung begonnen, wollte sich vielleicht jemand als Sie anmelden.',
      ],
    },
  },
  fr: {
    goingOn: 'Un instant…',
    needsScript: 'Cette page a besoin de JavaScript. Autorisez-le, puis rouvrez la page depuis votre portefeuille.',
    type: {
      title: 'Saisissez le code affiché sur votre téléphone',
      texts: ['Votre portefeuille a répondu. Votre téléphone a ensuite ouvert une page avec un code à huit chiffres.'],
    },
    label: 'Code',
    submit: 'Continuer',
    wrong: (left) =>
      left === 1
        ? 'Ce code est incorrect. Il vous reste un essai.'
        : `Ce code est incorrect. Il vous reste ${left} essais.`,
    noCode: {
      title: 'Votre téléphone n’affiche aucun code ?',
      texts: [
        'Cherchez une nouvelle page dans le navigateur de votre téléphone, ou un bouton de retour dans votre portefeuille.',
        'Certains portefeuilles n’ouvrent pas de page. Dans ce cas, annulez, recommencez et ouvrez le portefeuille sur l’appareil où vous vous connectez, ou choisissez le portefeuille dans ce navigateur.',
      ],
    },
    leave: 'Annuler la connexion',
    wait: {
      title: 'Continuez sur la page que votre portefeuille ouvre',
      texts: [
        'Votre portefeuille a répondu. La connexion continue dans ce navigateur dès que votre portefeuille y est revenu.',
      ],
    },
    show: {
      title: (merchant) => `Votre code pour vous connecter à ${merchant}`,
      where: (host) =>
        `Saisissez-le sur la page où vous avez vous-même commencé la connexion. Son adresse commence par ${host}.`,
      warning:
        'Ne communiquez ce code à personne et ne le saisissez nulle part ailleurs. Aucun service client ne vous le demandera.',
      notYou:
        'Vous n’avez pas commencé de connexion ? Fermez cette page. Sans le code, personne ne peut se connecter à votre place.',
    },
    mismatch: {
      title: 'Cette connexion a commencé dans un autre navigateur',
      texts: [
        'Personne n’a été connecté. Ce site n’accepte qu’un portefeuille sur le même appareil et dans le même navigateur.',
        'Pour vous connecter vous-même, ouvrez le site et commencez-y. Si vous n’avez pas commencé de connexion, quelqu’un a peut-être essayé de se connecter à votre place.',
      ],
    },
  },
  it: {
    goingOn: 'Un momento…',
    needsScript: 'Questa pagina ha bisogno di JavaScript. Consentilo e riapri la pagina dal tuo wallet.',
    type: {
      title: 'Inserisci il codice mostrato sul telefono',
      texts: ['Il tuo wallet ha risposto. Poi il telefono ha aperto una pagina con un codice di otto cifre.'],
    },
    label: 'Codice',
    submit: 'Continua',
    wrong: (left) =>
      left === 1
        ? 'Il codice non è corretto. Hai ancora un tentativo.'
        : `Il codice non è corretto. Hai ancora ${left} tentativi.`,
    noCode: {
      title: 'Il telefono non mostra alcun codice?',
      texts: [
        'Cerca una nuova pagina nel browser del telefono, o un pulsante nel wallet che riporti indietro.',
        'Alcuni wallet non aprono nessuna pagina. In questo caso annulla, ricomincia e apri il wallet sul dispositivo su cui accedi, oppure scegli il wallet in questo browser.',
      ],
    },
    leave: 'Annulla l’accesso',
    wait: {
      title: 'Continua nella pagina aperta dal tuo wallet',
      texts: ['Il tuo wallet ha risposto. L’accesso continua in questo browser quando il wallet ti riporta qui.'],
    },
    show: {
      title: (merchant) => `Il tuo codice per accedere a ${merchant}`,
      where: (host) =>
        `Inseriscilo nella pagina in cui tu stesso hai iniziato l’accesso. Il suo indirizzo comincia con ${host}.`,
      warning:
        'Non comunicare questo codice a nessuno e non inserirlo altrove. Nessun servizio clienti te lo chiederà.',
      notYou: 'Non hai iniziato un accesso? Chiudi questa pagina. Senza il codice nessuno può accedere al posto tuo.',
    },
    mismatch: {
      title: 'Questo accesso è iniziato in un altro browser',
      texts: [
        'Nessuno ha effettuato l’accesso. Questo sito accetta solo un wallet sullo stesso dispositivo e nello stesso browser.',
        'Per accedere, apri il sito e inizia da lì. Se non hai iniziato un accesso, forse qualcuno ha cercato di accedere al posto tuo.',
      ],
    },
  },
  es: {
    goingOn: 'Un momento…',
    needsScript: 'Esta página necesita JavaScript. Permítalo y vuelva a abrir la página desde su cartera.',
    type: {
      title: 'Introduzca el código de su teléfono',
      texts: ['Su cartera ha respondido. Después, su teléfono ha abierto una página con un código de ocho cifras.'],
    },
    label: 'Código',
    submit: 'Continuar',
    wrong: (left) =>
      left === 1
        ? 'El código no es correcto. Le queda un intento.'
        : `El código no es correcto. Le quedan ${left} intentos.`,
    noCode: {
      title: '¿Su teléfono no muestra ningún código?',
      texts: [
        'Busque una página nueva en el navegador de su teléfono, o un botón en su cartera que lleve de vuelta.',
        'Algunas carteras no abren ninguna página. En ese caso cancele, empiece de nuevo y abra la cartera en el dispositivo en el que inicia sesión, o elija la cartera en este navegador.',
      ],
    },
    leave: 'Cancelar el inicio de sesión',
    wait: {
      title: 'Continúe en la página que abre su cartera',
      texts: [
        'Su cartera ha respondido. El inicio de sesión continúa en este navegador cuando su cartera haya vuelto a él.',
      ],
    },
    show: {
      title: (merchant) => `Su código para iniciar sesión en ${merchant}`,
      where: (host) =>
        `Introdúzcalo en la página en la que usted mismo empezó el inicio de sesión. Su dirección empieza por ${host}.`,
      warning:
        'No diga este código a nadie ni lo introduzca en ningún otro lugar. Ningún servicio de atención se lo pedirá.',
      notYou:
        '¿No ha empezado ningún inicio de sesión? Cierre esta página. Sin el código nadie puede iniciar sesión en su nombre.',
    },
    mismatch: {
      title: 'Este inicio de sesión empezó en otro navegador',
      texts: [
        'Nadie ha iniciado sesión. Este sitio solo acepta una cartera en el mismo dispositivo y en el mismo navegador.',
        'Para iniciar sesión, abra el sitio web y empiece allí. Si no ha empezado ningún inicio de sesión, puede que alguien haya intentado hacerlo en su nombre.',
      ],
    },
  },
  nl: {
    goingOn: 'Een ogenblik…',
    needsScript: 'Deze pagina heeft JavaScript nodig. Sta het toe en open de pagina opnieuw vanuit uw wallet.',
    type: {
      title: 'Voer de code van uw telefoon in',
      texts: ['Uw wallet heeft geantwoord. Daarna heeft uw telefoon een pagina met een code van acht cijfers geopend.'],
    },
    label: 'Code',
    submit: 'Doorgaan',
    wrong: (left) =>
      left === 1 ? 'Die code klopt niet. U hebt nog één poging.' : `Die code klopt niet. U hebt nog ${left} pogingen.`,
    noCode: {
      title: 'Toont uw telefoon geen code?',
      texts: [
        'Zoek een nieuwe pagina in de browser van uw telefoon, of een knop in uw wallet die terugleidt.',
        'Sommige wallets openen geen pagina. Annuleer dan, begin opnieuw en open de wallet op het apparaat waarop u zich aanmeldt, of kies de wallet in deze browser.',
      ],
    },
    leave: 'Aanmelding annuleren',
    wait: {
      title: 'Ga verder op de pagina die uw wallet opent',
      texts: [
        'Uw wallet heeft geantwoord. De aanmelding gaat in deze browser verder zodra uw wallet hierheen heeft teruggeleid.',
      ],
    },
    show: {
      title: (merchant) => `Uw code om u aan te melden bij ${merchant}`,
      where: (host) =>
        `Voer hem in op de pagina waarop u zelf de aanmelding bent begonnen. Het adres begint met ${host}.`,
      warning: 'Vertel deze code aan niemand en voer hem nergens anders in. Geen enkele klantenservice vraagt erom.',
      notYou:
        'Bent u geen aanmelding begonnen? Sluit dan deze pagina. Zonder de code kan niemand zich als u aanmelden.',
    },
    mismatch: {
      title: 'Deze aanmelding is in een andere browser begonnen',
      texts: [
        'Niemand is aangemeld. Deze website accepteert alleen een wallet op hetzelfde apparaat en in dezelfde browser.',
        'Wilt u zich aanmelden, open dan de website en begin daar. Bent u geen aanmelding begonnen, dan heeft misschien iemand geprobeerd zich als u aan te melden.',
      ],
    },
  },
}
