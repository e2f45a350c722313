// The card of one template: its request in words, its registration and its use.

import { Link, useNavigate } from 'react-router'
import { documentLabel } from '../../../../labels/catalogue.ts'
import type { Template } from '../../../../wire/templates.ts'
import { useLabels } from '../../labels.ts'
import { usePreferences, useWords } from '../../preferences.tsx'
import { useHere } from '../../session.tsx'
import { descriptionOf, titleOf } from '../../template-titles.ts'
import { Icon } from '../../ui/icon.tsx'
import { buttonClass } from '../../ui/parts.tsx'
import { type RowAction, RowMenu } from '../../ui/row-menu.tsx'
import { StatusMark } from '../../ui/status.tsx'
import { ConcernText } from '../registration/problem.tsx'
import { TechnicalClaims } from '../registration/technical-claims.tsx'
import { PlainQuestion } from '../verifications/plain-question.tsx'
import type { Beginning } from './builder/draft.ts'
import { useBuilderWords } from './builder/words.ts'

interface CardProps {
  template: Template
  /** How often it was used in the last 30 days; null: not loaded yet. */
  uses: number | null
  onMake(beginning: Beginning): void
  /** Only for the merchant's own templates. */
  onRemove?: (template: Template) => void
}

export function TemplateCard({ template, uses, onMake, onRemove }: CardProps) {
  const words = useWords()
  const { copyOf, duplicate, unregisteredMark } = useBuilderWords()
  const here = useHere()
  const navigate = useNavigate()
  const title = titleOf(words, template)
  const copy = () =>
    onMake({ kind: 'copy', template, title: copyOf(title), description: descriptionOf(words, template) })
  const more: RowAction[] = [
    { label: duplicate, icon: 'plus', onChoose: copy },
    { label: words.templates.copyKey, icon: 'copy', onChoose: () => void navigator.clipboard.writeText(template.key) },
    {
      label: words.links.create,
      icon: 'links',
      onChoose: () => navigate(here.page(`/links?${new URLSearchParams({ new: template.key })}`)),
    },
    ...(onRemove === undefined
      ? []
      : [
          {
            label: words.templates.remove,
            icon: 'remove',
            isDanger: true,
            onChoose: () => onRemove(template),
          } as const,
        ]),
  ]
  return (
    <article className="flex flex-col rounded-2xl border border-line bg-surface p-4">
      <div className="flex items-start justify-between gap-3">
        <h3 className="pt-1 text-base font-semibold">{title}</h3>
        {here.mayChange && (
          <span className="flex shrink-0 items-center gap-1">
            {onRemove !== undefined && (
              <button
                type="button"
                aria-label={`${words.templates.edit}: ${template.key}`}
                title={words.templates.edit}
                onClick={() => onMake({ kind: 'edit', template })}
                className="grid size-10 place-items-center rounded-lg text-soft hover:bg-sunken hover:text-ink sm:size-8"
              >
                <Icon name="edit" className="size-4.5" />
              </button>
            )}
            <RowMenu label={`${words.templates.more}: ${template.key}`} actions={more} />
          </span>
        )}
      </div>
      <p className="mb-2 text-sm">{descriptionOf(words, template)}</p>
      <Documents template={template} />
      <QuestionInWords template={template} />
      {isUncovered(template) && (
        <div className="mt-2">
          <StatusMark name="warning" word={unregisteredMark} />
          <Concerns template={template} />
        </div>
      )}
      <div className="mt-auto flex flex-wrap items-center justify-between gap-x-4 gap-y-2 pt-3">
        <Uses template={template} uses={uses} />
        {here.mayChange && (
          <Link
            to={here.page(`/verifications?${new URLSearchParams({ new: template.key })}`)}
            aria-label={`${words.asking.ask}: ${template.key}`}
            className={`${buttonClass('plain')} ml-auto`}
          >
            <Icon name="run" className="size-4" />
            {words.asking.ask}
          </Link>
        )}
      </div>
    </article>
  )
}

/** The documents that can answer, each once. */
function Documents({ template: { question } }: { template: Template }) {
  const words = useWords()
  const labels = useLabels()
  const types = new Set(question.credentials.flatMap((credential) => credential.types))
  const names = [...new Set([...types].map((type) => documentLabel(labels, type) ?? type))]
  if (names.length === 0) return null
  return <p className="mb-1.5 text-[13px] text-soft wrap-anywhere">{words.templates.documents(names.join(', '))}</p>
}

/** For a built-in template that is not used, concerns are only in the fold. */
export const isUncovered = ({ concerns, in_use: isInUse }: Template) => isInUse && concerns.length > 0

function Concerns({ template: { concerns } }: { template: Template }) {
  return concerns.map((concern) => (
    <p key={concern.reason.code} className="mt-1.5 text-sm text-soft">
      <ConcernText concern={concern} form="missing" />
    </p>
  ))
}

/** Folded, because the description already summarizes it. */
function QuestionInWords({ template }: { template: Template }) {
  const words = useWords()
  const unregistered = template.concerns.flatMap((concern) => concern.unregistered)
  return (
    <details className="text-sm">
      <summary className="min-h-6 text-accent">{words.templates.inDetail}</summary>
      <div className="mt-2">
        <PlainQuestion question={template.question} warn={!template.built_in} />
        {!isUncovered(template) && <Concerns template={template} />}
        {unregistered.length > 0 && <TechnicalClaims claims={unregistered} />}
      </div>
    </details>
  )
}

function Uses({ template, uses }: { template: Template; uses: number | null }) {
  const { words, language } = usePreferences()
  const here = useHere()
  if (uses === null) return <span />
  const text = words.templates.uses(uses, new Intl.NumberFormat(language).format(uses))
  return uses === 0 ? (
    <span className="text-sm text-soft">{text}</span>
  ) : (
    <Link
      to={here.page(`/verifications?${new URLSearchParams({ template: template.key })}`)}
      className="text-sm text-accent underline tabular-nums"
    >
      {text}
    </Link>
  )
}
