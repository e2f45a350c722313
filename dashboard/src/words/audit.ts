// The words of the audit trail in every language, loaded with its page.

import { deAudit } from './de/audit.ts'
import { enAudit } from './en/audit.ts'

export const auditWords = { en: enAudit, de: deAudit }
