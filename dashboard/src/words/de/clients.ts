// German words of the page of OpenID clients.

import type { enClients } from '../en/clients.ts'

export const deClients: typeof enClients = {
  title: 'Anmeldung (OpenID)',
  lead: 'Programme, die Menschen mit ihrer Wallet anmelden, allein durch Einstellungen: Keycloak, Shopsysteme, jede OpenID-Bibliothek.',
  issuer: 'Adresse Ihres Providers (issuer)',
  create: 'Client anlegen',
  empty: 'Noch kein Client',
  emptyLead: 'Legen Sie einen an für jedes Programm, das Menschen anmelden soll.',
  name: 'Name',
  nameHint: 'Was es ist, zum Beispiel „Kundenkonten“.',
  id: 'Client-ID',
  redirects: 'Redirect-URIs',
  redirectsHint:
    'Wohin Antworten gehen, eine je Zeile, genau wie das Programm sie sendet. https, im Test auch http://localhost.',
  templates: 'Darf fragen nach',
  defaultTemplate: 'Fragt nach, wenn es nichts nennt',
  none: 'nichts: Es muss eine Vorlage nennen',
  authMethod: 'Weist sich aus durch',
  authMethods: {
    client_secret: 'ein Geheimnis (üblich)',
    private_key_jwt: 'einen eigenen Schlüssel',
    none: 'nichts als PKCE (Apps und Seiten ohne Server)',
  },
  jwks: 'Seine öffentlichen Schlüssel (JWK-Set)',
  subject: 'Wer jemand für es ist (sub)',
  subjects: {
    ephemeral: 'jedes Mal jemand anderes',
    claim: 'dieselbe Person nach einer Angabe',
    derived: 'dieselbe Person nach mehreren Angaben',
  },
  subjectClaims: 'Gebildet aus diesen Angaben',
  subjectClaimsHint:
    'Durch Leerzeichen getrennt, zum Beispiel given_name family_name birth_date. Zwei Menschen können dieselben haben, und Namen ändern sich.',
  requireTrue: 'Ein „Nein“ beendet die Anmeldung',
  vpData: 'Jeden Nachweis auch einzeln nennen (vp_data)',
  verifiedClaims: 'Angaben auch mit ihren Belegen nennen (verified_claims)',
  alg: 'ID-Tokens werden signiert mit',
  crossDevice: 'Wallet auf einem anderen Gerät oder in einem anderen Browser',
  crossDeviceHint:
    'Antworten auf demselben Gerät kommen in den Browser zurück, der begonnen hat, und brauchen keinen Code.',
  crossDevices: {
    confirm: 'braucht einen Code vom Telefon (empfohlen)',
    off: 'wird nicht angenommen',
    unconfirmed: 'braucht keinen Code (nur im Test)',
  },
  unconfirmedWarning: 'Ohne Code ist als jemand angemeldet, wer diese Person dazu bringt, einen QR-Code zu scannen.',
  remember: 'Minuten, in denen ein Browser nicht noch einmal antworten muss',
  change: 'Ändern',
  save: 'Speichern',
  rotate: 'Neues Geheimnis',
  rotateTitle: (name) => `Neues Geheimnis für „${name}“?`,
  rotateLead: (hours) => `Das bisherige gilt noch ${hours} Stunden.`,
  shownOnce: 'Das neue Geheimnis',
  shownOnceLead: 'Kopieren Sie es jetzt und verwahren Sie es bei Ihren Geheimnissen. Es wird nicht wieder gezeigt.',
  remove: 'Entfernen',
  removeTitle: (name) => `„${name}“ entfernen?`,
  removeLead: 'Niemand meldet sich mehr darüber an, sofort. Das ist unumkehrbar.',
  problems: {
    redirect_uri_malformed: 'Eine Redirect-URI muss vollständig sein, ohne Fragment, Benutzer oder Passwort.',
    redirect_uri_not_https: 'Redirect-URIs sind https; http ist für localhost im Test.',
    redirect_uri_count: 'Mindestens eine Redirect-URI ist nötig, höchstens 20.',
    template_unknown: 'Eine der Vorlagen gibt es nicht mehr.',
    template_count: 'Wählen Sie mindestens eine Vorlage.',
    default_not_allowed: 'Wonach es fragt, muss unter dem sein, wonach es fragen darf.',
    subject_claims:
      'Nennen Sie eine Angabe, oder mehrere bei „nach mehreren Angaben“; keine bei „jedes Mal jemand anderes“.',
    unconfirmed_in_live:
      'Im Livebetrieb braucht eine Wallet auf einem anderen Gerät immer einen Code oder wird nicht angenommen.',
    jwks: 'Öffentliche Schlüssel sind bei „einen eigenen Schlüssel“ nötig, und nur dort: P-256, oder RSA ab 2048 Bit.',
    too_many: 'Es sind so viele da, wie es geben darf. Entfernen Sie einen, der nicht mehr gebraucht wird.',
    no_tenant: 'Dieses Unternehmen gibt es nicht mehr.',
  },
}
