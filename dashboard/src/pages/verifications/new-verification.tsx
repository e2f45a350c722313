// Starts a verification from the dashboard, then opens its page with the link and QR code.

import { type FormEvent, useRef, useState } from 'react'
import { useNavigate } from 'react-router'
import { type PostBody, post } from '../../api.ts'
import { useWords } from '../../preferences.tsx'
import { useAct, useHere } from '../../session.tsx'
import { Dialog, DialogFoot } from '../../ui/dialog.tsx'
import { Form } from '../../ui/form.tsx'
import { Button, ErrorNote, Note, SelectField } from '../../ui/parts.tsx'
import { PurposeAndReference, TemplateChoice } from './asking-fields.tsx'

const MINUTES = [5, 15, 30, 60]

/** `template`: the preselected template; empty: preselects the most likely. */
export function NewVerification({ template, onClose }: { template: string; onClose(): void }) {
  const words = useWords()
  const here = useHere()
  const [unsaved, setUnsaved] = useState(false)
  const { error, busy, create } = useCreation()
  const { asking } = words
  const submit = (event: FormEvent<HTMLFormElement>) => {
    const fields = new FormData(event.currentTarget)
    const text = (name: string) => String(fields.get(name) ?? '').trim()
    const optional = (name: string) => (text(name) === '' ? {} : { [name]: text(name) })
    create({
      template: text('template'),
      ttl_seconds: Number(text('minutes')) * 60,
      ...optional('purpose'),
      ...optional('reference'),
    })
  }
  return (
    <Dialog title={asking.create} onClose={onClose} unsaved={unsaved && !busy}>
      <Form onSubmit={submit} onInput={() => setUnsaved(true)}>
        <p className="mb-5 text-soft">{asking.lead}</p>
        {here.environment === 'live' && <Note tone="warn">{asking.leadLive}</Note>}
        <TemplateChoice template={template} />
        <PurposeAndReference />
        <SelectField label={asking.expiry} name="minutes" defaultValue="60">
          {MINUTES.filter((minutes) => minutes * 60 <= here.me.terms.ttl_seconds_max).map((minutes) => (
            <option key={minutes} value={minutes}>
              {asking.minutes(minutes)}
            </option>
          ))}
        </SelectField>
        <DialogFoot note={<ErrorNote error={error} />}>
          <Button onClick={onClose}>{words.cancel}</Button>
          <Button type="submit" tone="primary" busy={busy}>
            {asking.submit}
          </Button>
        </DialogFoot>
      </Form>
    </Dialog>
  )
}

/** Creates the verification and opens its page. A retry of the same request uses the same idempotency key. */
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
