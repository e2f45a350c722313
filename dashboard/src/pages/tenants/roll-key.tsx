// Replaces an API key by another while both work, so that nothing stops.

import type { FormEvent } from 'react'
import type { UsedKey } from '../../../../wire/keys.ts'
import { post } from '../../api.ts'
import { useWords } from '../../preferences.tsx'
import { useAct, useHere } from '../../session.tsx'
import { useSubmit } from '../../submit.ts'
import { Dialog, DialogFoot } from '../../ui/dialog.tsx'
import { Form } from '../../ui/form.tsx'
import { Button, ErrorNote, SelectField } from '../../ui/parts.tsx'

interface Props {
  readonly apiKey: UsedKey
  onClose(): void
  onCreated(key: string): void
}

export function RollKey({ apiKey, onClose, onCreated }: Props) {
  const words = useWords()
  const here = useHere()
  const act = useAct()
  const { terms } = here.me
  const { busy, error, run } = useSubmit()
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    const fields = new FormData(event.currentTarget)
    const days = String(fields.get('lifetime'))
    const request = {
      overlap_hours: Number(fields.get('overlap')),
      expires_in_days: days === '' ? null : Number(days),
    }
    await run(async () => {
      onCreated((await act(() => post('@/keys/:id/roll', request, here.at({ id: apiKey.id })))).key)
    })
  }
  return (
    <Dialog title={words.keys.rollTitle(apiKey.name)} onClose={onClose}>
      <Form onSubmit={submit}>
        <p className="mb-4 text-soft">{words.keys.rollLead}</p>
        <SelectField label={words.keys.overlap} name="overlap" defaultValue="24">
          {terms.roll_overlap_hours.map((hours) => (
            <option key={hours} value={hours}>
              {words.keys.overlaps(hours)}
            </option>
          ))}
        </SelectField>
        <KeyLifetimeField label={words.keys.newLifetime} />
        <DialogFoot note={<ErrorNote error={error} />}>
          <Button onClick={onClose}>{words.cancel}</Button>
          <Button type="submit" tone="primary" busy={busy}>
            {words.keys.roll}
          </Button>
        </DialogFoot>
      </Form>
    </Dialog>
  )
}

export function KeyLifetimeField({ label }: { label: string }) {
  const { lifetimes } = useWords().keys
  const { terms } = useHere().me
  return (
    <SelectField label={label} name="lifetime" defaultValue="">
      <option value="">{lifetimes.none}</option>
      {terms.key_lifetimes_days.map((days) => (
        <option key={days} value={days}>
          {lifetimes.days(days)}
        </option>
      ))}
    </SelectField>
  )
}
