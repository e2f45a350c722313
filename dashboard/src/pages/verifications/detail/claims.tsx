// The claims of a result, with labels and formatted values.

import { Fragment, type ReactNode } from 'react'
import { answerLabel } from '../../../../../labels/catalogue.ts'
import { isEncrypted } from '../../../../../sdk/typescript/src/result.ts'
import type { VerificationDetail } from '../../../../../wire/verifications-staff.ts'
import { useLabels } from '../../../labels.ts'
import { usePreferences, useWords } from '../../../preferences.tsx'
import { Card } from '../../../ui/parts.tsx'
import { StatusMark } from '../../../ui/status.tsx'
import { localeOf } from '../../../ui/time.tsx'
import { EncryptedClaims } from '../encrypted-claims.tsx'
import type { Portrait } from './portrait.ts'
import { type Privilege, type Shown, shownValue } from './values.ts'
import { useVerificationWords } from './words.ts'

export function Claims({ verification }: { verification: VerificationDetail }) {
  const words = useVerificationWords()
  const { resultKeys } = useWords()
  const { claims, claim_names: names, status } = verification
  return (
    <Card title={words.claims}>
      {claims !== null && isEncrypted({ claims }) ? (
        <EncryptedClaims verification={verification} claims={claims}>
          {(opened) => <ClaimList claims={opened} />}
        </EncryptedClaims>
      ) : claims !== null ? (
        <ClaimList claims={claims} />
      ) : names !== null ? (
        <ClaimNames names={names} />
      ) : (
        <p className="text-soft">{status === 'completed' ? resultKeys.forgotten : words.noClaims[status]}</p>
      )}
    </Card>
  )
}

/** For roles that may not see values. */
function ClaimNames({ names }: { names: readonly string[] }) {
  const words = useVerificationWords()
  const labels = useLabels()
  const { resultKeys } = useWords()
  const isHidden = names.length === 1 && names[0] === '$jwe'
  return (
    <>
      {isHidden ? (
        <p className="mb-2">{resultKeys.encrypted}</p>
      ) : (
        <ul className="mb-3 flex flex-wrap gap-2">
          {names.map((name) => (
            <li key={name} className="rounded-full bg-sunken px-3 py-1 text-sm">
              {answerLabel(labels, name)}
            </li>
          ))}
        </ul>
      )}
      <p className="text-sm text-soft">{words.claimsHidden}</p>
    </>
  )
}

function ClaimList({ claims }: { claims: Readonly<Record<string, unknown>> }) {
  const shown = Object.entries(claims).map(([name, value]) => [name, shownValue(name, value)] as const)
  const portraits = shown.flatMap(([name, value]) =>
    value.kind === 'portrait' && value.portrait.kind === 'picture' ? [[name, value.portrait] as const] : [],
  )
  const rest = shown.filter(([name]) => !portraits.some(([other]) => other === name))
  return (
    <div className="flex flex-col gap-6 sm:flex-row">
      {portraits.map(([name, portrait]) => (
        <Picture key={name} portrait={portrait} />
      ))}
      <dl className="min-w-0 grow divide-y divide-line">
        {rest.map(([name, value]) => (
          <Row key={name} name={name}>
            <Value value={value} />
          </Row>
        ))}
      </dl>
    </div>
  )
}

function Row({ name, children }: { name: string; children: ReactNode }) {
  const labels = useLabels()
  return (
    <div className="grid gap-x-4 gap-y-0.5 py-2.5 first:pt-0 last:pb-0 sm:grid-cols-[11rem_minmax(0,1fr)]">
      <dt className="text-soft" title={name}>
        {answerLabel(labels, name)}
      </dt>
      <dd className="min-w-0 font-medium wrap-anywhere">{children}</dd>
    </div>
  )
}

function Picture({ portrait }: { portrait: Extract<Portrait, { kind: 'picture' }> }) {
  const words = useVerificationWords()
  return (
    <img
      src={portrait.address}
      width={portrait.width}
      height={portrait.height}
      alt={words.portrait}
      className="h-44 w-36 shrink-0 rounded-xl border border-line bg-sunken object-cover"
    />
  )
}

/** Any kind of value except a portrait, which is shown next to the others. */
function Value({ value }: { value: Shown }): ReactNode {
  const words = useVerificationWords()
  const labels = useLabels()
  const { language } = usePreferences()
  switch (value.kind) {
    case 'nothing':
      return <span className="font-normal text-soft">{words.nothing}</span>
    case 'answer':
      return <StatusMark name={value.yes ? 'ok' : 'failed'} word={value.yes ? words.yes : words.no} />
    case 'text':
      return value.text.length < value.length ? `${value.text} (${words.characters(value.length)})` : value.text
    case 'date':
      return <Day day={value.day} />
    case 'country':
      return new Intl.DisplayNames(language, { type: 'region', fallback: 'code' }).of(value.code) ?? value.code
    case 'sex':
      return words.sexes[value.code] ?? String(value.code)
    case 'portrait':
      return value.portrait.kind === 'picture' ? (
        <Picture portrait={value.portrait} />
      ) : (
        <span className="font-normal text-soft">
          {words.portraitHidden[value.portrait.why](`${Math.ceil(value.portrait.bytes / 1024)} KB`)}
        </span>
      )
    case 'privileges':
      return <Privileges rows={value.rows} />
    case 'list':
      return (
        <ul className="flex flex-wrap gap-x-3 gap-y-1">
          {value.items.map((item, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: items have no other key and do not move
            <li key={index}>
              <Value value={item} />
              {index < value.items.length - 1 && ','}
            </li>
          ))}
        </ul>
      )
    case 'parts':
      return (
        <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1">
          {value.parts.map(([name, part]) => (
            <Fragment key={name}>
              <dt className="font-normal text-soft">{answerLabel(labels, name)}</dt>
              <dd className="min-w-0 wrap-anywhere">
                <Value value={part} />
              </dd>
            </Fragment>
          ))}
        </dl>
      )
  }
}

function Day({ day }: { day: string }) {
  const { language } = usePreferences()
  const format = new Intl.DateTimeFormat(localeOf(language), { dateStyle: 'long', timeZone: 'UTC' })
  return <time dateTime={day}>{format.format(new Date(`${day}T00:00:00Z`))}</time>
}

function Privileges({ rows }: { rows: readonly Privilege[] }) {
  const { privileges: words } = useVerificationWords()
  const labels = useLabels()
  const day = (text: string | null) =>
    text === null ? '–' : /^\d{4}-\d{2}-\d{2}$/.test(text) ? <Day day={text} /> : text
  return (
    <section
      aria-label={answerLabel(labels, 'driving_privileges')}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
      className="overflow-x-auto rounded-lg border border-line"
    >
      <table className="w-full text-left text-sm font-normal">
        <thead className="bg-sunken text-soft">
          <tr>
            {[words.category, words.issued, words.expires, words.codes].map((head) => (
              <th key={head} scope="col" className="px-3 py-1.5 font-medium whitespace-nowrap">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={`${row.category} ${row.issued}`} className="border-t border-line">
              <td className="px-3 py-1.5 font-medium">{row.category}</td>
              <td className="px-3 py-1.5 whitespace-nowrap">{day(row.issued)}</td>
              <td className="px-3 py-1.5 whitespace-nowrap">{day(row.expires)}</td>
              <td className="px-3 py-1.5">{row.codes.length === 0 ? words.none : row.codes.join(', ')}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
