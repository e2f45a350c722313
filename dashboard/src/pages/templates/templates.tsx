// Templates: what each asks in plain words; the tenant's own are written and judged here.

import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { Link, useNavigate } from 'react-router'
import { documentLabel } from '../../../../labels/catalogue.ts'
import type { Template } from '../../../../wire/templates.ts'
import { get, pathOf, post } from '../../api.ts'
import { useLabels } from '../../labels.ts'
import { usePreferences, useWords } from '../../preferences.tsx'
import { useAct, useAnswer, useHere } from '../../session.tsx'
import { useTitle } from '../../shell.tsx'
import { descriptionOf, titleOf } from '../../template-titles.ts'
import { Confirm } from '../../ui/dialog.tsx'
import { Icon } from '../../ui/icon.tsx'
import { useNarrow } from '../../ui/narrow.ts'
import { Button, buttonClass, Card, Empty, ErrorNote, Mono, Note, PageTitle, Skeleton } from '../../ui/parts.tsx'
import { type RowAction, RowMenu } from '../../ui/row-menu.tsx'
import { sumOf } from '../../ui/stacked-bars.tsx'
import { ConcernText } from '../registration/problem.tsx'
import { PlainQuestion } from '../verifications/plain-question.tsx'
import type { Beginning } from './builder/draft.ts'
import { useBuilderWords } from './builder/words.ts'

const TemplateBuilder = lazy(async () => ({ default: (await import('./builder/builder.tsx')).TemplateBuilder }))

export function TemplatesPage() {
  const words = useWords()
  const here = useHere()
  useTitle(words.templates.title)
  const templates = useAnswer('@/templates')
  const [making, setMaking] = useState<Beginning | null>(null)
  const [removing, setRemoving] = useState<Template | null>(null)
  const figures = useAnswer('@/figures', { query: new URLSearchParams({ span: 'month' }) })
  const usesOf = ({ key }: Template) => {
    if (figures.data === undefined) return null
    const found = figures.data.templates.find((one) => one.template === key)
    return found === undefined ? 0 : sumOf(found)
  }
  const all = templates.data?.data ?? []
  const own = all.filter((template) => !template.built_in)
  return (
    <>
      <PageTitle title={words.templates.title} lead={words.templates.lead}>
        {here.mayChange && (
          <Button icon="plus" tone="primary" onClick={() => setMaking({ kind: 'new' })}>
            {words.templates.create}
          </Button>
        )}
      </PageTitle>
      <ErrorNote error={templates.error} again={() => templates.refetch()} />
      {templates.data === undefined && templates.error === null && <Skeleton lines={6} />}
      {templates.data !== undefined && (
        <>
          <h2 className="mb-3 font-semibold">{words.templates.own}</h2>
          {here.environment === 'live' && here.mayChange && <OnlyInTest own={own} onMake={setMaking} />}
          {own.length === 0 && (
            <div className="mb-8">
              <Empty title={words.templates.emptyOwn}>
                <p>{words.templates.emptyOwnLead}</p>
                {here.mayChange && (
                  <Button className="mt-5" onClick={() => setMaking({ kind: 'new' })}>
                    {words.templates.first}
                  </Button>
                )}
              </Empty>
            </div>
          )}
          <div className={`mb-8 ${GRID}`}>
            {own.map((template) => (
              <TemplateCard
                key={template.key}
                {...{ template, uses: usesOf(template) }}
                onMake={setMaking}
                onRemove={setRemoving}
              />
            ))}
          </div>
          <h2 className="mb-3 font-semibold">{words.templates.builtIn}</h2>
          <BuiltIn templates={all.filter((template) => template.built_in)} usesOf={usesOf} onMake={setMaking} />
        </>
      )}
      {making !== null && (
        <Suspense fallback={<Skeleton lines={2} />}>
          <TemplateBuilder beginning={making} onClose={() => setMaking(null)} />
        </Suspense>
      )}
      {removing !== null && <Remove template={removing} onClose={() => setRemoving(null)} />}
    </>
  )
}

const GRID = 'grid gap-3 sm:grid-cols-2 xl:grid-cols-3'

interface BuiltInProps {
  templates: readonly Template[]
  usesOf(template: Template): number | null
  onMake(beginning: Beginning): void
}

/** On a phone those that are in use come first, and the others are folded. */
function BuiltIn({ templates, usesOf, onMake }: BuiltInProps) {
  const words = useWords()
  const isNarrow = useNarrow()
  const cards = (shown: readonly Template[]) => (
    <div className={GRID}>
      {shown.map((template) => (
        <TemplateCard key={template.key} {...{ template, uses: usesOf(template) }} onMake={onMake} />
      ))}
    </div>
  )
  const used = templates.filter((template) => (usesOf(template) ?? 0) > 0)
  if (!isNarrow || used.length === 0) return cards(templates)
  return (
    <>
      {cards(used)}
      <details className="mt-4">
        <summary className="flex min-h-11 items-center text-sm font-medium text-accent">{words.templates.rest}</summary>
        <div className="mt-2">{cards(templates.filter((template) => !used.includes(template)))}</div>
      </details>
    </>
  )
}

/** A template of the test environment that this one lacks: it can be found here and copied. */
function OnlyInTest({ own, onMake }: { own: readonly Template[]; onMake(beginning: Beginning): void }) {
  const words = useWords()
  const here = useHere()
  const at = { ...here.at(), environment: 'test' } as const
  const inTest = useQuery({ queryKey: ['at', pathOf('@/templates', at)], queryFn: () => get('@/templates', at) })
  const missing = (inTest.data?.data ?? []).filter(
    ({ built_in, key }) => !built_in && own.every((template) => template.key !== key),
  )
  if (inTest.error !== null) return <ErrorNote error={inTest.error} again={() => inTest.refetch()} />
  if (missing.length === 0) return null
  return (
    <div className="mb-5">
      <Card title={words.templates.onlyInTest}>
        <p className="mb-3 text-soft">{words.templates.onlyInTestLead}</p>
        <ul className="divide-y divide-line">
          {missing.map((template) => (
            <li key={template.key} className="flex flex-wrap items-center justify-between gap-2 py-2">
              <span>
                {template.title} <Mono>{template.key}</Mono>
              </span>
              <Button
                aria-label={`${words.templates.take}: ${template.key}`}
                onClick={() => onMake({ kind: 'take', template })}
              >
                {words.templates.take}
              </Button>
            </li>
          ))}
        </ul>
      </Card>
    </div>
  )
}

interface CardProps {
  template: Template
  /** In the last 30 days; null: not known yet. */
  uses: number | null
  onMake(beginning: Beginning): void
  /** Of one's own alone. */
  onRemove?: (template: Template) => void
}

function TemplateCard({ template, uses, onMake, onRemove }: CardProps) {
  const words = useWords()
  const { copyOf, duplicate } = useBuilderWords()
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
        {here.mayChange && <RowMenu label={`${words.templates.more}: ${template.key}`} actions={more} />}
      </div>
      <p className="mb-2 text-sm">{descriptionOf(words, template)}</p>
      <Documents template={template} />
      <QuestionInWords template={template} />
      {template.concerns.map((concern) => (
        <Note key={concern.reason.code} tone="warn">
          <ConcernText concern={concern} />
        </Note>
      ))}
      <div className="mt-auto flex flex-wrap items-center justify-between gap-x-4 gap-y-2 pt-3">
        <Uses template={template} uses={uses} />
        {here.mayChange && (
          <span className="flex flex-wrap gap-2">
            {onRemove !== undefined && (
              <Button
                aria-label={`${words.templates.edit}: ${template.key}`}
                onClick={() => onMake({ kind: 'edit', template })}
              >
                {words.templates.edit}
              </Button>
            )}
            <Link
              to={here.page(`/verifications?${new URLSearchParams({ new: template.key })}`)}
              aria-label={`${words.asking.ask}: ${template.key}`}
              className={buttonClass('plain')}
            >
              <Icon name="run" className="size-4" />
              {words.asking.ask}
            </Link>
          </span>
        )}
      </div>
    </article>
  )
}

/** The documents that can answer it, each once. */
function Documents({ template: { question } }: { template: Template }) {
  const { words, language } = usePreferences()
  const labels = useLabels()
  const types = new Set(question.credentials.flatMap((credential) => credential.types))
  const names = [...new Set([...types].map((type) => documentLabel(labels, type) ?? type))]
  if (names.length === 0) return null
  const list = new Intl.ListFormat(language, { type: 'disjunction' }).format(names)
  return <p className="mb-1.5 text-[13px] text-soft wrap-anywhere">{words.templates.documents(list)}</p>
}

/** Folded: the description says what it is about. */
function QuestionInWords({ template }: { template: Template }) {
  const words = useWords()
  return (
    <details className="text-sm">
      <summary className="min-h-6 text-accent">{words.templates.inDetail}</summary>
      <div className="mt-2">
        <PlainQuestion question={template.question} warn={!template.built_in} />
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

function Remove({ template, onClose }: { template: Template; onClose(): void }) {
  const words = useWords()
  const here = useHere()
  const act = useAct()
  return (
    <Confirm
      title={words.templates.removeTitle(template.key)}
      lead={words.templates.removeLead}
      word={words.templates.remove}
      onClose={onClose}
      action={() => act(() => post('@/templates/:key/remove', {}, here.at({ key: template.key })))}
    />
  )
}
