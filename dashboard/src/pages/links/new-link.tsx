// Creates a link: what it asks, for how many people, and when it works.

import { type FormEvent, useRef, useState } from 'react'
import type { CreatedLink } from '../../../../wire/links.ts'
import { post } from '../../api.ts'
import { usePageWords, useWords } from '../../preferences.tsx'
import { useAct, useHere } from '../../session.tsx'
import { useSubmit } from '../../submit.ts'
import { DateField } from '../../ui/date-field.tsx'
import { Dialog, DialogFoot } from '../../ui/dialog.tsx'
import { Form } from '../../ui/form.tsx'
import { instantOf, localOf } from '../../ui/local-time.ts'
import { Button, ChoiceCard, ErrorNote, Note, TextField } from '../../ui/parts.tsx'
import { linkWords } from '../../words/links.ts'
import { Purpose, TemplateChoice } from '../verifications/asking-fields.tsx'

const KINDS = ['once', 'several', 'any'] as const
type Kind = (typeof KINDS)[number]

const DAY_MS = 86_400_000
const STANDARD_DAYS = 7
const STANDARD_USES = 50

/** `template`: the preselected template; empty: preselects the most likely. */
export function NewLink(props: { template: string; onClose(): void; onCreated(link: CreatedLink): void }) {
  const { template, onClose, onCreated } = props
  const words = useWords()
  const pageWords = usePageWords(linkWords)
  const here = useHere()
  const act = useAct()
  const { busy, error, run } = useSubmit()
  const [unsaved, setUnsaved] = useState(false)
  const [kind, setKind] = useState<Kind>('once')
  const sent = useRef({ text: '', key: '' })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    const request = requestOf(new FormData(event.currentTarget))
    const text = JSON.stringify(request)
    // A retry of the same request uses the same key.
    if (sent.current.text !== text) sent.current = { text, key: crypto.randomUUID() }
    const body = { ...request, idempotency_key: sent.current.key }
    void run(async () => onCreated(await act(() => post('@/links', body, here.at()))))
  }
  return (
    <Dialog title={words.links.create} onClose={onClose} unsaved={unsaved && !busy}>
      <Form onSubmit={submit} onChange={() => setUnsaved(true)}>
        <p className="mb-5 text-soft">{pageWords.createLead}</p>
        {here.environment === 'live' && <Note tone="warn">{pageWords.leadLive}</Note>}
        <TextField
          label={pageWords.name}
          hint={pageWords.nameHint}
          name="reference"
          placeholder={pageWords.nameExample}
          maxLength={here.me.terms.reference_length_max}
          autoComplete="off"
          required
        />
        <TemplateChoice template={template} />
        <fieldset className="mb-4">
          <legend className="mb-1 text-sm font-medium">{pageWords.who}</legend>
          <div className="grid gap-2 sm:grid-cols-3">
            {KINDS.map((one) => (
              <ChoiceCard
                key={one}
                name="kind"
                value={one}
                checked={kind === one}
                onChange={() => setKind(one)}
                label={pageWords.kinds[one][0] ?? ''}
                hint={pageWords.kinds[one][1]}
              />
            ))}
          </div>
        </fieldset>
        {kind === 'several' && (
          <TextField
            label={pageWords.uses}
            name="uses"
            type="number"
            min={1}
            max={here.me.terms.link_uses_max}
            defaultValue={STANDARD_USES}
            required
          />
        )}
        <Purpose />
        <Period />
        <DialogFoot note={<ErrorNote error={error} />}>
          <Button onClick={onClose}>{words.cancel}</Button>
          <Button type="submit" tone="primary" busy={busy}>
            {pageWords.submit}
          </Button>
        </DialogFoot>
      </Form>
    </Dialog>
  )
}

function Period() {
  const pageWords = usePageWords(linkWords)
  const { link_days_max: daysMax, link_starts_within_days: withinDays } = useHere().me.terms
  const [now] = useState(() => Date.now())
  const [starts, setStarts] = useState('')
  const startMs = starts === '' ? now : Date.parse(instantOf(starts))
  const inDays = (from: number, days: number) => localOf(new Date(from + days * DAY_MS).toISOString())
  return (
    <div className="grid gap-x-4 sm:grid-cols-2">
      <DateField
        label={pageWords.starts}
        hint={pageWords.startsHint}
        name="starts"
        withTime
        max={inDays(now, withinDays)}
        value={starts}
        onChange={setStarts}
      />
      <DateField
        // The default end depends on the start.
        key={starts}
        label={pageWords.ends}
        hint={pageWords.endsHint(daysMax)}
        name="ends"
        withTime
        min={inDays(startMs, 0)}
        max={inDays(startMs, daysMax)}
        defaultValue={inDays(startMs, STANDARD_DAYS)}
        required
      />
    </div>
  )
}

function requestOf(fields: FormData) {
  const text = (name: string) => String(fields.get(name) ?? '').trim()
  const optional = (name: string, value: string) => (value === '' ? {} : { [name]: value })
  const kind = text('kind') as Kind
  return {
    template: text('template'),
    ...optional('purpose', text('purpose')),
    ...optional('reference', text('reference')),
    uses: { once: 1, several: Number(text('uses')), any: null }[kind],
    ...optional('starts_at', instantOf(text('starts'))),
    ends_at: instantOf(text('ends')),
  }
}
