// German: what the built-in templates are called, and why a verification failed: as the catalogue of labels has it.

import { de } from '../../../../labels/de.ts'
import type { enOutcomes } from '../en/outcomes.ts'

export const deOutcomes: typeof enOutcomes = { builtIns: de.templates, failures: de.reasons }
