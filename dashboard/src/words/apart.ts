// What an authority can vouch for besides documents, in every language.

interface ApartWords {
  readonly apart: Readonly<Record<string, string>>
}

export const apartWords: Readonly<Record<'en' | 'de', ApartWords>> = {
  en: { apart: { 'rc-wrp+jwt:*': 'Registration certificates', 'register+jwt:*': 'National registers' } },
  de: { apart: { 'rc-wrp+jwt:*': 'Registrierungszertifikate', 'register+jwt:*': 'Nationale Register' } },
}
