// What wallets said they support, and what they got: one entry per kind of fetch.

import type { VerificationDetail } from '../../../../../wire/verifications-staff.ts'
import { usePreferences } from '../../../preferences.tsx'
import { Card, Mono } from '../../../ui/parts.tsx'
import { localeOf } from '../../../ui/time.tsx'
import { useVerificationWords } from './words.ts'

type Sent = VerificationDetail['requests'][number]

export function Wallets({ requests }: Pick<VerificationDetail, 'requests'>) {
  const { wallets: words } = useVerificationWords()
  if (requests.length === 0) return null
  const isNotable = requests.some(({ request_sha256: sent, left_out: leftOut }) => sent === null || leftOut.length > 0)
  return (
    <Card>
      <details open={isNotable}>
        <summary className="font-semibold">{words.title}</summary>
        <ul className="mt-4 space-y-4">
          {requests.map((sent) => (
            <li key={`${sent.at} ${sent.request_sha256 ?? ''}`} data-wallet>
              <Wallet sent={sent} />
            </li>
          ))}
        </ul>
      </details>
    </Card>
  )
}

function Wallet({ sent }: { sent: Sent }) {
  const { wallets: words } = useVerificationWords()
  const { language } = usePreferences()
  const time = new Intl.DateTimeFormat(localeOf(language), { timeStyle: 'medium' }).format(new Date(sent.at))
  const { left_out: leftOut, missing, declared, encrypted_to: curve } = sent
  const isRefused = sent.request_sha256 === null
  return (
    <div className="space-y-1 text-sm wrap-anywhere">
      <p className="font-medium">{isRefused ? words.refused(time) : words.sent(time)}</p>
      {missing.map(({ member, any_of: anyOf }) => (
        <p key={member}>{words.missing(anyOf.join(', '), member)}</p>
      ))}
      {!isRefused && <p>{leftOut.length === 0 ? words.whole : words.leftOut(leftOut.join(', '))}</p>}
      {curve !== null && <p>{words.encrypted(curve)}</p>}
      {declared === null ? (
        <p className="text-soft">{words.undeclared}</p>
      ) : (
        <details>
          <summary className="cursor-pointer text-soft">{words.declared}</summary>
          <ul className="mt-1 space-y-1">
            {declared.map(({ member, values, others }) => (
              <li key={member}>
                <Mono>{member}</Mono>: {[...values, ...(others > 0 ? [words.others(others)] : [])].join(', ')}
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  )
}
