// Texts of a sign-in outside the hosted page.

import type { Language } from '../../../../../labels/catalogue.ts'

/** Why the sign-in cannot continue. */
export type Stop = 'no_client' | 'no_redirect_uri' | 'no_request' | 'malformed' | 'unknown'

interface Words {
  readonly stopped: string
  /** For the person who is stopped. */
  readonly why: Readonly<Record<Stop, string>>
  /** What to do if the site that sent them is at fault. */
  readonly next: string
  /** For the developer of that site. */
  readonly hints: Readonly<Partial<Record<Stop, string>>>
  readonly onward: string
  readonly wait: string
}

export const WORDS: Readonly<Record<Language, Words>> = {
  en: {
    stopped: 'This sign-in cannot go on',
    why: {
      no_client: 'The site that sent you here is not known.',
      no_redirect_uri: 'The site that sent you here wants the answer at an address that is not registered.',
      no_request: 'This link has expired or was used before. Please go back and sign in again.',
      malformed: 'The request of the site that sent you here cannot be read.',
      unknown: 'Go on in the browser in which you began. Here there is no sign-in under way, or it is over already.',
    },
    next: 'Nothing was passed on. Please go back, and tell the site about it.',
    hints: {
      no_client: 'Is it your site? Check client_id and the address of the provider.',
      no_redirect_uri: 'Is it your site? Register the redirect_uri exactly as it is sent.',
    },
    onward: 'Go on',
    wait: 'You are taken back…',
  },
  de: {
    stopped: 'Anmeldung nicht möglich',
    why: {
      no_client: 'Die Seite, von der Sie kommen, ist nicht bekannt.',
      no_redirect_uri: 'Die Seite, von der Sie kommen, möchte die Antwort an eine Adresse, die nicht eingetragen ist.',
      no_request:
        'Dieser Link ist abgelaufen oder wurde schon benutzt. Bitte gehen Sie zurück und melden Sie sich noch einmal an.',
      malformed: 'Die Anfrage der Seite, von der Sie kommen, ist nicht lesbar.',
      unknown:
        'Machen Sie in dem Browser weiter, in dem Sie begonnen haben. Hier ist keine Anmeldung offen, oder sie ist schon vorbei.',
    },
    next: 'Es wurde nichts weitergegeben. Bitte gehen Sie zurück und sagen Sie der Seite Bescheid.',
    hints: {
      no_client: 'Ist es Ihre Seite? Prüfen Sie client_id und die Adresse des Providers.',
      no_redirect_uri: 'Ist es Ihre Seite? Tragen Sie die redirect_uri genau so ein, wie sie gesendet wird.',
    },
    onward: 'Weiter',
    wait: 'Sie werden zurückgeleitet…',
  },
  fr: {
    stopped: 'Cette connexion ne peut pas continuer',
    why: {
      no_client: 'Le site qui vous envoie ici n’est pas connu.',
      no_redirect_uri: 'Le site qui vous envoie ici veut la réponse à une adresse qui n’est pas enregistrée.',
      no_request: 'Ce lien a expiré ou a déjà été utilisé. Veuillez revenir en arrière et vous connecter de nouveau.',
      malformed: 'La demande du site qui vous envoie ici est illisible.',
      unknown:
        'Continuez dans le navigateur où vous avez commencé. Ici, aucune connexion n’est en cours, ou elle est déjà terminée.',
    },
    next: 'Rien n’a été transmis. Veuillez revenir en arrière et prévenir le site.',
    hints: {
      no_client: 'C’est votre site ? Vérifiez client_id et l’adresse du fournisseur.',
      no_redirect_uri: 'C’est votre site ? Enregistrez la redirect_uri exactement comme elle est envoyée.',
    },
    onward: 'Continuer',
    wait: 'Retour en cours…',
  },
  it: {
    stopped: 'Questo accesso non può continuare',
    why: {
      no_client: 'Il sito da cui arrivi non è conosciuto.',
      no_redirect_uri: 'Il sito da cui arrivi vuole la risposta a un indirizzo che non è registrato.',
      no_request: 'Questo link è scaduto o è già stato usato. Torna indietro e accedi di nuovo.',
      malformed: 'La richiesta del sito da cui arrivi non è leggibile.',
      unknown: 'Continua nel browser in cui hai iniziato. Qui non c’è alcun accesso in corso, oppure è già terminato.',
    },
    next: 'Non è stato trasmesso nulla. Torna indietro e avvisa il sito.',
    hints: {
      no_client: 'È il tuo sito? Controlla client_id e l’indirizzo del provider.',
      no_redirect_uri: 'È il tuo sito? Registra la redirect_uri esattamente come viene inviata.',
    },
    onward: 'Continua',
    wait: 'Ritorno in corso…',
  },
  es: {
    stopped: 'Este inicio de sesión no puede continuar',
    why: {
      no_client: 'El sitio que le ha enviado aquí no es conocido.',
      no_redirect_uri: 'El sitio que le ha enviado aquí quiere la respuesta en una dirección que no está registrada.',
      no_request: 'Este enlace ha caducado o ya se ha usado. Vuelva atrás e inicie sesión de nuevo.',
      malformed: 'La solicitud del sitio que le ha enviado aquí no se puede leer.',
      unknown:
        'Continúe en el navegador en el que empezó. Aquí no hay ningún inicio de sesión en curso, o ya ha terminado.',
    },
    next: 'No se ha transmitido nada. Vuelva atrás y avise al sitio.',
    hints: {
      no_client: '¿Es su sitio? Compruebe client_id y la dirección del proveedor.',
      no_redirect_uri: '¿Es su sitio? Registre la redirect_uri exactamente como se envía.',
    },
    onward: 'Continuar',
    wait: 'Volviendo…',
  },
  nl: {
    stopped: 'Deze aanmelding kan niet verder',
    why: {
      no_client: 'De site die u hierheen stuurde is niet bekend.',
      no_redirect_uri: 'De site die u hierheen stuurde wil het antwoord op een adres dat niet geregistreerd is.',
      no_request: 'Deze link is verlopen of al gebruikt. Ga terug en meld u opnieuw aan.',
      malformed: 'Het verzoek van de site die u hierheen stuurde is niet leesbaar.',
      unknown: 'Ga verder in de browser waarin u begon. Hier is geen aanmelding bezig, of die is al voorbij.',
    },
    next: 'Er is niets doorgegeven. Ga terug en laat het de site weten.',
    hints: {
      no_client: 'Is het uw site? Controleer client_id en het adres van de provider.',
      no_redirect_uri: 'Is het uw site? Registreer de redirect_uri precies zoals die wordt verzonden.',
    },
    onward: 'Doorgaan',
    wait: 'U wordt teruggestuurd…',
  },
}
