// Defines invented people whose credentials tests issue: two adults and a child.

import type { IssueOptions } from '@vidimus/wallet'

export type Person = NonNullable<IssueOptions['person']>

export const ANNA: Person = {
  familyName: 'Muster',
  givenName: 'Anna',
  birthDate: '1980-01-01',
  birthCountry: 'AT',
  birthLocality: 'Aburg',
  nationality: 'AT',
  street: 'Weg 1',
  houseNumber: '1',
  postalCode: '00001',
  city: 'Aburg',
  region: 'Nirgendwo',
  country: 'AT',
  administrativeNumber: 'SPECIMEN-A',
  documentNumber: 'A000001',
  authority: 'Sandbox',
  email: 'anna@example.com',
  phone: '+49 0000 000001',
}

export const BERT: Person = { ...ANNA, givenName: 'Bert', familyName: 'Beispiel', birthLocality: 'Bstadt' }

export const CHILD: Person = { ...BERT, birthDate: '2015-01-01' }
