// Origins on which the company's own pages may ask through the browser: add, prove, remove.

import { type FormEvent, useState } from 'react'
import type { Origin, OriginProof } from '../../../../wire/origins.ts'
import { post } from '../../api.ts'
import { useWords } from '../../preferences.tsx'
import { useAct, useAnswer, useHere } from '../../session.tsx'
import { useSubmit } from '../../submit.ts'
import { Confirm, Dialog, DialogFoot } from '../../ui/dialog.tsx'
import { Form } from '../../ui/form.tsx'
import { Button, Code, Copy, ErrorNote, Mono, Note, Skeleton, TextField } from '../../ui/parts.tsx'
import { StatusMark } from '../../ui/status.tsx'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { NothingYet, TrustSection } from './trust-section.tsx'

export function Origins() {
  const words = useWords()
  const here = useHere()
  const origins = useAnswer('@/origins')
  const [adding, setAdding] = useState(false)
  const [proving, setProving] = useState<Origin | null>(null)
  const [removing, setRemoving] = useState<Origin | null>(null)
  return (
    <TrustSection
      title={words.origins.title}
      lead={words.origins.lead}
      actions={here.mayChange && <Button onClick={() => setAdding(true)}>{words.origins.add}</Button>}
    >
      <ErrorNote error={origins.error} again={() => origins.refetch()} />
      {origins.data === undefined ? (
        origins.error === null && <Skeleton lines={2} />
      ) : origins.data.data.length === 0 ? (
        <NothingYet>{words.origins.empty}</NothingYet>
      ) : (
        <Table
          caption={words.origins.title}
          rows={origins.data.data}
          keyOf={({ id }) => id}
          columns={[
            { head: words.origins.origin, cell: (one) => <Mono>{one.origin}</Mono> },
            { head: words.origins.state, cell: (one) => <State origin={one} /> },
            {
              head: '',
              cell: (one) =>
                here.mayChange && (
                  <div className="flex flex-wrap justify-end gap-2">
                    {one.proof !== null && (
                      <Button aria-label={`${words.origins.prove}: ${one.origin}`} onClick={() => setProving(one)}>
                        {words.origins.prove}
                      </Button>
                    )}
                    <Button
                      tone="danger"
                      aria-label={`${words.origins.remove}: ${one.origin}`}
                      onClick={() => setRemoving(one)}
                    >
                      {words.origins.remove}
                    </Button>
                  </div>
                ),
            },
          ]}
        />
      )}
      {adding && (
        <Add
          onClose={() => setAdding(false)}
          onAdded={(added) => {
            setAdding(false)
            if (added.proof !== null) setProving(added)
          }}
        />
      )}
      {proving !== null && <Prove origin={proving} onClose={() => setProving(null)} />}
      {removing !== null && <Remove origin={removing} onClose={() => setRemoving(null)} />}
    </TrustSection>
  )
}

function State({ origin }: { origin: Origin }) {
  const words = useWords()
  if (origin.proven_at === null) return <StatusMark name="warning" word={words.origins.unproven} />
  return (
    <span className="inline-flex flex-wrap items-center gap-2">
      <StatusMark name="ok" word={words.origins.kinds[origin.kind]} />
      {origin.proof !== null && <Time at={origin.proven_at} />}
    </span>
  )
}

/** A host without a scheme means https. */
const originOf = (typed: string) => (/^[\w.-]+(:\d+)?$/.test(typed) && typed.includes('.') ? `https://${typed}` : typed)

function Add({ onClose, onAdded }: { onClose(): void; onAdded(origin: Origin): void }) {
  const words = useWords()
  const here = useHere()
  const act = useAct()
  const { busy, error, run } = useSubmit()
  const [problem, setProblem] = useState<string | null>(null)
  const [unsaved, setUnsaved] = useState(false)
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    const origin = originOf(String(new FormData(event.currentTarget).get('origin')).trim())
    setProblem(null)
    await run(async () => {
      const answer = await act(() => post('@/origins', { origin }, here.at()))
      if (answer.outcome === 'added') return onAdded(answer.origin)
      setProblem(words.origins.problems[answer.problem])
    })
  }
  return (
    <Dialog title={words.origins.add} onClose={onClose} unsaved={unsaved}>
      <Form onSubmit={submit} onChange={() => setUnsaved(true)}>
        <TextField
          label={words.origins.origin}
          problem={problem}
          hint={words.origins.hint}
          name="origin"
          placeholder="https://shop.example"
          maxLength={300}
          required
        />
        <DialogFoot note={<ErrorNote error={error} />}>
          <Button onClick={onClose}>{words.cancel}</Button>
          <Button type="submit" tone="primary" busy={busy}>
            {words.origins.add}
          </Button>
        </DialogFoot>
      </Form>
    </Dialog>
  )
}

function Prove({ origin, onClose }: { origin: Origin; onClose(): void }) {
  const words = useWords()
  const here = useHere()
  const act = useAct()
  const { busy, error, run } = useSubmit()
  const [proof, setProof] = useState<OriginProof | null>(null)
  const prove = async () => {
    setProof(null)
    await run(async () => {
      setProof((await act(() => post('@/origins/:id/prove', {}, here.at({ id: origin.id })))).outcome)
    })
  }
  return (
    <Dialog title={words.origins.proveTitle(origin.origin)} onClose={onClose}>
      <p className="mb-2 text-soft">{words.origins.proveLead}</p>
      <p className="mb-3">
        <Mono>{origin.proof?.url ?? ''}</Mono>
      </p>
      <div className="mb-3">
        <Code>{origin.proof?.line ?? ''}</Code>
      </div>
      <Copy text={origin.proof?.line ?? ''} />
      <div className="mt-4">
        <ErrorNote error={error} />
        {proof !== null && <Note tone={proof === 'proven' ? 'good' : 'bad'}>{words.origins.proofs[proof]}</Note>}
      </div>
      <DialogFoot>
        <Button onClick={onClose}>{words.close}</Button>
        <Button tone="primary" busy={busy} onClick={prove}>
          {words.origins.look}
        </Button>
      </DialogFoot>
    </Dialog>
  )
}

function Remove({ origin, onClose }: { origin: Origin; onClose(): void }) {
  const words = useWords()
  const here = useHere()
  const act = useAct()
  return (
    <Confirm
      title={words.origins.removeTitle(origin.origin)}
      lead={words.origins.removeLead}
      word={words.origins.remove}
      onClose={onClose}
      action={() => act(() => post('@/origins/:id/remove', {}, here.at({ id: origin.id })))}
    />
  )
}
