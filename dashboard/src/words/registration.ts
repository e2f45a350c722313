// The words of registration and going live in every language, loaded with the pages.

import { deRegistrationPages } from './de/registration-pages.ts'
import { enRegistrationPages } from './en/registration-pages.ts'

export const registrationWords = { en: enRegistrationPages, de: deRegistrationPages }
