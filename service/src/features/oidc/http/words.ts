// Holds the texts of a sign-in's pages outside the hosted page.

import type { Language } from '../../../../../labels/catalogue.ts'

/** Why the sign-in cannot continue. */
export type Stop = 'no_client' | 'no_redirect_uri' | 'no_request' | 'malformed' | 'unknown'

interface Words {
  readonly stopped: string
  /** For the person who tries to sign in. */
  readonly why: Readonly<Record<Stop, string>>
  /** What to do if the site that sent the person is at fault. */
  readonly next: string
  /** The heading of the collapsed part for the developer of that site. */
  readonly developers: string
  readonly hints: Readonly<Partial<Record<Stop, string>>>
  readonly wait: string
}

export const WORDS: Readonly<Record<Language, Words>> = {
  en: {
    stopped: 'This sign-in does not work',
    why: {
      no_client: 'We do not know the website that sent you here.',
      no_redirect_uri: 'The website that sent you here gave a return address that is not registered.',
      no_request: 'This link has expired or has already been used. Go back and sign in again.',
      malformed: 'We cannot read the request from the website that sent you here.',
      unknown:
        'Your sign-in in this browser has ended, or you started it in another browser. Continue there, or start again on the website.',
    },
    next: 'Nothing was shared. Go back and tell the operator of the website.',
    developers: 'For developers',
    hints: {
      no_client: 'Check client_id and the address of the provider.',
      no_redirect_uri: 'Register the redirect_uri exactly as you send it.',
    },
    wait: 'Taking you back…',
  },
  de: {
    stopped: 'Diese Anmeldung funktioniert nicht',
    why: {
      no_client: 'Wir kennen die Website nicht, von der Sie kommen.',
      no_redirect_uri: 'Die Website, von der Sie kommen, nennt eine Rücksprungadresse, die nicht eingetragen ist.',
      no_request:
        'Dieser Link ist abgelaufen oder wurde schon verwendet. Gehen Sie zurück und melden Sie sich noch einmal an.',
      malformed: 'Wir können die Anfrage der Website, von der Sie kommen, nicht lesen.',
      unknown:
        'Ihre Anmeldung in diesem Browser ist beendet, oder Sie haben sie in einem anderen begonnen. Machen Sie dort weiter, oder beginnen Sie auf der Website neu.',
    },
    next: 'Es wurde nichts übermittelt. Gehen Sie zurück und informieren Sie den Betreiber der Website.',
    developers: 'Für Entwickler',
    hints: {
      no_client: 'Prüfen Sie client_id und die Adresse des Providers.',
      no_redirect_uri: 'Tragen Sie die redirect_uri genau so ein, wie sie gesendet wird.',
    },
    wait: 'Sie werden zurückgeleitet…',
  },
  fr: {
    stopped: 'Cette connexion ne fonctionne pas',
    why: {
      no_client: 'Nous ne connaissons pas le site qui vous envoie ici.',
      no_redirect_uri: 'Le site qui vous envoie ici indique une adresse de retour qui n’est pas enregistrée.',
      no_request: 'Ce lien a expiré ou a déjà été utilisé. Veuillez revenir en arrière et vous connecter de nouveau.',
      malformed: 'La demande du site qui vous envoie ici est illisible.',
      unknown:
        'Continuez dans le navigateur où vous avez commencé. Ici, aucune connexion n’est en cours, ou elle est déjà terminée.',
    },
    next: 'Rien n’a été transmis. Revenez en arrière et prévenez le responsable du site.',
    developers: 'Pour les développeurs',
    hints: {
      no_client: 'Vérifiez client_id et l’adresse du fournisseur.',
      no_redirect_uri: 'Enregistrez la redirect_uri exactement comme elle est envoyée.',
    },
    wait: 'Retour en cours…',
  },
  it: {
    stopped: 'Questo accesso non funziona',
    why: {
      no_client: 'Non conosciamo il sito da cui arrivi.',
      no_redirect_uri: 'Il sito da cui arrivi indica un indirizzo di ritorno che non è registrato.',
      no_request: 'Questo link è scaduto o è già stato usato. Torna indietro e accedi di nuovo.',
      malformed: 'La richiesta del sito da cui arrivi non è leggibile.',
      unknown: 'Continua nel browser in cui hai iniziato. Qui non c’è alcun accesso in corso, oppure è già terminato.',
    },
    next: 'Non è stato trasmesso nulla. Torna indietro e avvisa il gestore del sito.',
    developers: 'Per gli sviluppatori',
    hints: {
      no_client: 'Controlla client_id e l’indirizzo del provider.',
      no_redirect_uri: 'Registra la redirect_uri esattamente come viene inviata.',
    },
    wait: 'Ritorno in corso…',
  },
  es: {
    stopped: 'Este inicio de sesión no funciona',
    why: {
      no_client: 'No conocemos el sitio que le ha enviado aquí.',
      no_redirect_uri: 'El sitio que le ha enviado aquí indica una dirección de retorno que no está registrada.',
      no_request: 'Este enlace ha caducado o ya se ha usado. Vuelva atrás e inicie sesión de nuevo.',
      malformed: 'La solicitud del sitio que le ha enviado aquí no se puede leer.',
      unknown:
        'Continúe en el navegador en el que empezó. Aquí no hay ningún inicio de sesión en curso, o ya ha terminado.',
    },
    next: 'No se ha transmitido nada. Vuelva atrás y avise al responsable del sitio.',
    developers: 'Para desarrolladores',
    hints: {
      no_client: 'Compruebe client_id y la dirección del proveedor.',
      no_redirect_uri: 'Registre la redirect_uri exactamente como se envía.',
    },
    wait: 'Volviendo…',
  },
  nl: {
    stopped: 'Inloggen is niet gelukt',
    why: {
      no_client: 'We kennen de site niet die u hierheen stuurde.',
      no_redirect_uri: 'De site die u hierheen stuurde noemt een terugkeeradres dat niet geregistreerd is.',
      no_request: 'Deze link is verlopen of al gebruikt. Ga terug en log opnieuw in.',
      malformed: 'Het verzoek van de site die u hierheen stuurde is niet leesbaar.',
      unknown:
        'Ga verder in de browser waarin u begon. In deze browser bent u niet aan het inloggen, of het inloggen is al beëindigd.',
    },
    next: 'Er is niets doorgegeven. Ga terug en laat het de beheerder van de site weten.',
    developers: 'Voor ontwikkelaars',
    hints: {
      no_client: 'Controleer client_id en het adres van de provider.',
      no_redirect_uri: 'Registreer de redirect_uri precies zoals die wordt verzonden.',
    },
    wait: 'U wordt teruggestuurd…',
  },
}
