// A member of the staff asks a holder: a few fields, then the page of the new verification with its link and QR code.

import { type FormEvent, useRef, useState } from 'react'
import { useNavigate } from 'react-router'
import { type PostBody, post } from '../../api.ts'
import { useWords } from '../../preferences.tsx'
import { useAct, useAnswer, useHere } from '../../session.tsx'
import { titleOf } from '../../template-titles.ts'
import { Dialog, DialogFoot } from '../../ui/dialog.tsx'
import { Button, ErrorNote, Note, SelectField, Skeleton, TextField } from '../../ui/parts.tsx'

const MINUTES = [5, 15, 30, 60]

/** `template`: the one to begin with; nothing: the likeliest. */
export function NewVerification({ template: asked, onClose }: { template: string; onClose(): void }) {
  const words = useWords()
  const here = useHere()
  const templates = useAnswer('@/templates')
  const [written, setWritten] = useState({ template: asked, purpose: '', reference: '', minutes: '60' })
  const { error, busy, create } = useCreation()
  const { terms } = here.me
  const { asking } = words
  const set = (name: keyof typeof written) => (event: { currentTarget: { value: string } }) =>
    setWritten({ ...written, [name]: event.currentTarget.value })
  // One's own were made to be asked; of the others the commonest is 18.
  const known = (templates.data?.data ?? []).toSorted((a, b) => Number(a.built_in) - Number(b.built_in))
  const first = known.find(({ built_in, key }) => !built_in || key === 'age_over_18') ?? known[0]
  const template = known.find(({ key }) => key === written.template)?.key ?? first?.key ?? ''
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create({
      template,
      ttl_seconds: Number(written.minutes) * 60,
      ...optional('purpose', written.purpose),
      ...optional('reference', written.reference),
    })
  }
  const unsaved = written.purpose !== '' || written.reference !== ''
  return (
    <Dialog title={asking.create} onClose={onClose} unsaved={unsaved && !busy}>
      <form onSubmit={submit}>
        <p className="mb-5 text-soft">{asking.lead}</p>
        {here.environment === 'live' && <Note tone="warn">{asking.leadLive}</Note>}
        <ErrorNote error={templates.error} again={() => templates.refetch()} />
        {templates.data === undefined ? (
          templates.error === null && <Skeleton lines={2} />
        ) : (
          <SelectField label={asking.template} value={template} onChange={set('template')}>
            {known.map((one) => (
              <option key={one.key} value={one.key}>
                {titleOf(words, one)}
              </option>
            ))}
          </SelectField>
        )}
        <TextField
          label={`${asking.purpose} (${asking.optional})`}
          hint={asking.purposeHint}
          placeholder={asking.purposeExample}
          maxLength={terms.purpose_length_max}
          autoComplete="off"
          value={written.purpose}
          onChange={set('purpose')}
        />
        <TextField
          label={`${asking.reference} (${asking.optional})`}
          hint={asking.referenceHint}
          placeholder={asking.referenceExample}
          maxLength={terms.reference_length_max}
          autoComplete="off"
          value={written.reference}
          onChange={set('reference')}
        />
        <SelectField label={asking.expiry} value={written.minutes} onChange={set('minutes')}>
          {MINUTES.filter((minutes) => minutes * 60 <= terms.ttl_seconds_max).map((minutes) => (
            <option key={minutes} value={minutes}>
              {asking.minutes(minutes)}
            </option>
          ))}
        </SelectField>
        <DialogFoot note={<ErrorNote error={error} />}>
          <Button onClick={onClose}>{words.cancel}</Button>
          <Button type="submit" tone="primary" busy={busy} disabled={template === ''}>
            {asking.submit}
          </Button>
        </DialogFoot>
      </form>
    </Dialog>
  )
}

const optional = (name: string, text: string) => (text.trim() === '' ? {} : { [name]: text.trim() })

/** Makes it and goes to its page. The same request has the same key, however often it is sent. */
function useCreation() {
  const here = useHere()
  const act = useAct()
  const navigate = useNavigate()
  const [error, setError] = useState<unknown>(null)
  const [busy, setBusy] = useState(false)
  const sent = useRef({ text: '', key: '' })
  const create = async (request: Omit<PostBody<'@/verifications'>, 'idempotency_key'>) => {
    const text = JSON.stringify(request)
    if (sent.current.text !== text) sent.current = { text, key: crypto.randomUUID() }
    const body = { ...request, idempotency_key: sent.current.key }
    setBusy(true)
    setError(null)
    try {
      const { id } = await act(() => post('@/verifications', body, here.at()))
      navigate(here.page(`/verifications/${id}`))
    } catch (caught) {
      setError(caught)
      setBusy(false)
    }
  }
  return { error, busy, create }
}
