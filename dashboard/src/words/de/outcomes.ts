// German: titles of built-in templates and reasons of failures, from the catalogue of labels.

import { de } from '../../../../labels/de.ts'
import type { enOutcomes } from '../en/outcomes.ts'

export const deOutcomes: typeof enOutcomes = { builtIns: de.templates, failures: de.reasons }
