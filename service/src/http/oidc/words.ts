// What is said of a sign-in beside the hosted page.

import type { Language } from '../../../../labels/catalogue.ts'

/** Why it cannot go on here. */
export type Stop = 'no_client' | 'no_redirect_uri' | 'malformed' | 'unknown'

interface Words {
  readonly stopped: string
  readonly why: Readonly<Record<Stop, string>>
  readonly onward: string
  readonly wait: string
}

export const WORDS: Readonly<Record<Language, Words>> = {
  en: {
    stopped: 'This sign-in cannot go on',
    why: {
      no_client:
        'The site that sent you here is not known. If it is yours: check client_id and the address of the provider.',
      no_redirect_uri:
        'The site that sent you here wants the answer at an address that is not registered. If it is yours: register the redirect_uri exactly as it is sent.',
      malformed: 'The request of the site that sent you here cannot be read.',
      unknown: 'Go on in the browser in which you began. Here there is no sign-in under way, or it is over already.',
    },
    onward: 'Go on',
    wait: 'You are taken back…',
  },
  de: {
    stopped: 'Diese Anmeldung kann hier nicht weitergehen',
    why: {
      no_client:
        'Die Seite, von der Sie kommen, ist nicht bekannt. Wenn es Ihre ist: Prüfen Sie client_id und die Adresse des Providers.',
      no_redirect_uri:
        'Die Seite, von der Sie kommen, möchte die Antwort an eine Adresse, die nicht eingetragen ist. Wenn es Ihre ist: Tragen Sie die redirect_uri genau so ein, wie sie gesendet wird.',
      malformed: 'Die Anfrage der Seite, von der Sie kommen, ist nicht lesbar.',
      unknown:
        'Machen Sie in dem Browser weiter, in dem Sie begonnen haben. Hier ist keine Anmeldung offen, oder sie ist schon vorbei.',
    },
    onward: 'Weiter',
    wait: 'Sie werden zurückgeleitet…',
  },
  fr: {
    stopped: 'Cette connexion ne peut pas continuer',
    why: {
      no_client:
        'Le site qui vous envoie ici n’est pas connu. Si c’est le vôtre : vérifiez client_id et l’adresse du fournisseur.',
      no_redirect_uri:
        'Le site qui vous envoie ici veut la réponse à une adresse qui n’est pas enregistrée. Si c’est le vôtre : enregistrez la redirect_uri exactement comme elle est envoyée.',
      malformed: 'La demande du site qui vous envoie ici est illisible.',
      unknown:
        'Continuez dans le navigateur où vous avez commencé. Ici, aucune connexion n’est en cours, ou elle est déjà terminée.',
    },
    onward: 'Continuer',
    wait: 'Retour en cours…',
  },
  it: {
    stopped: 'Questo accesso non può continuare',
    why: {
      no_client: 'Il sito da cui arrivi non è conosciuto. Se è il tuo: controlla client_id e l’indirizzo del provider.',
      no_redirect_uri:
        'Il sito da cui arrivi vuole la risposta a un indirizzo che non è registrato. Se è il tuo: registra la redirect_uri esattamente come viene inviata.',
      malformed: 'La richiesta del sito da cui arrivi non è leggibile.',
      unknown: 'Continua nel browser in cui hai iniziato. Qui non c’è alcun accesso in corso, oppure è già terminato.',
    },
    onward: 'Continua',
    wait: 'Ritorno in corso…',
  },
  es: {
    stopped: 'Este inicio de sesión no puede continuar',
    why: {
      no_client:
        'El sitio que le ha enviado aquí no es conocido. Si es suyo: compruebe client_id y la dirección del proveedor.',
      no_redirect_uri:
        'El sitio que le ha enviado aquí quiere la respuesta en una dirección que no está registrada. Si es suyo: registre la redirect_uri exactamente como se envía.',
      malformed: 'La solicitud del sitio que le ha enviado aquí no se puede leer.',
      unknown:
        'Continúe en el navegador en el que empezó. Aquí no hay ningún inicio de sesión en curso, o ya ha terminado.',
    },
    onward: 'Continuar',
    wait: 'Volviendo…',
  },
  nl: {
    stopped: 'Deze aanmelding kan niet verder',
    why: {
      no_client:
        'De site die u hierheen stuurde is niet bekend. Is het uw site: controleer client_id en het adres van de provider.',
      no_redirect_uri:
        'De site die u hierheen stuurde wil het antwoord op een adres dat niet geregistreerd is. Is het uw site: registreer de redirect_uri precies zoals die wordt verzonden.',
      malformed: 'Het verzoek van de site die u hierheen stuurde is niet leesbaar.',
      unknown: 'Ga verder in de browser waarin u begon. Hier is geen aanmelding bezig, of die is al voorbij.',
    },
    onward: 'Doorgaan',
    wait: 'U wordt teruggestuurd…',
  },
}
