// Lists the built-in templates. Each asks only for what it needs, and first for the credentials that reveal less.

import type { Template } from '../template.ts'
import { addressTemplate } from './address.ts'
import { ageTemplate } from './age.ts'
import { licenceTemplate } from './driving-licence.ts'
import { person } from './person.ts'

export const BUILT_IN_TEMPLATES: readonly Template[] = [
  ageTemplate(16, 18),
  ageTemplate(18, 21),
  ageTemplate(21, null),
  person({
    key: 'identity',
    title: 'Identity',
    description: 'Given name, family name and date of birth.',
    fields: ['given_name', 'family_name', 'birth_date'],
  }),
  person({
    key: 'identity_extended',
    title: 'Identity, extended',
    description: 'Names, date and place of birth, and nationalities.',
    fields: ['given_name', 'family_name', 'birth_date', 'birth_place', 'nationalities'],
  }),
  addressTemplate(),
  person({
    key: 'nationality',
    title: 'Nationality',
    description: 'The nationality or nationalities of the person.',
    fields: ['nationalities'],
  }),
  licenceTemplate(),
  person({
    key: 'portrait',
    title: 'Portrait',
    description: 'The portrait and the names that belong to it.',
    fields: ['portrait', 'given_name', 'family_name'],
  }),
]
