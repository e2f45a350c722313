// Previews a template as the hosted page, in words, and with advice where it asks for too much.

import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import { answerLabel, documentLabel } from '../../../../../labels/catalogue.ts'
import type { RegistrationConcern } from '../../../../../wire/registration.ts'
import type { TemplatePreview as Answer, Question } from '../../../../../wire/templates.ts'
import { pathOf, post } from '../../../api.ts'
import { useLabels } from '../../../labels.ts'
import { usePreferences, useWords } from '../../../preferences.tsx'
import { useHere } from '../../../session.tsx'
import { Button, ErrorNote, Note, Skeleton } from '../../../ui/parts.tsx'
import { ConcernText } from '../../registration/problem.tsx'
import { PlainQuestion } from '../../verifications/plain-question.tsx'
import { ageOf } from './documents.ts'
import type { Choice } from './question.ts'
import { useBuilderWords } from './words.ts'

type Sound = Extract<Answer, { outcome: 'sound' }>

/** The template is checked after this pause in typing. */
const PAUSE_MS = 250

/** The service checks after each pause. The previous result stays until then. */
export function useJudgement(input: { key: string; document: object | null; phone: boolean }) {
  const here = useHere()
  const { language } = usePreferences()
  const { document, phone } = input
  const page = { language, phone }
  const text = document === null ? null : JSON.stringify({ key: input.key === '' ? 'new' : input.key, document, page })
  const settled = useSettled(text)
  const query = useQuery({
    queryKey: ['preview', pathOf('@', here.at()), settled],
    queryFn: () => post('@/templates/preview', JSON.parse(settled ?? '{}'), here.at()),
    enabled: settled !== null,
    placeholderData: (before) => before,
    staleTime: Number.POSITIVE_INFINITY,
  })
  /** Whether the result belongs to the current text. */
  const isCurrent = settled === text && !query.isPlaceholderData
  return { judged: text === null ? undefined : query.data, error: query.error, isCurrent }
}

function useSettled(text: string | null): string | null {
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text])
  return settled
}

interface Props {
  judged: Answer | undefined
  error: unknown
  /** True if there is nothing to check yet. */
  isEmpty: boolean
  phone: boolean
  /** True if the advice is shown elsewhere. */
  withoutAdvice: boolean
  onPhone(phone: boolean): void
  /** null: the template is written as JSON. */
  choice: Choice | null
  onChoice(choice: Choice): void
}

export function Preview({ judged, error, isEmpty, phone, withoutAdvice, onPhone, choice, onChoice }: Props) {
  const words = useBuilderWords()
  const sound = judged?.outcome === 'sound' ? judged : null
  return (
    <>
      {!isEmpty && !withoutAdvice && <AdviceSection {...{ judged, choice, onChoice }} />}
      <div className="mb-3 flex flex-wrap items-center justify-between gap-3">
        <h3 className="text-base font-semibold">{words.preview}</h3>
        <Screens phone={phone} onPhone={onPhone} />
      </div>
      <ErrorNote error={error} />
      {isEmpty && (
        <p className="rounded-xl border border-dashed border-line px-6 py-14 text-center text-soft">
          {choice === null ? words.nothingWritten : words.nothingChosen}
        </p>
      )}
      {!isEmpty && sound === null && judged === undefined && error === null && <Skeleton lines={6} />}
      {!isEmpty && sound !== null && (
        <>
          {sound.html !== null && <Page html={sound.html} phone={phone} />}
          <h3 className="mt-6 mb-2 text-base font-semibold">{words.inWords}</h3>
          <PlainQuestion question={sound.question} warn={false} />
        </>
      )}
    </>
  )
}

export function AdviceSection({ judged, choice, onChoice }: Pick<Props, 'judged' | 'choice' | 'onChoice'>) {
  const words = useBuilderWords()
  if (judged?.outcome !== 'sound') return null
  return (
    <section className="mb-5">
      <h3 className="mb-2 text-base font-semibold">{words.overAsking}</h3>
      <Advice sound={judged} choice={choice} onChoice={onChoice} />
    </section>
  )
}

function Screens({ phone, onPhone }: { phone: boolean; onPhone(phone: boolean): void }) {
  const words = useBuilderWords()
  return (
    <fieldset className="flex rounded-lg bg-sunken p-1">
      <legend className="sr-only">{words.screen}</legend>
      {[true, false].map((isPhone) => (
        <button
          key={String(isPhone)}
          type="button"
          aria-pressed={phone === isPhone}
          onClick={() => onPhone(isPhone)}
          className={`min-h-8 rounded-md px-3 text-sm ${phone === isPhone ? 'bg-surface font-semibold shadow-sm dark:bg-line' : 'text-soft'}`}
        >
          {isPhone ? words.screens.phone : words.screens.desktop}
        </button>
      ))}
    </fieldset>
  )
}

/** The hosted page itself, rendered by the service with the current branding and without scripts. */
function Page({ html, phone }: { html: string; phone: boolean }) {
  const words = useBuilderWords()
  return (
    <div className={`overflow-x-auto rounded-xl border border-line bg-sunken ${phone ? 'py-4' : ''}`}>
      <iframe
        title={words.previewTitle}
        srcDoc={html}
        sandbox=""
        tabIndex={-1}
        className={`mx-auto block ${phone ? 'h-[46rem] w-[24.375rem] rounded-[2.5rem] border-8 border-ink/80 [zoom:0.72]' : 'h-[45rem] w-[58rem] [zoom:0.62]'}`}
      />
    </div>
  )
}

/** All advice that it asks for too much: from the builder, the service and the register. */
function Advice({ sound, choice, onChoice }: { sound: Sound; choice: Choice | null; onChoice(choice: Choice): void }) {
  const all = useWords()
  const words = useBuilderWords()
  const requested = choice?.requested ?? []
  const [hasBirthDate, hasAge] = [requested.includes('birth_date'), requested.some((one) => ageOf(one) !== null)]
  const instead = () => {
    if (choice === null) return
    onChoice({ ...choice, requested: requested.map((one) => (one === 'birth_date' ? 'age_over_18' : one)) })
  }
  const own: (readonly [string, ReactNode])[] = [
    ...(hasBirthDate && hasAge ? [['both', words.advice.both] as const] : []),
    ...(hasBirthDate && !hasAge
      ? [
          [
            'birthDate',
            <>
              <p className="mb-2">{words.advice.birthDate}</p>
              <Button onClick={instead}>{words.advice.instead}</Button>
            </>,
          ] as const,
        ]
      : []),
    ...(requested.includes('personal_administrative_number') ? [['number', words.advice.personalNumber] as const] : []),
  ]
  const found: readonly (readonly [string, ReactNode])[] = [
    ...own,
    ...sound.question.warnings
      // Leaves out the warning that is already shown above, with a remedy.
      .filter((warning) => warning !== 'birth_date_for_age' || own.length === 0)
      .map((warning) => [warning, all.templates.warnings[warning]] as const),
    ...(sound.over_asking.length > 0
      ? [['registration', <Unregistered key="registration" sound={sound} />] as const]
      : []),
    ...sound.concerns
      .filter(({ code }) => code === 'not_registered')
      .map((concern) => [concern.reason.code, <Unusable key={concern.reason.code} concern={concern} />] as const),
  ]
  if (found.length === 0) return <Note tone="good">{words.fine}</Note>
  return found.map(([name, text]) => (
    <Note key={name} tone="warn">
      {text}
    </Note>
  ))
}

function Unusable({ concern }: { concern: RegistrationConcern }) {
  const words = useBuilderWords()
  return (
    <>
      <p>{words.notRegistered}</p>
      <p>
        <ConcernText concern={concern} />
      </p>
    </>
  )
}

function Unregistered({ sound }: { sound: Sound }) {
  const words = useBuilderWords()
  const labels = useLabels()
  const use = sound.intended_use ?? ''
  return (
    <>
      <ul className="mb-2 list-disc pl-5">
        {sound.over_asking.map(({ credential, claim, covered_by: cover }) => {
          const document = nameOf(sound.question, credential, (type) => documentLabel(labels, type))
          const [first] = cover
          return (
            <li key={`${credential} ${claim}`}>
              {claim === null
                ? words.beyondUseType(document, use)
                : words.beyondUse(answerLabel(labels, claim), document, use)}{' '}
              {first !== undefined && words.coveredBy(first)}
            </li>
          )
        })}
      </ul>
      <p>{words.liveRefuses}</p>
    </>
  )
}

function nameOf({ credentials }: Question, id: string, label: (type: string) => string | null): string {
  const [type] = credentials.find((one) => one.id === id)?.types ?? []
  return type === undefined ? id : (label(type) ?? type)
}
