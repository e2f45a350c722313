// German: what the built-in templates are called, and why a verification failed.

import type { enOutcomes } from './en-outcomes.ts'

const age = (years: number) => ({
  title: `Alter ab ${years}`,
  description: `Ob die Person mindestens ${years} Jahre alt ist. Ein Geburtsdatum, wo es nichts Sparsameres gibt, wird nicht aufbewahrt.`,
})

export const deOutcomes: typeof enOutcomes = {
  builtIns: {
    age_over_16: age(16),
    age_over_18: age(18),
    age_over_21: age(21),
    identity: { title: 'Identität', description: 'Namen und Geburtsdatum.' },
    identity_extended: {
      title: 'Identität, erweitert',
      description: 'Namen, Geburtsdatum und -ort und Staatsangehörigkeiten.',
    },
    address: { title: 'Anschrift', description: 'Die Wohnanschrift, in den Teilen, die der Nachweis enthält.' },
    nationality: { title: 'Staatsangehörigkeit', description: 'Staatsangehörigkeiten.' },
    driving_licence: {
      title: 'Führerschein',
      description: 'Namen, Geburtsdatum, das Dokument und seine Fahrerlaubnisklassen.',
    },
    portrait: { title: 'Lichtbild', description: 'Das Lichtbild und die Namen, die dazu gehören.' },
  },
  failures: {
    wallet_declined: 'Die Person hat abgelehnt oder hat nichts, was die Frage beantwortet.',
    wallet_error: 'Die Wallet hat mit einem Fehler geantwortet.',
    query_not_satisfied: 'Die Wallet hat nicht vorgelegt, wonach gefragt wurde.',
    credential_invalid: 'Ein Nachweis ist nicht echt.',
    issuer_untrusted: 'Dem Aussteller eines Nachweises wird hier nicht vertraut.',
    holder_binding_invalid: 'Ein Nachweis gehört nicht zu der Wallet, die ihn vorgelegt hat.',
    credential_expired: 'Ein Nachweis liegt außerhalb seiner Gültigkeit.',
    credential_revoked: 'Ein Nachweis wurde widerrufen.',
    credential_suspended: 'Ein Nachweis ist ausgesetzt.',
    status_unavailable: 'Ob ein Nachweis widerrufen wurde, war nicht festzustellen.',
  },
}
