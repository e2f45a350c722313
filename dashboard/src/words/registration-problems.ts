// The words of what is held against a registration in every language, loaded with the pages that say it.

import { deRegistrationProblems } from './de/registration-problems.ts'
import { enRegistrationProblems } from './en/registration-problems.ts'

export const registrationProblemWords = { en: enRegistrationProblems, de: deRegistrationProblems }
