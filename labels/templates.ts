// Titles and descriptions of the built-in templates, in every language.

import type { Language } from './catalogue.ts'

interface TemplateLabel {
  readonly title: string
  readonly description: string
}

/** By the template's key. */
const TEMPLATES: Readonly<Record<string, Readonly<Record<Language, TemplateLabel>>>> = {
  age_over_16: {
    en: {
      title: '16 or older',
      description: 'Whether a person is at least 16. If a wallet can only share a date of birth, we do not keep it.',
    },
    de: {
      title: 'Mindestens 16',
      description:
        'Ob eine Person mindestens 16 Jahre alt ist. Kann eine Wallet nur ein Geburtsdatum liefern, bewahren wir es nicht auf.',
    },
    fr: {
      title: '16 ans ou plus',
      description: 'Si la personne a au moins 16 ans. S’il faut la date de naissance, elle n’est pas conservée.',
    },
    it: {
      title: 'Almeno 16 anni',
      description: 'Se la persona ha almeno 16 anni. Se serve la data di nascita, non viene conservata.',
    },
    es: {
      title: '16 años o más',
      description: 'Si la persona tiene al menos 16 años. Si hace falta la fecha de nacimiento, no se guarda.',
    },
    nl: {
      title: '16 jaar of ouder',
      description: 'Of de persoon ten minste 16 jaar oud is. Is de geboortedatum nodig, dan wordt die niet bewaard.',
    },
  },
  age_over_18: {
    en: {
      title: '18 or older',
      description: 'Whether a person is at least 18. If a wallet can only share a date of birth, we do not keep it.',
    },
    de: {
      title: 'Mindestens 18',
      description:
        'Ob eine Person mindestens 18 Jahre alt ist. Kann eine Wallet nur ein Geburtsdatum liefern, bewahren wir es nicht auf.',
    },
    fr: {
      title: '18 ans ou plus',
      description: 'Si la personne a au moins 18 ans. S’il faut la date de naissance, elle n’est pas conservée.',
    },
    it: {
      title: 'Almeno 18 anni',
      description: 'Se la persona ha almeno 18 anni. Se serve la data di nascita, non viene conservata.',
    },
    es: {
      title: '18 años o más',
      description: 'Si la persona tiene al menos 18 años. Si hace falta la fecha de nacimiento, no se guarda.',
    },
    nl: {
      title: '18 jaar of ouder',
      description: 'Of de persoon ten minste 18 jaar oud is. Is de geboortedatum nodig, dan wordt die niet bewaard.',
    },
  },
  age_over_21: {
    en: {
      title: '21 or older',
      description: 'Whether a person is at least 21. If a wallet can only share a date of birth, we do not keep it.',
    },
    de: {
      title: 'Mindestens 21',
      description:
        'Ob eine Person mindestens 21 Jahre alt ist. Kann eine Wallet nur ein Geburtsdatum liefern, bewahren wir es nicht auf.',
    },
    fr: {
      title: '21 ans ou plus',
      description: 'Si la personne a au moins 21 ans. S’il faut la date de naissance, elle n’est pas conservée.',
    },
    it: {
      title: 'Almeno 21 anni',
      description: 'Se la persona ha almeno 21 anni. Se serve la data di nascita, non viene conservata.',
    },
    es: {
      title: '21 años o más',
      description: 'Si la persona tiene al menos 21 años. Si hace falta la fecha de nacimiento, no se guarda.',
    },
    nl: {
      title: '21 jaar of ouder',
      description: 'Of de persoon ten minste 21 jaar oud is. Is de geboortedatum nodig, dan wordt die niet bewaard.',
    },
  },
  identity: {
    en: { title: 'Identity', description: 'Given name, family name and date of birth.' },
    de: { title: 'Identität', description: 'Namen und Geburtsdatum.' },
    fr: { title: 'Identité', description: 'Prénom, nom et date de naissance.' },
    it: { title: 'Identità', description: 'Nome, cognome e data di nascita.' },
    es: { title: 'Identidad', description: 'Nombre, apellidos y fecha de nacimiento.' },
    nl: { title: 'Identiteit', description: 'Voornaam, achternaam en geboortedatum.' },
  },
  identity_extended: {
    en: { title: 'Identity, extended', description: 'Names, date and place of birth, and nationalities.' },
    de: { title: 'Identität, erweitert', description: 'Namen, Geburtsdatum und -ort und Staatsangehörigkeiten.' },
    fr: { title: 'Identité étendue', description: 'Nom et prénom, date et lieu de naissance, nationalités.' },
    it: { title: 'Identità estesa', description: 'Nome e cognome, data e luogo di nascita, cittadinanze.' },
    es: {
      title: 'Identidad ampliada',
      description: 'Nombre y apellidos, fecha y lugar de nacimiento, y nacionalidades.',
    },
    nl: {
      title: 'Identiteit, uitgebreid',
      description: 'Voor- en achternaam, geboortedatum en -plaats en nationaliteiten.',
    },
  },
  address: {
    en: { title: 'Address', description: 'The address of residence, in the parts that the credential has.' },
    de: { title: 'Anschrift', description: 'Die Wohnanschrift, in den Teilen, die der Nachweis enthält.' },
    fr: { title: 'Adresse', description: 'L’adresse de résidence, telle qu’elle figure sur le justificatif.' },
    it: { title: 'Indirizzo', description: 'L’indirizzo di residenza, come riportato nell’attestato.' },
    es: { title: 'Dirección', description: 'La dirección de residencia, tal como figura en la credencial.' },
    nl: { title: 'Adres', description: 'Het woonadres, zoals het in het bewijs staat.' },
  },
  nationality: {
    en: { title: 'Nationality', description: 'The nationality or nationalities of the person.' },
    de: { title: 'Staatsangehörigkeit', description: 'Eine oder mehrere Staatsangehörigkeiten der Person.' },
    fr: { title: 'Nationalité', description: 'Nationalités.' },
    it: { title: 'Cittadinanza', description: 'Cittadinanze.' },
    es: { title: 'Nacionalidad', description: 'Nacionalidades.' },
    nl: { title: 'Nationaliteit', description: 'Nationaliteiten.' },
  },
  driving_licence: {
    en: { title: 'Driving licence', description: 'Names, date of birth, the document and the licence categories.' },
    de: { title: 'Führerschein', description: 'Namen, Geburtsdatum, das Dokument und seine Fahrerlaubnisklassen.' },
    fr: {
      title: 'Permis de conduire',
      description: 'Nom et prénom, date de naissance, document et catégories du permis.',
    },
    it: {
      title: 'Patente di guida',
      description: 'Nome e cognome, data di nascita, documento e categorie della patente.',
    },
    es: {
      title: 'Permiso de conducir',
      description: 'Nombre y apellidos, fecha de nacimiento, el documento y las categorías del permiso.',
    },
    nl: {
      title: 'Rijbewijs',
      description: 'Voor- en achternaam, geboortedatum, het document en de rijbewijscategorieën.',
    },
  },
  portrait: {
    en: { title: 'Portrait', description: 'The portrait and the names that belong to it.' },
    de: { title: 'Lichtbild', description: 'Das Lichtbild und die Namen, die dazu gehören.' },
    fr: { title: 'Photo', description: 'La photo et le nom qui va avec.' },
    it: { title: 'Foto', description: 'La foto e il nome a cui appartiene.' },
    es: { title: 'Fotografía', description: 'La fotografía y el nombre al que corresponde.' },
    nl: { title: 'Pasfoto', description: 'De pasfoto en de naam die erbij hoort.' },
  },
}

export const templatesIn = (language: Language): Readonly<Record<string, TemplateLabel>> =>
  Object.fromEntries(Object.entries(TEMPLATES).map(([key, words]) => [key, words[language]]))
