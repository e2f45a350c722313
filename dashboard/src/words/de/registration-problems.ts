// German: what is held against a registration, or against a step on the way to live.

import type { RegistrationProblemWords } from '../en/registration-problems.ts'

export const deRegistrationProblems: RegistrationProblemWords = {
  technical: 'Technisch',
  unusable: (use) => `Die Registrierung für „${use}“ ist nicht verwendbar:`,
  problems: {
    identity_unknown: () => 'Ihre Registrierung ist noch nicht eingerichtet.',
    about_another: (identifier) => `Das Zertifikat gilt nicht für ${identifier}, und das sind Sie.`,
    intermediary_missing: () => 'Das Zertifikat nennt Ihren Betreiber nicht als den, der für Sie fragt.',
    operator_unknown: () =>
      'Das Zertifikat nennt einen Vermittler, der für Sie fragt, und Ihr Betreiber hat ihn nicht eingetragen.',
    other_intermediary: () => 'Das Zertifikat nennt einen anderen als Ihren Betreiber als den, der für Sie fragt.',
    unverified: () => 'Die Signatur des Zertifikats ist nicht bestätigt.',
    issued_in_future: () => 'Das Ausstellungsdatum des Zertifikats liegt in der Zukunft.',
    expired: () => 'Das Zertifikat ist abgelaufen.',
    revoked: () => 'Das Zertifikat ist widerrufen.',
    suspended: () => 'Das Zertifikat ist ausgesetzt.',
    invalid: () => 'Das Zertifikat ist als ungültig gekennzeichnet.',
    endless: () =>
      'Das Zertifikat läuft nie ab und nennt keine Statusliste; deshalb lässt es sich nicht widerrufen (RPRC_01a).',
    long_lived: () =>
      'Das Zertifikat gilt länger als 24 Stunden und nennt keine Statusliste; deshalb lässt es sich nicht widerrufen (RPRC_01a).',
    no_certificate: () => 'Das ist kein Registrierungszertifikat.',
    use_missing: () => 'Das Zertifikat nennt keinen Verwendungszweck: Sagen Sie, für welchen es gilt.',
    use_other: (own) => `Das Zertifikat gilt für den Verwendungszweck „${own}“.`,
    use_form: () => 'Ein Verwendungszweck hat 1 bis 200 einfache Zeichen ohne Leerzeichen.',
    no_tenant: () => 'Dieses Unternehmen gibt es nicht mehr.',
    too_many_removed: () =>
      'Zuletzt wurden zu viele Zertifikate entfernt. Versuchen Sie es in zwei Stunden noch einmal.',
    too_many: () => 'Es gibt schon so viele Zertifikate wie möglich. Entfernen Sie eines, das abgelaufen ist.',
    too_many_claims: () => 'Alle Zertifikate zusammen würden zu viele Angaben registrieren.',
    there_already: () => 'Dieses Zertifikat gibt es hier schon.',
    use_unclear: (known) =>
      `Keiner oder mehrere der registrierten Verwendungszwecke decken das: Nennen Sie einen. ${known === '' ? 'Hier ist keiner registriert.' : `Registriert sind: ${known}.`}`,
    use_unknown: (use, known) =>
      `Für den Verwendungszweck „${use}“ gibt es keine Registrierung. ${known === '' ? 'Hier ist keiner registriert.' : `Registriert sind: ${known}.`}`,
    beyond: (use, asked, covering) =>
      `Für „${use}“ nicht registriert: ${asked}.${covering === '' ? '' : ` Andere Verwendungszwecke decken etwas davon: ${covering}.`}`,
    not_comparable: (use) => `Gefragt wird nach zu viel, um es mit dem zu vergleichen, was „${use}“ registriert.`,
    none_at_all: () => 'Hier dürfen nur registrierte Stellen fragen, und Sie haben kein Registrierungszertifikat.',
    identifier: () => 'Die Kennung hat 1 bis 200 einfache Zeichen ohne Leerzeichen.',
    trade_name: () => 'Der Handelsname ist eine Zeile aus 1 bis 200 Zeichen.',
    registry: () => 'Die Adresse des Registers muss mit https:// beginnen.',
    for_others: () => 'Für andere handelt hier nur der Betreiber.',
    identity_beside: () => 'Wer Sie sind, wird nur mit der Bitte um die Identität gesagt.',
    asked_already: () => 'Darum haben Sie schon gebeten.',
    hash: () => 'Der Hash des Dokuments muss ein SHA-256 sein.',
    day: () => 'Das Datum muss ein Tag sein.',
    dated_in_future: () => 'Das Datum des Dokuments liegt in der Zukunft.',
    dated_too_early: (first) => `Das Datum des Dokuments liegt vor dem ${first}.`,
  },
}
