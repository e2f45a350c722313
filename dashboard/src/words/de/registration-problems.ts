// German: problems of a registration, or of a step of going live.

import type { RegistrationProblemWords } from '../en/registration-problems.ts'

export const deRegistrationProblems: RegistrationProblemWords = {
  technical: 'Technische Details',
  more: (n) => `${n} weitere`,
  missing: (claims, count) => `${count === 1 ? 'Es fehlt' : 'Es fehlen'}: ${claims}`,
  unusable: (use) => `Die Registrierung für „${use}“ ist nicht verwendbar:`,
  problems: {
    identity_unknown: () => 'Ihre Registrierung ist noch nicht eingerichtet.',
    about_another: (identifier) => `Das Zertifikat ist nicht auf Ihre Kennung ${identifier} ausgestellt.`,
    intermediary_missing: () => 'Das Zertifikat nennt Ihren Betreiber nicht als Ihren Vermittler.',
    operator_unknown: () =>
      'Das Zertifikat nennt einen Vermittler, aber Ihr Betreiber hat seine eigene Registrierung noch nicht abgeschlossen.',
    other_intermediary: () => 'Das Zertifikat nennt einen anderen Vermittler als Ihren Betreiber.',
    unverified: () => 'Die Signatur des Zertifikats ließ sich nicht prüfen.',
    issued_in_future: () => 'Das Ausstellungsdatum des Zertifikats liegt in der Zukunft.',
    expired: () => 'Das Zertifikat ist abgelaufen.',
    revoked: () => 'Das Zertifikat ist widerrufen.',
    suspended: () => 'Das Zertifikat ist ausgesetzt.',
    invalid: () => 'Das Zertifikat ist als ungültig gekennzeichnet.',
    endless: () =>
      'Das Zertifikat läuft nie ab und nennt keine Statusliste; deshalb lässt es sich nicht widerrufen. Bitten Sie Ihre Registrierungsstelle um eines mit Statusliste.',
    long_lived: () =>
      'Das Zertifikat gilt länger als 24 Stunden und nennt keine Statusliste; deshalb lässt es sich nicht widerrufen. Bitten Sie Ihre Registrierungsstelle um eines mit Statusliste.',
    no_certificate: () => 'Das ist kein Registrierungszertifikat.',
    use_missing: () => 'Das Zertifikat nennt keinen Verwendungszweck. Geben Sie an, für welchen es gilt.',
    use_other: (own) => `Das Zertifikat gilt für den Verwendungszweck „${own}“.`,
    use_form: () => 'Ein Verwendungszweck hat 1 bis 200 einfache Zeichen ohne Leerzeichen.',
    no_tenant: () => 'Dieses Unternehmen gibt es nicht mehr.',
    too_many_removed: () =>
      'Zuletzt wurden zu viele Zertifikate entfernt. Versuchen Sie es in zwei Stunden noch einmal.',
    too_many: () => 'Die Höchstzahl an Zertifikaten ist erreicht. Entfernen Sie ein abgelaufenes.',
    too_many_claims: () => 'Ihre Zertifikate registrieren zusammen zu viele Angaben.',
    there_already: () => 'Dieses Zertifikat wurde schon hinzugefügt.',
    use_unclear: (known) =>
      `Kein oder mehr als ein registrierter Verwendungszweck deckt das ab. Nennen Sie einen. ${known === '' ? 'Hier ist keiner registriert.' : `Registriert sind: ${known}.`}`,
    use_unknown: (use, known) =>
      `Für den Verwendungszweck „${use}“ gibt es keine Registrierung. ${known === '' ? 'Hier ist keiner registriert.' : `Registriert sind: ${known}.`}`,
    beyond: (use, requested, covering) =>
      `Für den Zweck „${use}“ nicht registriert: ${requested}.${covering === '' ? '' : ` Andere Zwecke decken einen Teil davon ab: ${covering}.`}`,
    not_comparable: (use) =>
      `Es werden zu viele Angaben verlangt, um sie mit der Registrierung für „${use}“ zu vergleichen.`,
    none_at_all: () => 'Dafür brauchen Sie ein Registrierungszertifikat.',
    identifier: () => 'Die Kennung hat 1 bis 200 einfache Zeichen ohne Leerzeichen.',
    trade_name: () => 'Der Handelsname ist eine Zeile aus 1 bis 200 Zeichen.',
    registry: () => 'Die Adresse des Registers muss mit https:// beginnen.',
    for_others: () => 'Nur der Betreiber kann für andere handeln.',
    identity_beside: () => 'Unternehmensdaten gehören nur zur Anfrage für die Identität.',
    asked_already: () => 'Das haben Sie schon angefragt.',
    hash: () => 'Der Hash des Dokuments muss ein SHA-256-Hash sein.',
    day: () => 'Geben Sie ein gültiges Datum ein.',
    dated_in_future: () => 'Das Datum des Dokuments liegt in der Zukunft.',
    dated_too_early: (first) => `Das Datum des Dokuments liegt vor dem ${first}.`,
  },
}
