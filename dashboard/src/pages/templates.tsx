// Templates: what each asks in plain words; the tenant's own are written and judged here.

import { useState } from 'react'
import type { Template } from '../answers.ts'
import { post } from '../api.ts'
import { useWords } from '../preferences.tsx'
import { useAct, useAnswer, useHere } from '../session.tsx'
import { useTitle } from '../shell.tsx'
import { descriptionOf, titleOf } from '../template-titles.ts'
import { Confirm } from '../ui/dialog.tsx'
import { Button, Card, ErrorNote, Mono, Note, PageTitle, Skeleton } from '../ui/parts.tsx'
import { PlainQuestion } from './plain-question.tsx'
import { TemplateEditor } from './template-editor.tsx'

export function TemplatesPage() {
  const words = useWords()
  const here = useHere()
  useTitle(words.templates.title)
  const templates = useAnswer('@/templates')
  const [editing, setEditing] = useState<Template | 'new' | null>(null)
  const [removing, setRemoving] = useState<Template | null>(null)
  const all = templates.data?.data ?? []
  const own = all.filter((template) => !template.built_in)
  return (
    <>
      <PageTitle title={words.templates.title} lead={words.templates.lead}>
        {here.mayChange && (
          <Button tone="primary" onClick={() => setEditing('new')}>
            {words.templates.create}
          </Button>
        )}
      </PageTitle>
      <ErrorNote error={templates.error} again={() => templates.refetch()} />
      {templates.data === undefined && templates.error === null && <Skeleton lines={6} />}
      {templates.data !== undefined && (
        <>
          <h2 className="mb-3 font-semibold">{words.templates.own}</h2>
          {own.length === 0 && <p className="mb-8 text-soft">{words.templates.emptyOwn}</p>}
          <div className="mb-8 grid gap-4 xl:grid-cols-2">
            {own.map((template) => (
              <TemplateCard key={template.key} template={template} onEdit={setEditing} onRemove={setRemoving} />
            ))}
          </div>
          <h2 className="mb-3 font-semibold">{words.templates.builtIn}</h2>
          <div className="grid gap-4 xl:grid-cols-2">
            {all
              .filter((template) => template.built_in)
              .map((template) => (
                <TemplateCard key={template.key} template={template} />
              ))}
          </div>
        </>
      )}
      {editing !== null && (
        <TemplateEditor template={editing === 'new' ? null : editing} onClose={() => setEditing(null)} />
      )}
      {removing !== null && <Remove template={removing} onClose={() => setRemoving(null)} />}
    </>
  )
}

interface CardProps {
  template: Template
  onEdit?: (template: Template) => void
  onRemove?: (template: Template) => void
}

function TemplateCard({ template, onEdit, onRemove }: CardProps) {
  const words = useWords()
  const here = useHere()
  return (
    <Card>
      <div className="mb-2 flex flex-wrap items-start justify-between gap-2">
        <div>
          <h3 className="font-medium">{titleOf(words, template)}</h3>
          <Mono>{template.key}</Mono>
        </div>
        {here.mayChange && onEdit !== undefined && onRemove !== undefined && (
          <div className="flex gap-2">
            <Button aria-label={`${words.templates.edit}: ${template.key}`} onClick={() => onEdit(template)}>
              {words.templates.edit}
            </Button>
            <Button
              tone="danger"
              aria-label={`${words.templates.remove}: ${template.key}`}
              onClick={() => onRemove(template)}
            >
              {words.templates.remove}
            </Button>
          </div>
        )}
      </div>
      <p className="mb-3 text-soft">{descriptionOf(words, template)}</p>
      <PlainQuestion question={template.question} warn={!template.built_in} />
      {template.concerns.map(({ message }) => (
        <Note key={message} tone="warn">
          <span lang="en">{message}</span>
        </Note>
      ))}
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
