// The words for problems of a registration in every language, loaded with the pages that show them.

import { deRegistrationProblems } from './de/registration-problems.ts'
import { enRegistrationProblems } from './en/registration-problems.ts'

export const registrationProblemWords = { en: enRegistrationProblems, de: deRegistrationProblems }
