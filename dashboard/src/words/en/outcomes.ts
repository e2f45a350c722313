// English: titles of built-in templates and reasons of failures, from the catalogue of labels.

import { en } from '../../../../labels/en.ts'

export const enOutcomes = { builtIns: en.templates, failures: en.reasons }
