// The dialog that creates an API key.

import { type FormEvent, useState } from 'react'
import { post } from '../../api.ts'
import { useWords } from '../../preferences.tsx'
import { useAct, useHere } from '../../session.tsx'
import { useSubmit } from '../../submit.ts'
import { Dialog, DialogFoot } from '../../ui/dialog.tsx'
import { Form } from '../../ui/form.tsx'
import { Button, CheckField, ErrorNote, TextField } from '../../ui/parts.tsx'
import { KeyLifetimeField } from './roll-key.tsx'

export function CreateKey({ onClose, onCreated }: { onClose(): void; onCreated(key: string): void }) {
  const words = useWords()
  const here = useHere()
  const { terms } = here.me
  const act = useAct()
  const { busy, error, run } = useSubmit()
  const [unsaved, setUnsaved] = useState(false)
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    const fields = new FormData(event.currentTarget)
    const days = String(fields.get('lifetime'))
    const request = {
      name: String(fields.get('name')).trim(),
      scopes: fields.getAll('scope'),
      expires_in_days: days === '' ? null : Number(days),
    }
    await run(async () => {
      const created = await act(() => post('@/keys', request, here.at()))
      onCreated(created.key)
    })
  }
  return (
    <Dialog title={words.keys.create} onClose={onClose} unsaved={unsaved}>
      <Form onSubmit={submit} onChange={() => setUnsaved(true)}>
        <TextField
          label={words.keys.name}
          hint={words.keys.nameHint}
          name="name"
          maxLength={terms.name_length_max}
          required
        />
        <fieldset className="mb-4">
          <legend className="mb-2 text-sm font-medium">{words.keys.scopes}</legend>
          {terms.scopes.map((scope) => (
            <CheckField
              key={scope}
              name="scope"
              value={scope}
              label={words.keys.scopeNames[scope] ?? scope}
              defaultChecked={terms.default_scopes.includes(scope)}
            />
          ))}
        </fieldset>
        <KeyLifetimeField label={words.keys.lifetime} />
        <DialogFoot note={<ErrorNote error={error} />}>
          <Button onClick={onClose}>{words.cancel}</Button>
          <Button type="submit" tone="primary" busy={busy}>
            {words.keys.create}
          </Button>
        </DialogFoot>
      </Form>
    </Dialog>
  )
}
