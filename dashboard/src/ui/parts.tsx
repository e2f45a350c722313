// The parts of every page: buttons, cards, fields, notes, empty and loading states.

import { type ComponentProps, type FormEvent, type ReactNode, useId, useState } from 'react'
import { ApiError } from '../api.ts'
import { useWords } from '../preferences.tsx'
import { type Field, useFieldProblem } from './field-problem.ts'
import { Icon, type IconName } from './icon.tsx'

type Tone = 'primary' | 'plain' | 'danger' | 'destroy' | 'quiet'

const TONES: Record<Tone, string> = {
  primary: 'bg-accent text-accent-ink hover:opacity-90 border-transparent',
  plain: 'bg-surface text-ink border-line hover:bg-sunken',
  danger: 'bg-surface text-bad border-line hover:bg-bad-soft',
  /** The last step, after a confirmation. */
  destroy: 'bg-bad text-surface hover:opacity-90 border-transparent',
  quiet: 'bg-transparent text-accent border-transparent hover:bg-accent-soft',
}
const BUTTON =
  'inline-flex items-center justify-center gap-2 rounded-lg border px-3.5 min-h-10 text-center text-sm font-medium transition-colors disabled:opacity-50'

export const buttonClass = (tone: Tone = 'plain') => `${BUTTON} ${TONES[tone]}`

export function Button({
  tone = 'plain',
  busy = false,
  icon,
  children,
  ...rest
}: ComponentProps<'button'> & { tone?: Tone; busy?: boolean; icon?: IconName }) {
  return (
    <button
      type="button"
      {...rest}
      disabled={rest.disabled === true || busy}
      aria-busy={busy}
      className={`${buttonClass(tone)} ${rest.className ?? ''}`}
    >
      {icon !== undefined && <Icon name={icon} />}
      {children}
    </button>
  )
}

export function PageTitle({ title, lead, children }: { title: string; lead?: string; children?: ReactNode }) {
  return (
    <header className="mb-7 flex flex-wrap items-start justify-between gap-4">
      <div className="max-w-[72ch]">
        <h1 className="text-2xl font-semibold tracking-tight">{title}</h1>
        {lead !== undefined && <p className="mt-1 text-pretty text-soft">{lead}</p>}
      </div>
      <div className="flex flex-wrap gap-2 empty:hidden">{children}</div>
    </header>
  )
}

export function Card({ title, action, children }: { title?: string; action?: ReactNode; children: ReactNode }) {
  return (
    <section className="rounded-2xl border border-line bg-surface p-5 sm:p-6">
      {title !== undefined && (
        <div className="mb-4 flex flex-wrap items-center justify-between gap-3">
          <h2 className="text-base font-semibold">{title}</h2>
          {action}
        </div>
      )}
      {children}
    </section>
  )
}

export const inputClass =
  'w-full rounded-lg border border-soft/60 bg-surface px-3 min-h-10 text-ink placeholder:text-soft disabled:opacity-60 aria-invalid:border-bad file:my-1.5 file:-ml-1.5 file:mr-3 file:min-h-7 file:rounded-md file:bg-sunken file:px-3 file:text-sm file:font-medium file:text-ink'

interface FieldProps {
  label: string
  hint?: string | undefined
  /** The problem that the service found. */
  problem?: string | null | undefined
}

export function TextField({ label, hint, problem, ...rest }: FieldProps & ComponentProps<'input'>) {
  return (
    <Labelled label={label} hint={hint} problem={problem}>
      {(field) => <input {...field} {...rest} className={inputClass} />}
    </Labelled>
  )
}

export function AreaField({ label, hint, problem, ...rest }: FieldProps & ComponentProps<'textarea'>) {
  return (
    <Labelled label={label} hint={hint} problem={problem}>
      {(field) => (
        <textarea {...field} spellCheck={false} {...rest} className={`${inputClass} py-2 font-mono text-[13px]`} />
      )}
    </Labelled>
  )
}

export function SelectField({ label, hint, problem, children, ...rest }: FieldProps & ComponentProps<'select'>) {
  return (
    <Labelled label={label} hint={hint} problem={problem}>
      {(field) => (
        <Select {...field} {...rest}>
          {children}
        </Select>
      )}
    </Labelled>
  )
}

/** The platform's list with our arrow. */
export function Select(props: ComponentProps<'select'>) {
  return (
    <span className="relative block">
      <select {...props} className={`${inputClass} appearance-none pr-9!`} />
      <Icon name="choose" className="pointer-events-none absolute inset-y-0 right-3 my-auto size-4 text-soft" />
    </span>
  )
}

/** A field's label, hint and problem, visible and for screen readers. */
export function Labelled(props: FieldProps & { children: (field: LabelledField) => ReactNode }) {
  const { label, hint, children } = props
  const id = useId()
  const { problem: found, watch } = useFieldProblem()
  const problem = found ?? props.problem ?? null
  // A problem replaces the hint.
  const shownHint = problem === null ? hint : undefined
  const described = [problem === null ? '' : `${id}-problem`, shownHint === undefined ? '' : `${id}-hint`]
  return (
    <div className="mb-4">
      <label id={`${id}-label`} htmlFor={id} className="mb-1 block text-sm font-medium">
        {label}
      </label>
      {children({
        id,
        'aria-describedby': described.join(' ').trim() || undefined,
        'aria-invalid': problem === null ? undefined : true,
        ...watch,
      })}
      {problem !== null && (
        <p
          id={`${id}-problem`}
          role={found === null ? 'alert' : undefined}
          className="mt-1 text-sm font-medium text-bad"
        >
          {problem}
        </p>
      )}
      {shownHint !== undefined && (
        <p id={`${id}-hint`} className="mt-1 text-sm text-soft">
          {shownHint}
        </p>
      )}
    </div>
  )
}

interface LabelledField {
  id: string
  'aria-describedby': string | undefined
  'aria-invalid': true | undefined
  onInvalid(event: FormEvent<Field>): void
  onInput(event: FormEvent<Field>): void
}

export function CheckField({ label, hint, ...rest }: Omit<FieldProps, 'problem'> & ComponentProps<'input'>) {
  const id = useId()
  const described = hint === undefined ? undefined : `${id}-hint`
  return (
    <div className={hint === undefined ? 'mb-2' : 'mb-4'}>
      <label className="flex min-h-8 items-center gap-3 text-sm">
        <input type="checkbox" aria-describedby={described} {...rest} className="size-5 shrink-0 accent-accent" />
        {label}
      </label>
      {hint !== undefined && (
        <p id={described} className="mt-1 text-sm text-soft">
          {hint}
        </p>
      )}
    </div>
  )
}

/** One of a few options, with an explanation. All of it is the radio button. */
export function ChoiceCard({ label, hint, ...rest }: Omit<FieldProps, 'problem'> & ComponentProps<'input'>) {
  return (
    <label className="flex min-h-10 cursor-pointer flex-col gap-0.5 rounded-lg border border-soft/60 px-3 py-2 text-sm has-checked:border-accent has-checked:bg-accent-soft has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent">
      <span className="flex items-center gap-2 font-medium">
        <input type="radio" {...rest} className="size-4 shrink-0 accent-accent outline-none" />
        {label}
      </span>
      {hint !== undefined && <span className="text-[13px] text-soft">{hint}</span>}
    </label>
  )
}

/** For on or off. Lists of options have check boxes. */
export function Switch(props: ComponentProps<'input'>) {
  return (
    <input
      {...props}
      type="checkbox"
      // biome-ignore lint/a11y/useAriaPropsForRole: a check box says by itself whether it is checked
      role="switch"
      className="relative h-5.5 w-10 shrink-0 appearance-none rounded-full bg-soft/70 transition-colors before:absolute before:top-0.5 before:left-0.5 before:size-4.5 before:rounded-full before:bg-surface before:transition-transform checked:bg-accent checked:before:translate-x-4.5 disabled:opacity-50 forced-colors:appearance-auto forced-colors:before:hidden"
    />
  )
}

export function SwitchField({ label, hint, ...rest }: Omit<FieldProps, 'problem'> & ComponentProps<'input'>) {
  const id = useId()
  return (
    <div className="mb-4 flex items-start justify-between gap-6">
      <div>
        <label htmlFor={id} className="text-sm font-medium">
          {label}
        </label>
        {hint !== undefined && (
          <p id={`${id}-hint`} className="mt-0.5 text-sm text-soft">
            {hint}
          </p>
        )}
      </div>
      <Switch id={id} aria-describedby={hint === undefined ? undefined : `${id}-hint`} {...rest} />
    </div>
  )
}

export function Note({ tone, children }: { tone: 'good' | 'bad' | 'warn' | 'plain'; children: ReactNode }) {
  const tones = {
    good: 'bg-good-soft text-good',
    bad: 'bg-bad-soft text-bad',
    warn: 'bg-warn-soft text-warn',
    plain: 'bg-accent-soft text-ink',
  }
  return (
    <div
      role={tone === 'bad' ? 'alert' : 'status'}
      className={`mb-4 rounded-lg px-4 py-3 text-sm last:mb-0 ${tones[tone]}`}
    >
      {children}
    </div>
  )
}

/**
 * A fault of the service has a headline and the request id for the operator. An error that the person can fix has
 * neither.
 */
export function ErrorNote({ error, again, atField = [] }: ErrorNoteProps) {
  const words = useWords()
  if (error === null || error === undefined) return null
  const known = error instanceof ApiError ? error : null
  if (known !== null && atField.includes(known.code)) return null
  const translated = known === null ? undefined : words.errors.codes[known.code]
  const text = known === null || known.message === '' ? words.errors.unreachable : (translated ?? known.message)
  // Only the service's message says which member is wrong, and why.
  const detail = known?.code === 'invalid_request' && translated !== undefined ? known.message : null
  const isFault = known !== null && known.status >= 500 && !EXPECTED.has(known.code)
  const title = words.errors.titles[known?.code ?? ''] ?? (isFault ? words.errors.title : null)
  const sentences = (
    <>
      <p>{text}</p>
      {detail !== null && <p lang="en">{detail}</p>}
      {known?.requestId != null && (isFault || known.code === 'oidc_not_proven') && (
        <p className="mt-1">
          {words.errors.request} <code className="font-mono text-[13px]">{known.requestId}</code>
        </p>
      )}
    </>
  )
  // What could not be loaded is not a mistake of the person.
  if (again !== undefined) {
    return (
      <div role="alert" className="mb-5">
        <Empty icon="warn" title={title ?? words.errors.notLoaded}>
          {sentences}
          <Button className="mt-4" onClick={again}>
            {words.errors.again}
          </Button>
        </Empty>
      </div>
    )
  }
  return (
    <Note tone="bad">
      {title !== null && <p className="font-semibold">{title}</p>}
      {sentences}
    </Note>
  )
}

interface ErrorNoteProps {
  readonly error: unknown
  readonly again?: (() => void) | undefined
  /** Codes that a field shows, with `useProblemOf`. */
  readonly atField?: readonly string[]
}

/** It is temporary, and its text says what to do. */
const EXPECTED = new Set(['unavailable'])

export function Skeleton({ lines = 4 }: { lines?: number }) {
  const words = useWords()
  return (
    <div role="status" aria-label={words.loading} className="space-y-3 py-2">
      {Array.from({ length: lines }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are identical
        <div key={index} className="h-9 animate-pulse rounded-lg bg-sunken" />
      ))}
    </div>
  )
}

export function Empty({ title, icon, isPage = false, children }: EmptyProps) {
  const Title = isPage ? 'h1' : 'p'
  return (
    <div className="rounded-2xl border border-dashed border-line px-6 py-12 text-center">
      {icon !== undefined && (
        <span className="mx-auto mb-4 grid size-11 place-items-center rounded-xl bg-accent-soft text-accent">
          <Icon name={icon} className="size-5.5" />
        </span>
      )}
      <Title className="text-base font-medium">{title}</Title>
      <div className="mx-auto mt-2 max-w-[60ch] text-balance text-soft">{children}</div>
    </div>
  )
}

interface EmptyProps {
  readonly title: string
  readonly icon?: IconName
  /** There is nothing else on the page. */
  readonly isPage?: boolean
  readonly children?: ReactNode
}

export function Copy({ text, label, tone, isSmall = false, onCopied }: CopyProps) {
  const words = useWords()
  const [copied, setCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    setCopied(true)
    onCopied?.()
    setTimeout(() => setCopied(false), 2000)
  }
  if (isSmall) {
    return (
      <button
        type="button"
        aria-label={label ?? words.copy}
        title={label ?? words.copy}
        onClick={copy}
        className={`grid size-8 place-items-center rounded-lg hover:bg-sunken ${copied ? 'text-good' : 'text-soft'}`}
      >
        <Icon name={copied ? 'check' : 'copy'} className="size-4" />
        <span role="status" className="sr-only">
          {copied ? words.copied : ''}
        </span>
      </button>
    )
  }
  return (
    <Button icon={copied ? 'check' : 'copy'} {...(tone === undefined ? {} : { tone })} onClick={copy}>
      {label ?? words.copy}
      <span role="status" className={copied ? (tone === 'primary' ? '' : 'text-good') : 'sr-only'}>
        {copied ? words.copied : ''}
      </span>
    </Button>
  )
}

interface CopyProps {
  readonly text: string
  readonly label?: string
  readonly tone?: Tone
  /** Only the icon, next to what it copies. */
  readonly isSmall?: boolean
  onCopied?(): void
}

export function Code({ children }: { children: string }) {
  return (
    <pre
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
      className="overflow-x-auto rounded-lg bg-sunken p-4 text-left font-mono text-[13px] leading-relaxed"
    >
      {children}
    </pre>
  )
}

export function Mono({ children }: { children: ReactNode }) {
  return <code className="font-mono text-[13px] break-all">{children}</code>
}
