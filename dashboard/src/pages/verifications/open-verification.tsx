// A pending verification: its link, its QR code, a text to send, and a button to cancel it.

import { useState } from 'react'
import type { VerificationDetail } from '../../../../wire/verifications-staff.ts'
import { post } from '../../api.ts'
import { usePreferences } from '../../preferences.tsx'
import { useAct, useHere } from '../../session.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { Button, buttonClass, Copy } from '../../ui/parts.tsx'
import { Qr } from '../../ui/qr.tsx'
import { duration, localeOf, useCountdown } from '../../ui/time.tsx'

export function OpenVerification({ verification }: { verification: VerificationDetail }) {
  const { words, language } = usePreferences()
  const here = useHere()
  const left = useCountdown(verification.expires_at)
  const [cancelling, setCancelling] = useState(false)
  const { open, id } = verification
  const { asking } = words
  if (open === null) return null
  const until = new Intl.DateTimeFormat(localeOf(language), { dateStyle: 'long', timeStyle: 'short' })
  const mail = asking.mailText({
    merchant: here.tenant.name,
    purpose: verification.purpose,
    link: open.page_url,
    until: until.format(new Date(verification.expires_at)),
  })
  return (
    <section className="mb-5 rounded-2xl border border-line bg-surface p-5 sm:p-6">
      <div className="mb-5 flex flex-wrap items-start justify-between gap-3">
        <div>
          <h2 className="text-base font-semibold">{asking.waiting}</h2>
          <p role="status" className="text-sm text-soft">
            {verification.request_fetched_at === null ? asking.waitingLead : asking.fetched}
          </p>
        </div>
        <p className="rounded-full bg-accent-soft px-3 py-1 text-sm font-medium text-accent tabular-nums">
          {left > 0 ? `${asking.left} ${duration(left)}` : asking.over}
        </p>
      </div>
      <div className="grid gap-6 md:grid-cols-[auto_minmax(0,1fr)]">
        <figure className="mx-auto w-52 text-center">
          <Qr large text={open.wallet_uri} label={asking.scan} />
          <figcaption className="mt-2 text-sm text-soft">{asking.scan}</figcaption>
        </figure>
        <div className="min-w-0 space-y-5">
          <div>
            <h3 className="mb-1 text-sm font-medium">{asking.link}</h3>
            <p className="mb-2 rounded-lg bg-sunken px-3 py-2 font-mono text-[13px] break-all select-all">
              {open.page_url}
            </p>
            <div className="flex flex-wrap gap-2">
              <Copy text={open.page_url} label={asking.copyLink} tone="primary" />
              <a href={open.page_url} target="_blank" rel="noreferrer" className={buttonClass('plain')}>
                {asking.openPage}
              </a>
            </div>
          </div>
          <details>
            <summary className="min-h-8 text-sm text-accent">{asking.mail}</summary>
            <p className="my-2 rounded-lg bg-sunken p-4 text-sm break-words whitespace-pre-line select-all">{mail}</p>
            <div className="flex flex-wrap gap-2">
              <Copy text={mail} label={asking.copyMail} />
              <a href={mailTo(asking.mailSubject(here.tenant.name), mail)} className={buttonClass('plain')}>
                {asking.openMail}
              </a>
            </div>
          </details>
          <Button tone="danger" onClick={() => setCancelling(true)}>
            {asking.cancel}
          </Button>
        </div>
      </div>
      {cancelling && <Cancel id={id} onClose={() => setCancelling(false)} />}
    </section>
  )
}

/** Line breaks as RFC 6068 §5 requires. */
export const mailTo = (subject: string, text: string) =>
  `mailto:?subject=${encodeURIComponent(subject)}&body=${encodeURIComponent(text.replaceAll('\n', '\r\n'))}`

function Cancel({ id, onClose }: { id: string; onClose(): void }) {
  const { words } = usePreferences()
  const here = useHere()
  const act = useAct()
  return (
    <Confirm
      title={words.asking.cancelTitle}
      lead={words.asking.cancelLead}
      word={words.asking.cancel}
      onClose={onClose}
      action={() => act(() => post('@/verifications/:id/cancel', {}, here.at({ id })))}
    />
  )
}
