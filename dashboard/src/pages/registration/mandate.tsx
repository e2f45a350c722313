// Records a mandate by its hash, computed in the browser: document and file name are not sent.

import { type FormEvent, useState } from 'react'
import type { MandateKind } from '../../../../wire/going-live.ts'
import type { RegistrationProblem } from '../../../../wire/registration.ts'
import { post } from '../../api.ts'
import { usePageWords, useWords } from '../../preferences.tsx'
import { useAct, useHere } from '../../session.tsx'
import { useSubmit } from '../../submit.ts'
import { DateField } from '../../ui/date-field.tsx'
import { Dialog, DialogFoot } from '../../ui/dialog.tsx'
import { FileField } from '../../ui/file-field.tsx'
import { Form } from '../../ui/form.tsx'
import { Button, ErrorNote, Mono, SelectField } from '../../ui/parts.tsx'
import { registrationWords } from '../../words/registration.ts'
import { ProblemsNote } from './problem.tsx'

export function RecordMandate({ kinds, onClose }: { kinds: readonly MandateKind[]; onClose(): void }) {
  const all = useWords()
  const { goingLive: words } = usePageWords(registrationWords)
  const here = useHere()
  const act = useAct()
  const [sha256, setSha256] = useState<string | null>(null)
  const { busy, error, run } = useSubmit()
  const [problems, setProblems] = useState<readonly RegistrationProblem[]>([])
  const open = async ([file]: readonly File[]) => {
    setSha256(file === undefined ? null : await hashOf(file))
  }
  const [unsaved, setUnsaved] = useState(false)
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    const form = new FormData(event.currentTarget)
    if (sha256 === null) return
    setProblems([])
    await run(async () => {
      const body = { kind: String(form.get('kind')), sha256, dated: String(form.get('dated')) }
      const answer = await act(() => post('@/going-live/mandate', body, here.at()))
      if (answer.outcome === 'asked') return onClose()
      setProblems(answer.problems)
    })
  }
  return (
    <Dialog title={words.recordTitle} onClose={onClose} unsaved={unsaved}>
      <Form onSubmit={submit} onChange={() => setUnsaved(true)}>
        <p className="mb-4 text-soft">{words.recordLead}</p>
        <ProblemsNote problems={problems} />
        <FileField label={words.document} required onFiles={open} />
        {sha256 !== null && (
          <p className="mb-4 text-sm">
            {words.hash}: <Mono>{sha256}</Mono>
          </p>
        )}
        <SelectField label={words.kind} name="kind">
          {kinds.map((kind) => (
            <option key={kind} value={kind}>
              {words.mandateKinds[kind]}
            </option>
          ))}
        </SelectField>
        <DateField label={words.dated} name="dated" required />
        <DialogFoot note={<ErrorNote error={error} />}>
          <Button onClick={onClose}>{all.cancel}</Button>
          <Button type="submit" tone="primary" busy={busy} disabled={sha256 === null}>
            {words.record}
          </Button>
        </DialogFoot>
      </Form>
    </Dialog>
  )
}

async function hashOf(file: File): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', await file.arrayBuffer()))
  return [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
