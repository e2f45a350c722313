// German words of the page of OpenID clients.

import type { enClients } from '../en/clients.ts'

export const deClients: typeof enClients = {
  lead: 'Anmeldung mit der Wallet für Ihre Anwendung. Funktioniert mit Keycloak, Shopsystemen und jeder OpenID-Bibliothek.',
  issuer: 'Issuer-URL',
  create: 'Client erstellen',
  empty: 'Noch keine Clients',
  emptyLead: 'Erstellen Sie für jede Anwendung einen.',
  preset: 'Anwendung',
  generic: 'Andere (OpenID Connect)',
  addresses: {
    generic: 'Adresse',
    keycloak: 'Adresse des Keycloak-Realms',
    auth0: 'Adresse Ihres Auth0-Mandanten',
    wordpress: 'Adresse Ihrer WordPress-Site',
    nextcloud: 'Adresse Ihrer Nextcloud',
  },
  advanced: 'Erweiterte Einstellungen',
  setUpTitle: (product) => `${product} einrichten`,
  setUpLeads: {
    generic: 'Tragen Sie diese Werte in Ihrer Anwendung ein.',
    keycloak:
      'In Keycloak: „Identity providers“, „Add provider“, „OpenID Connect v1.0“. Scopes und PKCE stehen unter „Advanced“.',
    auth0: 'In Auth0: „Authentication“, „Enterprise“, „OpenID Connect“, „Create connection“.',
    wordpress:
      'Installieren Sie das Plugin „Vidimus sign-in“, fügen Sie diese Zeilen in wp-config.php ein und aktivieren Sie das Plugin.',
    nextcloud:
      'Installieren Sie die App „OpenID Connect user backend“ und führen Sie diesen Befehl auf dem Server aus.',
  },
  secretOnce: 'Kopieren Sie das Client-Secret jetzt. Es wird nicht noch einmal angezeigt.',
  recognise: 'Personen wiedererkennen?',
  recognises: {
    derived: ['Ja, mit Konto', 'Dieselbe Person erhält dieselbe Kennung, gebildet aus den Angaben unten.'],
    ephemeral: ['Nein, nur etwas prüfen', 'Zum Beispiel das Alter. Jede Anmeldung erhält eine neue Kennung.'],
  },
  subjectStored: 'Diese Anwendung speichert Konten. Jede Person braucht deshalb eine feste Kennung.',
  name: 'Name',
  nameHint: 'Zum Beispiel „Kundenkonten“.',
  id: 'Client-ID',
  redirects: 'Redirect-URIs',
  redirectsHint: 'Eine pro Zeile, genau wie die Anwendung sie sendet. Nur https; in Test auch http://localhost.',
  templates: 'Erlaubte Vorlagen',
  defaultTemplate: 'Standardvorlage',
  none: 'Keine (jede Anfrage nennt eine Vorlage)',
  authMethod: 'Client-Authentifizierung',
  authMethods: {
    client_secret: 'Client-Secret',
    private_key_jwt: 'Privater Schlüssel (private_key_jwt)',
    none: 'Keine, nur PKCE (Apps und Seiten ohne Server)',
  },
  jwks: 'Öffentliche Schlüssel (JWK-Set)',
  jwksHint: 'Für „Privater Schlüssel“ und für signierte Anfragen. Sonst leer lassen.',
  profile: 'Sicherheitsprofil',
  profileHint:
    'FAPI 2.0 verlangt einen privaten Schlüssel auf P-256, ID-Tokens mit ES256, vorab gesendete Anfragen (PAR) und DPoP.',
  profiles: { openid: 'OpenID Connect', fapi2: 'FAPI 2.0 (für Banken)' },
  requestUris: 'Adressen signierter Anfragen (request_uri)',
  requestUrisHint: 'Eine pro Zeile. Lassen Sie das Feld leer, wenn die Anwendung ihre Anfragen selbst sendet (üblich).',
  subject: 'Benutzerkennung (sub)',
  subjects: {
    ephemeral: 'Neue Kennung bei jeder Anmeldung',
    claim: 'Aus einer Angabe',
    derived: 'Aus mehreren Angaben',
  },
  subjectClaims: 'Angaben für die Kennung',
  subjectClaimsHint:
    'Durch Leerzeichen getrennt, zum Beispiel given_name family_name birth_date. Zwei Personen können dieselben haben, und Namen ändern sich.',
  subjectPerType: 'Kennungen verschiedener Nachweisarten trennen',
  subjectPerTypeHint:
    'Nur wer allein mit einer PID antwortet, behält seine Kennung. Die Konten aller anderen findet Ihre Anwendung nicht mehr. Sie können es hier nicht wieder ausschalten.',
  subjectPerTypeNotice: (names) =>
    `Diese Clients trennen die Kennungen verschiedener Nachweisarten nicht: ${names}. Ein Aussteller, dem Sie für eine Art vertrauen, etwa für einen Clubausweis, kann sich als Personen eines anderen Ausstellers anmelden, wenn er unter dessen Namen signiert. Nimmt ein Client mehrere Arten an, schalten Sie die Trennung unter „Bearbeiten“ ein.`,
  requireTrue: 'Anmeldung ablehnen, wenn eine Prüfung „nein“ ergibt',
  requireTrueHint:
    'Ein Browser kann eine Anfrage ändern, die die Anwendung weder signiert noch vorab sendet (PAR). Hat der Client mehrere Vorlagen, wird eine solche Anfrage dann abgelehnt: Signieren Sie sie, senden Sie sie vorab oder erstellen Sie einen Client je Vorlage.',
  vpData: 'Jeden Nachweis einzeln beifügen (vp_data)',
  verifiedClaims: 'Angaben mit Herkunft beifügen (verified_claims)',
  claimsInIdToken: 'Alle Angaben auch in das ID-Token schreiben (für Programme, die userinfo nicht abrufen)',
  claimsInIdTokenNotice: (names) =>
    `Diese Clients erhalten alle Angaben im ID-Token: ${names}. Liest das Programm sie von userinfo, schalten Sie das unter „Bearbeiten“ aus.`,
  alg: 'Signatur der ID-Tokens',
  crossDevice: 'Wallet auf einem anderen Gerät oder in einem anderen Browser',
  crossDeviceHint:
    'Antworten auf demselben Gerät kehren in den Browser zurück, in dem die Anmeldung begann, und brauchen keinen Code.',
  crossDevices: {
    confirm: 'braucht einen Code vom Smartphone (empfohlen)',
    off: 'wird nicht angenommen',
    unconfirmed: 'braucht keinen Code (nur in Test)',
  },
  unconfirmedWarning: 'Ohne Code kann sich ein Angreifer als eine Person anmelden, die er einen QR-Code scannen lässt.',
  remember: 'Browser merken für (Minuten)',
  change: 'Bearbeiten',
  more: 'Weitere Aktionen',
  copyId: 'Client-ID kopieren',
  save: 'Speichern',
  rotate: 'Neues Client-Secret',
  rotateTitle: (name) => `Neues Client-Secret für „${name}“?`,
  rotateLead: (hours) => `Das bisherige Client-Secret gilt noch ${hours} Stunden.`,
  shownOnce: 'Ihr neues Client-Secret',
  shownOnceLead: 'Kopieren Sie es jetzt und bewahren Sie es sicher auf. Es wird nicht noch einmal angezeigt.',
  remove: 'Entfernen',
  removeTitle: (name) => `„${name}“ entfernen?`,
  removeLead: 'Anmeldungen darüber sind nicht mehr möglich. Das lässt sich nicht rückgängig machen.',
  problems: {
    redirect_uri_malformed: 'Eine Redirect-URI muss vollständig sein, ohne Fragment, Benutzer oder Passwort.',
    redirect_uri_not_https:
      'Redirect-URIs müssen mit https:// beginnen. http:// ist nur im Testmodus und nur für localhost erlaubt.',
    redirect_uri_count: 'Geben Sie 1 bis 20 Redirect-URIs ein.',
    template_unknown: 'Eine der Vorlagen gibt es nicht mehr.',
    template_count: 'Wählen Sie mindestens eine Vorlage.',
    default_not_allowed: 'Die Standardvorlage muss eine der erlaubten Vorlagen sein.',
    subject_claims:
      'Geben Sie eine Angabe ein, oder mehrere bei „Aus mehreren Angaben“. Lassen Sie das Feld bei „Neue Kennung bei jeder Anmeldung“ leer.',
    unconfirmed_in_live:
      'In Live braucht eine Wallet auf einem anderen Gerät immer einen Code oder wird nicht angenommen.',
    jwks: 'Öffentliche Schlüssel (P-256, oder RSA ab 2048 Bit) sind nötig, wenn der Client sich mit einem privaten Schlüssel ausweist.',
    fapi2: 'FAPI 2.0 verlangt „Privater Schlüssel“ auf P-256, ID-Tokens mit ES256 und Redirect-URIs mit https.',
    request_uri: 'Geben Sie höchstens 10 Adressen ein. Es gelten die Regeln für Redirect-URIs.',
    too_many: 'Die Höchstzahl ist erreicht. Entfernen Sie einen Client, den Sie nicht mehr brauchen.',
    no_tenant: 'Dieses Unternehmen gibt es nicht mehr.',
  },
}
