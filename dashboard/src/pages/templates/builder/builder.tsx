// The template builder: choices or JSON, with a live check and preview; saves and tries the template.

import { useId, useRef, useState } from 'react'
import { useNavigate } from 'react-router'
import { answerLabel } from '../../../../../labels/catalogue.ts'
import { post } from '../../../api.ts'
import { useLabels } from '../../../labels.ts'
import { useWords } from '../../../preferences.tsx'
import { useAct, useAnswer, useHere } from '../../../session.tsx'
import { Dialog, DialogFoot } from '../../../ui/dialog.tsx'
import { Form } from '../../../ui/form.tsx'
import { Button, ErrorNote, Note, TextField } from '../../../ui/parts.tsx'
import { Choices, Section } from './choices.tsx'
import {
  type Beginning,
  type Draft,
  documentOf,
  draftOf,
  isBeyondChoices,
  keyFrom,
  turnedTo,
  type Written,
} from './draft.ts'
import { JsonEditor, type LineFault } from './json-editor.tsx'
import { AdviceSection, Preview, useJudgement } from './preview.tsx'
import { type Invalid, TemplateProblemText } from './problem.tsx'
import { useBuilderWords } from './words.ts'

/** On a phone the preview is below the form, and a button leads to it. */
const PREVIEW = 'template-preview'

export function TemplateBuilder({ beginning, onClose }: { beginning: Beginning; onClose(): void }) {
  const all = useWords()
  const words = useBuilderWords()
  const [begun] = useState(() => draftOf(beginning))
  const [draft, setDraft] = useState(begun)
  const [phone, setPhone] = useState(true)
  const written = documentOf(draft)
  const { judged, error, isCurrent } = useJudgement({
    key: draft.key,
    document: written.outcome === 'document' ? written.document : null,
    phone,
  })
  const change = (part: Partial<Draft>) => setDraft((before) => ({ ...before, ...part }))
  const choose = useChoosing(draft, change)
  const invalid = judged?.outcome === 'invalid' && isCurrent ? judged : null
  const fault = useFault(written, invalid)
  const saving = useSaving(draft, written, onClose)
  const submit = () => {
    saving.save('save')
  }
  const titles = {
    new: () => all.templates.create,
    edit: () => words.edit(draft.title),
    copy: () => begun.title,
    take: () => all.templates.takeTitle(begun.title),
  }
  return (
    <Dialog title={titles[beginning.kind]()} onClose={onClose} unsaved={!isSame(draft, saving.saved ?? begun)} full>
      <Form onSubmit={submit}>
        <div className="grid grid-cols-[minmax(0,1fr)] gap-8 lg:grid-cols-[minmax(0,1fr)_26rem] xl:grid-cols-[minmax(0,1fr)_38rem]">
          <div>
            <div className="mb-6 flex flex-wrap items-center justify-between gap-2">
              <Tabs draft={draft} onDraft={setDraft} />
              <Button
                tone="quiet"
                className="lg:hidden"
                onClick={() => document.getElementById(PREVIEW)?.scrollIntoView()}
              >
                {words.toPreview}
              </Button>
            </div>
            {draft.tab === 'json' ? (
              <JsonEditor value={draft.json} onChange={(json) => change({ json })} fault={fault} />
            ) : isBeyondChoices(draft) ? (
              <Note tone="warn">
                <p className="mb-3">{words.beyond}</p>
                <Button onClick={() => change({ json: '' })}>{words.startOver}</Button>
              </Note>
            ) : (
              <Choices
                choice={draft.choice}
                onChange={choose}
                advice={
                  written.outcome === 'document' && (
                    <AdviceSection judged={judged} choice={draft.choice} onChoice={choose} />
                  )
                }
              />
            )}
            <Names draft={draft} change={change} isNew={beginning.kind !== 'edit'} />
          </div>
          <section id={PREVIEW} aria-label={words.preview} className="scroll-mt-16 lg:sticky lg:top-0 lg:self-start">
            {draft.tab === 'choices' && invalid !== null && (
              <Note tone="warn">
                <TemplateProblemText invalid={invalid} />
              </Note>
            )}
            <Preview
              judged={judged}
              error={error}
              isEmpty={written.outcome !== 'document'}
              phone={phone}
              withoutAdvice={draft.tab === 'choices' && !isBeyondChoices(draft)}
              onPhone={setPhone}
              choice={draft.tab === 'choices' ? draft.choice : null}
              onChoice={choose}
            />
          </section>
        </div>
        <DialogFoot note={<ErrorNote error={saving.error} />}>
          <Actions saving={saving} isReady={written.outcome === 'document'} onClose={onClose} />
        </DialogFoot>
      </Form>
    </Dialog>
  )
}

/** Handles choices. Until a title is entered, the title lists what is requested: "Given name, Date of birth". */
function useChoosing({ ownTitle, ownKey }: Draft, change: (part: Partial<Draft>) => void) {
  const labels = useLabels()
  const { template_title_length_max: max } = useHere().me.terms
  return (choice: Draft['choice']) => {
    const title = choice.requested
      .map((one) => answerLabel(labels, one))
      .join(', ')
      .slice(0, max)
    change({ choice, ...(ownTitle ? {} : { title, ...(ownKey ? {} : { key: keyFrom(title) }) }) })
  }
}

const isSame = (one: Draft, other: Draft) =>
  JSON.stringify({ ...one, tab: '' }) === JSON.stringify({ ...other, tab: '' })

/** Returns a fault of the JSON text, or a fault that the service reports. */
function useFault(written: Written, invalid: Invalid | null): LineFault | null {
  const words = useBuilderWords()
  if (written.outcome === 'fault') return { line: written.line, text: words.fault[written.fault] }
  if (written.outcome === 'no_object') return { line: 1, text: words.noObject }
  if (written.outcome !== 'document' || invalid === null) return null
  return { line: written.lineOf(invalid.path), text: <TemplateProblemText invalid={invalid} /> }
}

function Tabs({ draft, onDraft }: { draft: Draft; onDraft(draft: Draft): void }) {
  const words = useBuilderWords()
  return (
    <fieldset className="inline-flex rounded-lg bg-sunken p-1">
      <legend className="sr-only">{words.tabs}</legend>
      {(['choices', 'json'] as const).map((tab) => (
        <button
          key={tab}
          type="button"
          aria-pressed={draft.tab === tab}
          onClick={() => onDraft(turnedTo(draft, tab))}
          className={`min-h-9 rounded-md px-4 text-sm ${draft.tab === tab ? 'bg-surface font-semibold shadow-sm dark:bg-line' : 'text-soft'}`}
        >
          {words[tab]}
        </button>
      ))}
    </fieldset>
  )
}

function Names({ draft, change, isNew }: { draft: Draft; change(part: Partial<Draft>): void; isNew: boolean }) {
  const words = useBuilderWords()
  const { terms } = useHere().me
  const setTitle = (title: string) =>
    change({ title, ownTitle: title !== '', ...(draft.ownKey ? {} : { key: keyFrom(title) }) })
  return (
    <Section title={words.name}>
      <TextField
        label={words.title}
        hint={words.titleHint}
        value={draft.title}
        maxLength={terms.template_title_length_max}
        required
        onChange={(event) => setTitle(event.currentTarget.value)}
      />
      <TextField
        label={words.key}
        hint={isNew ? words.keyHint : undefined}
        value={draft.key}
        disabled={!isNew}
        pattern={terms.template_key_pattern}
        required
        spellCheck={false}
        onChange={(event) => change({ key: event.currentTarget.value, ownKey: true })}
      />
      <TextField
        label={words.description}
        value={draft.description}
        maxLength={terms.template_description_length_max}
        onChange={(event) => change({ description: event.currentTarget.value })}
      />
      <IntendedUse value={draft.intendedUse} onChange={(intendedUse) => change({ intendedUse })} />
    </Section>
  )
}

/** Offers the registered uses. Another can be entered before its certificate exists. */
function IntendedUse({ value, onChange }: { value: string; onChange(value: string): void }) {
  const words = useBuilderWords()
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
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      <datalist id={id}>
        {[...new Set(known)].map((use) => (
          <option key={use} value={use} />
        ))}
      </datalist>
    </>
  )
}

interface Saving {
  readonly error: unknown
  readonly busy: 'save' | 'try' | null
  /** The stored template. */
  readonly saved: Draft | null
  save(next: 'save' | 'try'): void
}

function useSaving(draft: Draft, written: Written, onClose: () => void): Saving {
  const here = useHere()
  const act = useAct()
  const navigate = useNavigate()
  const [error, setError] = useState<unknown>(null)
  const [busy, setBusy] = useState<Saving['busy']>(null)
  const [saved, setSaved] = useState<Draft | null>(null)
  const once = useRef('')
  const save = async (next: 'save' | 'try') => {
    if (written.outcome !== 'document') return
    setBusy(next)
    setError(null)
    try {
      await act(() => post('@/templates/:key', { document: written.document }, here.at({ key: draft.key })))
      setSaved(draft)
      if (next === 'try') {
        // A retry after a lost response creates no second verification.
        once.current ||= crypto.randomUUID()
        const request = { template: draft.key, idempotency_key: once.current }
        const { id } = await act(() => post('@/verifications', request, here.at()))
        navigate(here.page(`/verifications/${id}`))
      } else onClose()
    } catch (caught) {
      setError(caught)
      setBusy(null)
    }
  }
  return { error, busy, saved, save }
}

function Actions({ saving, isReady, onClose }: { saving: Saving; isReady: boolean; onClose(): void }) {
  const all = useWords()
  const words = useBuilderWords()
  const here = useHere()
  const isBusy = saving.busy !== null
  return (
    <div className="flex grow flex-wrap justify-end gap-2">
      <Button className="max-sm:hidden" onClick={onClose}>
        {all.cancel}
      </Button>
      {here.environment === 'test' && here.me.service.sandbox && (
        <Button
          title={words.saveAndTryHint}
          className="max-sm:grow"
          busy={saving.busy === 'try'}
          disabled={!isReady || isBusy}
          onClick={(event) => {
            if (event.currentTarget.form?.reportValidity() === true) saving.save('try')
          }}
        >
          {words.saveAndTry}
        </Button>
      )}
      <Button
        type="submit"
        tone="primary"
        className="max-sm:grow"
        busy={saving.busy === 'save'}
        disabled={!isReady || isBusy}
      >
        {all.save}
      </Button>
    </div>
  )
}
