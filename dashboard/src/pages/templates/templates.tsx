// The page of templates: built-in ones and the merchant's own, with the builder.

import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { Link, useSearchParams } from 'react-router'
import type { Template } from '../../../../wire/templates.ts'
import { get, pathOf, post } from '../../api.ts'
import { useWords } from '../../preferences.tsx'
import { useAct, useAnswer, useHere } from '../../session.tsx'
import { useTitle } from '../../shell.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { useNarrow } from '../../ui/narrow.ts'
import { Button, Card, Empty, ErrorNote, Mono, Note, PageTitle, Skeleton } from '../../ui/parts.tsx'
import { sumOf } from '../../ui/stacked-bars.tsx'
import { TEMPLATES_ID } from '../registration/registration-templates.tsx'
import type { Beginning } from './builder/draft.ts'
import { useBuilderWords } from './builder/words.ts'
import { isUncovered, TemplateCard } from './template-card.tsx'

const TemplateBuilder = lazy(async () => ({ default: (await import('./builder/builder.tsx')).TemplateBuilder }))

export function TemplatesPage() {
  const words = useWords()
  const here = useHere()
  const pageWords = useBuilderWords()
  useTitle(words.templates.title)
  const templates = useAnswer('@/templates')
  const [chosen, setChosen] = useState<Beginning | null>(null)
  const [params, setParams] = useSearchParams()
  const [removing, setRemoving] = useState<Template | null>(null)
  const figures = useAnswer('@/figures', { query: new URLSearchParams({ span: 'month' }) })
  const usesOf = ({ key }: Template) => {
    // In an environment without verifications, "unused for 30 days" says nothing.
    if (figures.data === undefined || sumOf(figures.data.total) === 0) return null
    const found = figures.data.templates.find((one) => one.template === key)
    return found === undefined ? 0 : sumOf(found)
  }
  const all = templates.data?.data ?? []
  const own = all.filter((template) => !template.built_in)
  const linked = here.mayChange ? own.find(({ key }) => key === params.get('edit')) : undefined
  const making: Beginning | null = chosen ?? (linked === undefined ? null : { kind: 'edit', template: linked })
  const setMaking = (beginning: Beginning | null) => {
    setChosen(beginning)
    if (beginning === null && params.has('edit')) setParams({}, { replace: true })
  }
  const uncovered = all.filter(isUncovered).length
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
          {uncovered > 0 && (
            <div className="mb-6">
              <Note tone="warn">
                {pageWords.uncovered(uncovered)}{' '}
                <Link to={here.page(`/registration#${TEMPLATES_ID}`)} className="font-medium underline">
                  {pageWords.toRegistration}
                </Link>
              </Note>
            </div>
          )}
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

/** On a phone, templates in use come first and the rest is folded. */
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

/** Templates of test that this environment lacks, with a button to copy them. */
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
