// A template being written: judged by the service with every pause, and shown as the holder will meet it.

import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useDeferredValue, useId, useState } from 'react'
import type { Template } from '../answers.ts'
import { pathOf, post } from '../api.ts'
import { useWords } from '../preferences.tsx'
import { useAct, useAnswer, useHere } from '../session.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { AreaField, Button, ErrorNote, Note, TextField } from '../ui/parts.tsx'
import { PlainQuestion } from './plain-question.tsx'

const EXAMPLE = {
  credentials: [
    {
      id: 'pid',
      format: 'dc+sd-jwt',
      meta: { vct_values: ['urn:eudi:pid:1'] },
      claims: [{ path: ['given_name'] }],
    },
  ],
}

interface Draft {
  key: string
  title: string
  description: string
  query: string
  outputs: string
  transaction: string
  intendedUse: string
}

export function TemplateEditor({ template, onClose }: { template: Template | null; onClose(): void }) {
  const words = useWords()
  const here = useHere()
  const { terms } = here.me
  const act = useAct()
  const [begun] = useState(() => draftOf(template))
  const [draft, setDraft] = useState(begun)
  const [error, setError] = useState<unknown>(null)
  const [busy, setBusy] = useState(false)
  const document = documentOf(draft)
  const set = (name: keyof Draft) => (event: { currentTarget: { value: string } }) =>
    setDraft({ ...draft, [name]: event.currentTarget.value })
  const save = async (event: FormEvent) => {
    event.preventDefault()
    if (document === null) return
    setBusy(true)
    setError(null)
    try {
      await act(() => post('@/templates/:key', { document }, here.at({ key: draft.key })))
      onClose()
    } catch (caught) {
      setError(caught)
      setBusy(false)
    }
  }
  return (
    <Dialog
      title={template === null ? words.templates.create : template.key}
      onClose={onClose}
      unsaved={draft !== begun}
      wide
    >
      <form onSubmit={save}>
        <ErrorNote error={error} />
        <div className="grid gap-6 lg:grid-cols-2">
          <div>
            <TextField
              label={words.templates.key}
              value={draft.key}
              onChange={set('key')}
              disabled={template !== null}
              pattern={terms.template_key_pattern}
              required
            />
            <TextField
              label={words.templates.name}
              value={draft.title}
              onChange={set('title')}
              maxLength={terms.template_title_length_max}
              required
            />
            <TextField
              label={words.templates.description}
              value={draft.description}
              onChange={set('description')}
              maxLength={terms.template_description_length_max}
            />
            <AreaField label={words.templates.query} value={draft.query} onChange={set('query')} rows={12} required />
            <AreaField label={words.templates.outputs} value={draft.outputs} onChange={set('outputs')} rows={4} />
            <AreaField
              label={words.templates.transaction}
              value={draft.transaction}
              onChange={set('transaction')}
              rows={3}
            />
            <IntendedUse value={draft.intendedUse} onChange={set('intendedUse')} />
          </div>
          <section aria-live="polite">
            <h3 className="mb-3 text-sm font-medium">{words.templates.preview}</h3>
            {document === null ? (
              <Note tone="warn">{words.templates.notJson}</Note>
            ) : (
              <Judged name={draft.key === '' ? 'new' : draft.key} document={document} />
            )}
          </section>
        </div>
        <div className="mt-4 flex justify-end gap-2">
          <Button onClick={onClose}>{words.cancel}</Button>
          <Button type="submit" tone="primary" busy={busy} disabled={document === null}>
            {words.save}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

/** Those that are registered are offered; another may be written before its certificate is there. */
function IntendedUse(field: { value: string; onChange(event: { currentTarget: { value: string } }): void }) {
  const { templates: words } = useWords()
  const known = useAnswer('@/registration').data?.certificates.map(({ intended_use: use }) => use) ?? []
  const id = useId()
  return (
    <>
      <TextField
        label={words.intendedUse}
        hint={words.intendedUseHint}
        maxLength={200}
        pattern="[\x21-\x7e]+"
        list={id}
        {...field}
      />
      <datalist id={id}>
        {[...new Set(known)].map((use) => (
          <option key={use} value={use} />
        ))}
      </datalist>
    </>
  )
}

const draftOf = (template: Template | null): Draft => ({
  key: template?.key ?? '',
  title: template?.title ?? '',
  description: template?.description ?? '',
  query: JSON.stringify(template?.query ?? EXAMPLE, null, 2),
  outputs: template?.outputs == null ? '' : JSON.stringify(template.outputs, null, 2),
  transaction: template?.transaction == null ? '' : JSON.stringify(template.transaction, null, 2),
  intendedUse: template?.intended_use ?? '',
})

/** null while it is no JSON. */
function documentOf(draft: Draft): object | null {
  try {
    return {
      title: draft.title === '' ? draft.key || 'new' : draft.title,
      description: draft.description,
      query: JSON.parse(draft.query),
      ...(draft.outputs.trim() === '' ? {} : { outputs: JSON.parse(draft.outputs) }),
      ...(draft.transaction.trim() === '' ? {} : { transaction: JSON.parse(draft.transaction) }),
      ...(draft.intendedUse === '' ? {} : { intended_use: draft.intendedUse }),
    }
  } catch {
    return null
  }
}

function Judged({ name, document }: { name: string; document: object }) {
  const here = useHere()
  const text = useDeferredValue(JSON.stringify({ key: name, document }))
  const preview = useQuery({
    queryKey: ['preview', pathOf('@', here.at()), text],
    queryFn: () => post('@/templates/preview', JSON.parse(text), here.at()),
    placeholderData: (before) => before,
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (preview.error !== null) return <ErrorNote error={preview.error} />
  if (preview.data === undefined) return null
  if (preview.data.outcome === 'invalid') return <Note tone="warn">{preview.data.problem}</Note>
  return <PlainQuestion question={preview.data.question} warn />
}
