// Dialogs for signing requests: for a new key, or another one for a key that still has no certificate.

import { type FormEvent, useState } from 'react'
import type { CertificateRequested, Trust } from '../../../../wire/trust.ts'
import { post } from '../../api.ts'
import { usePageWords, useWords } from '../../preferences.tsx'
import { useAct, useHere } from '../../session.tsx'
import { useSubmit } from '../../submit.ts'
import { Confirm, Dialog, DialogFoot } from '../../ui/dialog.tsx'
import { Form } from '../../ui/form.tsx'
import { Button, buttonClass, Code, Copy, ErrorNote, TextField } from '../../ui/parts.tsx'
import { trustWords } from '../../words/trust.ts'
import { PurposeField } from './trust-form.tsx'
import { RefusedNote } from './trust-refusal.tsx'

export type Certificate = Trust['certificates'][number]

/** Examples as the register and the standard write them. They are the same in every language. */
const EXAMPLES: Readonly<Record<string, string>> = { organization_identifier: 'VATDE-123456789', country: 'DE' }
const FIELDS = ['organization', 'organization_identifier', 'country', 'state', 'locality', 'email'] as const

/**
 * Shows the request of a key without a certificate, with a button to create another. If the request was not stored,
 * shows the form.
 */
export function WaitingRequest({ waiting, onClose }: { waiting: Certificate; onClose(): void }) {
  const [isRemaking, setRemaking] = useState(false)
  if (isRemaking || waiting.csr === null) return <RequestForm waiting={waiting} onClose={onClose} />
  return <Request csr={waiting.csr} onClose={onClose} remake={() => setRemaking(true)} />
}

export function WithdrawKey({ waiting, onClose }: { waiting: Certificate; onClose(): void }) {
  const words = usePageWords(trustWords)
  const here = useHere()
  const act = useAct()
  return (
    <Confirm
      title={words.withdrawKeyTitle}
      lead={words.withdrawKeyLead}
      word={words.withdrawKey}
      onClose={onClose}
      action={() => act(() => post('@/trust/certificates/:id/withdraw', {}, here.at({ id: waiting.id })))}
    />
  )
}

/** `waiting`: the existing key to create another request for; absent: a new key. */
export function RequestForm({ waiting, onClose }: { waiting?: Certificate; onClose(): void }) {
  const shared = useWords()
  const words = usePageWords(trustWords)
  const here = useHere()
  const act = useAct()
  const [answer, setAnswer] = useState<CertificateRequested | null>(null)
  const { busy, error, run } = useSubmit()
  const [unsaved, setUnsaved] = useState(false)
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    const filled = [...new FormData(event.currentTarget)].flatMap(([name, value]) => {
      const text = String(value).trim()
      return text === '' ? [] : [[name, text]]
    })
    const body = { ...Object.fromEntries(filled), ...(waiting && { id: waiting.id, purpose: waiting.purpose }) }
    await run(async () => setAnswer(await act(() => post('@/trust/certificates/request', body, here.at()))))
  }
  if (answer?.outcome === 'requested') return <Request csr={answer.csr} onClose={onClose} />
  const labels = { ...words, organization_identifier: words.organizationIdentifier }
  return (
    <Dialog title={waiting === undefined ? words.request : words.showCsr} onClose={onClose} unsaved={unsaved}>
      <Form onSubmit={submit} onChange={() => setUnsaved(true)}>
        <p className="mb-4 text-soft">{waiting === undefined ? words.requestLead : words.requestAgainLead}</p>
        {waiting === undefined && <PurposeField />}
        <TextField
          label={words.commonName}
          name="common_name"
          maxLength={64}
          defaultValue={here.tenant.name}
          required
        />
        <div className="grid gap-x-4 sm:grid-cols-2">
          {FIELDS.map((name) => (
            <TextField
              key={name}
              label={labels[name]}
              name={name}
              placeholder={EXAMPLES[name]}
              maxLength={name === 'email' ? 255 : 64}
            />
          ))}
        </div>
        <DialogFoot
          note={
            <>
              <ErrorNote error={error} />
              <RefusedNote refused={answer} />
            </>
          }
        >
          <Button onClick={onClose}>{shared.cancel}</Button>
          <Button type="submit" tone="primary" busy={busy}>
            {waiting === undefined ? words.request : words.makeCsr}
          </Button>
        </DialogFoot>
      </Form>
    </Dialog>
  )
}

function Request({ csr, onClose, remake }: { csr: string; onClose(): void; remake?(): void }) {
  const shared = useWords()
  const words = usePageWords(trustWords)
  return (
    <Dialog title={words.csr} onClose={onClose} wide>
      <p className="mb-4 text-soft">{words.csrLead}</p>
      <Code>{csr}</Code>
      <DialogFoot>
        <Button onClick={onClose}>{shared.close}</Button>
        {remake !== undefined && <Button onClick={remake}>{words.makeCsr}</Button>}
        <Copy text={csr} />
        <a
          href={`data:application/pkcs10,${encodeURIComponent(csr)}`}
          download="vidimus.csr"
          className={buttonClass('primary')}
        >
          {words.download}
        </a>
      </DialogFoot>
    </Dialog>
  )
}
