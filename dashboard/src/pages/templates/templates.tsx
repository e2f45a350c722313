// Templates: what each asks in plain words; the tenant's own are written and judged here.

import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { Link } from 'react-router'
import type { Template } from '../../../../wire/templates.ts'
import { get, pathOf, post } from '../../api.ts'
import { useWords } from '../../preferences.tsx'
import { useAct, useAnswer, useHere } from '../../session.tsx'
import { useTitle } from '../../shell.tsx'
import { descriptionOf, titleOf } from '../../template-titles.ts'
import { Confirm } from '../../ui/dialog.tsx'
import { Button, buttonClass, Card, Empty, ErrorNote, Mono, Note, PageTitle, Skeleton } from '../../ui/parts.tsx'
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
          <div className="mb-8 grid gap-4 xl:grid-cols-2">
            {own.map((template) => (
              <TemplateCard key={template.key} template={template} onMake={setMaking} onRemove={setRemoving} />
            ))}
          </div>
          <h2 className="mb-3 font-semibold">{words.templates.builtIn}</h2>
          <div className="grid gap-4 xl:grid-cols-2">
            {all
              .filter((template) => template.built_in)
              .map((template) => (
                <TemplateCard key={template.key} template={template} onMake={setMaking} />
              ))}
          </div>
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
  onMake(beginning: Beginning): void
  /** Of one's own alone. */
  onRemove?: (template: Template) => void
}

function TemplateCard({ template, onMake, onRemove }: CardProps) {
  const words = useWords()
  const { copyOf, duplicate } = useBuilderWords()
  const here = useHere()
  const title = titleOf(words, template)
  const copy = () =>
    onMake({ kind: 'copy', template, title: copyOf(title), description: descriptionOf(words, template) })
  return (
    <Card>
      <div className="flex h-full flex-col">
        <div className="mb-2 flex flex-wrap items-baseline justify-between gap-x-3">
          <h3 className="font-medium">{title}</h3>
          <span className="text-soft">
            <Mono>{template.key}</Mono>
          </span>
        </div>
        <p className="mb-3 text-soft">{descriptionOf(words, template)}</p>
        <PlainQuestion question={template.question} warn={!template.built_in} />
        {template.concerns.map((concern) => (
          <Note key={concern.reason.code} tone="warn">
            <ConcernText concern={concern} />
          </Note>
        ))}
        {here.mayChange && (
          <div className="mt-auto flex flex-wrap gap-2 pt-4">
            <Link
              to={here.page(`/verifications?${new URLSearchParams({ new: template.key })}`)}
              aria-label={`${words.asking.ask}: ${template.key}`}
              className={buttonClass('plain')}
            >
              {words.asking.ask}
            </Link>
            {onRemove !== undefined && (
              <Button
                aria-label={`${words.templates.edit}: ${template.key}`}
                onClick={() => onMake({ kind: 'edit', template })}
              >
                {words.templates.edit}
              </Button>
            )}
            <Button aria-label={`${duplicate}: ${template.key}`} onClick={copy}>
              {duplicate}
            </Button>
            {onRemove !== undefined && (
              <Button
                tone="danger"
                aria-label={`${words.templates.remove}: ${template.key}`}
                onClick={() => onRemove(template)}
              >
                {words.templates.remove}
              </Button>
            )}
          </div>
        )}
      </div>
    </Card>
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
