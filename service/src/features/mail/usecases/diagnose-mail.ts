// Diagnoses the mail server for the operator, and sends a test mail.

import type { Language } from '../../../../../labels/catalogue.ts'
import type { Deps } from '../../../deps.ts'
import type { Diagnosis } from '../../../platform/diagnosis.ts'
import { newMailId } from '../../../platform/ids.ts'
import { NEVER_STOPPED } from '../../../platform/world.ts'
import { isMailable } from '../domain/mail.ts'
import { writeTestLetter } from '../domain/write-letter.ts'
import type { SmtpOutcome, SmtpResult } from '../outbound/smtp.ts'

export const MAIL_IS_OFF = 'off: staff copy invitation links, and only the operator can reset a lost password'
export const TURN_MAIL_ON = 'set VIDIMUS_SMTP_URL and VIDIMUS_MAIL_FROM; docs/mail.md says how'

const REMEDIES: Readonly<Record<Exclude<SmtpOutcome, 'sent'>, string>> = {
  refused: 'the server permanently refuses this sender or address; check VIDIMUS_MAIL_FROM with its operator',
  deferred: 'the server asks to retry later; if this continues, ask its operator',
  login_failed: 'check user and password of VIDIMUS_SMTP_URL',
  tls_failed:
    'the server must offer TLS with a certificate for its name; NODE_EXTRA_CA_CERTS adds a private authority, VIDIMUS_SMTP_TLS=off turns encryption off',
  connect_failed: 'check host and port of VIDIMUS_SMTP_URL, and that the firewall allows this machine to reach them',
  timeout: 'the server does not answer in time; check host and port: smtps: is for TLS from the first byte (465)',
  protocol_error: 'the server that answers is not a mail server, or refuses this machine',
}

export async function diagnoseMail({ mail }: Pick<Deps, 'mail'>): Promise<Diagnosis[]> {
  if (mail === null) return [{ area: 'mail', status: 'warning', finding: MAIL_IS_OFF, remedy: TURN_MAIL_ON }]
  const result = await mail.tryLogin()
  const { outcome } = result
  if (outcome !== 'sent')
    return [
      { area: 'mail', status: 'problem', finding: `${mail.server}: ${textOf(result)}`, remedy: REMEDIES[outcome] },
    ]
  const how = mail.tls ? 'over TLS' : 'without encryption'
  return [{ area: 'mail', status: 'ok', finding: `${mail.server} answers ${how}` }]
}

/** Sends the mail now, without the queue. null if mail is off. */
export async function sendTestMail(
  deps: Pick<Deps, 'mail' | 'config' | 'clock' | 'random'>,
  { to, language }: { readonly to: string; readonly language: Language },
): Promise<{ readonly ok: boolean; readonly finding: string; readonly remedy: string | null } | null> {
  if (deps.mail === null) return null
  if (!isMailable(to)) return { ok: false, finding: 'not an address that mail can be sent to', remedy: null }
  const letter = writeTestLetter(language, deps.config.baseUrl)
  const mail = { ...letter, id: newMailId(deps.random), to, sentAtMs: deps.clock.now() }
  const result = await deps.mail.send(mail, NEVER_STOPPED)
  const { outcome } = result
  const remedy = outcome === 'sent' ? null : REMEDIES[outcome]
  return { ok: outcome === 'sent', finding: `${deps.mail.server}: ${textOf(result)}`, remedy }
}

const textOf = ({ outcome, code }: SmtpResult) => `${outcome.replace('_', ' ')}${code === null ? '' : ` (${code})`}`
