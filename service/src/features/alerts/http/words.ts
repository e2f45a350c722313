// The words of the page that ends a subscription, in six languages.

import type { Language } from '../../../../../labels/catalogue.ts'
import type { AlertTopic } from '../domain/alert-mails.ts'

interface UnsubscribeWords {
  readonly ask: string
  readonly topics: Readonly<Record<AlertTopic, string>>
  readonly go: string
  readonly done: { readonly title: string; readonly text: string }
  readonly unknown: { readonly title: string; readonly text: string }
}

export const UNSUBSCRIBE_WORDS: Readonly<Record<Language, UnsubscribeWords>> = {
  en: {
    ask: 'Turn off these e-mails?',
    topics: {
      quota: 'You get an e-mail when the daily quota of your company is nearly or fully used.',
      webhooks: 'You get an e-mail when webhooks of your company keep failing.',
    },
    go: 'Turn off',
    done: {
      title: 'Turned off',
      text: 'You get no more of these e-mails. You can turn them on again in your account.',
    },
    unknown: { title: 'This link does not work', text: 'Sign in and change your e-mail alerts in your account.' },
  },
  de: {
    ask: 'Diese E-Mails abschalten?',
    topics: {
      quota: 'Sie erhalten eine E-Mail, wenn das Tageskontingent Ihres Unternehmens fast oder ganz verbraucht ist.',
      webhooks: 'Sie erhalten eine E-Mail, wenn Webhooks Ihres Unternehmens dauerhaft fehlschlagen.',
    },
    go: 'Abschalten',
    done: {
      title: 'Abgeschaltet',
      text: 'Sie erhalten diese E-Mails nicht mehr. In Ihrem Konto können Sie sie wieder einschalten.',
    },
    unknown: {
      title: 'Dieser Link funktioniert nicht',
      text: 'Melden Sie sich an, und ändern Sie Ihre E-Mail-Hinweise in Ihrem Konto.',
    },
  },
  fr: {
    ask: 'Désactiver ces e-mails ?',
    topics: {
      quota: 'Vous recevez un e-mail quand le quota journalier de votre entreprise est presque ou entièrement utilisé.',
      webhooks: 'Vous recevez un e-mail quand des webhooks de votre entreprise échouent durablement.',
    },
    go: 'Désactiver',
    done: {
      title: 'Désactivés',
      text: 'Vous ne recevrez plus ces e-mails. Vous pouvez les réactiver dans votre compte.',
    },
    unknown: {
      title: 'Ce lien ne fonctionne pas',
      text: 'Connectez-vous et modifiez vos alertes par e-mail dans votre compte.',
    },
  },
  it: {
    ask: 'Disattivare queste e-mail?',
    topics: {
      quota: 'Ricevi un’e-mail quando la quota giornaliera della tua azienda è quasi o del tutto esaurita.',
      webhooks: 'Ricevi un’e-mail quando i webhook della tua azienda continuano a fallire.',
    },
    go: 'Disattiva',
    done: { title: 'Disattivate', text: 'Non riceverai più queste e-mail. Puoi riattivarle nel tuo account.' },
    unknown: {
      title: 'Questo link non funziona',
      text: 'Accedi e modifica i tuoi avvisi via e-mail nel tuo account.',
    },
  },
  es: {
    ask: '¿Desactivar estos correos?',
    topics: {
      quota: 'Recibe un correo cuando la cuota diaria de su empresa está casi o totalmente usada.',
      webhooks: 'Recibe un correo cuando los webhooks de su empresa fallan de forma continua.',
    },
    go: 'Desactivar',
    done: { title: 'Desactivados', text: 'Ya no recibirá estos correos. Puede volver a activarlos en su cuenta.' },
    unknown: {
      title: 'Este enlace no funciona',
      text: 'Inicie sesión y cambie sus avisos por correo en su cuenta.',
    },
  },
  nl: {
    ask: 'Deze e-mails uitzetten?',
    topics: {
      quota: 'U krijgt een e-mail als het dagquotum van uw bedrijf bijna of helemaal is verbruikt.',
      webhooks: 'U krijgt een e-mail als webhooks van uw bedrijf blijven mislukken.',
    },
    go: 'Uitzetten',
    done: { title: 'Uitgezet', text: 'U krijgt deze e-mails niet meer. In uw account kunt u ze weer aanzetten.' },
    unknown: { title: 'Deze link werkt niet', text: 'Meld u aan en wijzig uw e-mailmeldingen in uw account.' },
  },
}
