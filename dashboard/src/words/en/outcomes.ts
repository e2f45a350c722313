// English: what the built-in templates are called, and why a verification failed: as the catalogue of labels has it.

import { en } from '../../../../labels/en.ts'

export const enOutcomes = { builtIns: en.templates, failures: en.reasons }
