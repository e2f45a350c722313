// The company's keys that results are encrypted to: add, prove with the private key in the browser, remove.

import { useState } from 'react'
import { generateResultKey, openChallenge } from '../../../../sdk/typescript/src/result.ts'
import type { ResultKey, ResultKeyProof } from '../../../../wire/result-keys.ts'
import { post } from '../../api.ts'
import { readKeyFile, saveKeyFile } from '../../key-file.ts'
import { useWords } from '../../preferences.tsx'
import { useAct, useAnswer, useHere } from '../../session.tsx'
import { useSubmit } from '../../submit.ts'
import { Confirm, Dialog, DialogFoot } from '../../ui/dialog.tsx'
import { FileField } from '../../ui/file-field.tsx'
import { Form } from '../../ui/form.tsx'
import { AreaField, Button, Card, Code, ErrorNote, Mono, Note, Skeleton, TextField } from '../../ui/parts.tsx'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'

interface Challenged {
  readonly id: string
  readonly challenge: string
}

export function ResultKeys() {
  const { resultKeys: words } = useWords()
  const here = useHere()
  const keys = useAnswer('@/result-keys')
  const [adding, setAdding] = useState(false)
  const [proving, setProving] = useState<Challenged | null>(null)
  const [removing, setRemoving] = useState<ResultKey | null>(null)
  const act = useAct()
  const { busy, error, run } = useSubmit()
  // null: it was proven in the meantime; `act` reloads the list.
  const challenge = ({ id }: ResultKey) =>
    run(async () => {
      const answer = await act(() => post('@/result-keys/:id/challenge', {}, here.at({ id })))
      if (answer.challenge !== null) setProving({ id, challenge: answer.challenge })
    })
  return (
    <Card title={words.title} action={here.mayChange && <Button onClick={() => setAdding(true)}>{words.add}</Button>}>
      <p className="mb-3 max-w-[62ch] text-sm text-soft">{words.lead}</p>
      <ErrorNote error={keys.error} again={() => keys.refetch()} />
      <ErrorNote error={error} />
      {keys.data === undefined ? (
        keys.error === null && <Skeleton lines={2} />
      ) : keys.data.data.length === 0 ? (
        <p className="font-medium">{words.empty}</p>
      ) : (
        <Table
          caption={words.title}
          rows={keys.data.data}
          keyOf={({ id }) => id}
          columns={[
            { head: words.kid, cell: (one) => <Mono>{one.kid}</Mono> },
            {
              head: words.state,
              cell: (one) =>
                one.proven_at === null ? (
                  words.unproven
                ) : (
                  <>
                    {words.proven} <Time at={one.proven_at} />
                  </>
                ),
            },
            {
              head: '',
              cell: (one) =>
                here.mayChange && (
                  <span className="flex flex-wrap gap-2">
                    {one.proven_at === null && (
                      <Button aria-label={`${words.prove}: ${one.kid}`} busy={busy} onClick={() => challenge(one)}>
                        {words.prove}
                      </Button>
                    )}
                    <Button tone="danger" aria-label={`${words.remove}: ${one.kid}`} onClick={() => setRemoving(one)}>
                      {words.remove}
                    </Button>
                  </span>
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
            setProving(added)
          }}
        />
      )}
      {proving !== null && <Prove challenged={proving} onClose={() => setProving(null)} />}
      {removing !== null && <Remove resultKey={removing} onClose={() => setRemoving(null)} />}
    </Card>
  )
}

function Add({ onClose, onAdded }: { onClose(): void; onAdded(added: Challenged): void }) {
  const all = useWords()
  const words = all.resultKeys
  const here = useHere()
  const act = useAct()
  const { busy, error, run } = useSubmit()
  const [problem, setProblem] = useState<string | null>(null)
  const [jwk, setJwk] = useState('')
  const [unsaved, setUnsaved] = useState(false)
  const submit = async () => {
    setProblem(null)
    await run(async () => {
      const answer = await act(() => post('@/result-keys', { jwk }, here.at()))
      if (answer.outcome === 'added') return onAdded({ id: answer.key.id, challenge: answer.challenge })
      setProblem(words.problems[answer.problem])
    })
  }
  const make = async () => {
    const { publicKey, privateKey } = await generateResultKey()
    saveKeyFile(privateKey)
    setJwk(JSON.stringify(publicKey, null, 2))
  }
  return (
    <Dialog title={words.add} onClose={onClose} unsaved={unsaved}>
      <Form onSubmit={submit} onChange={() => setUnsaved(true)}>
        {problem !== null && <Note tone="bad">{problem}</Note>}
        <Note tone="warn">{words.lost}</Note>
        <AreaField
          label={words.jwk}
          hint={words.jwkHint}
          rows={8}
          maxLength={2000}
          required
          value={jwk}
          onChange={({ currentTarget }) => setJwk(currentTarget.value)}
        />
        <DialogFoot note={<ErrorNote error={error} />}>
          <Button onClick={onClose}>{all.cancel}</Button>
          <Button onClick={make}>{words.make}</Button>
          <Button type="submit" tone="primary" busy={busy}>
            {words.add}
          </Button>
        </DialogFoot>
      </Form>
    </Dialog>
  )
}

function Prove({ challenged, onClose }: { challenged: Challenged; onClose(): void }) {
  const all = useWords()
  const words = all.resultKeys
  const here = useHere()
  const act = useAct()
  const { busy, error, run } = useSubmit()
  const [proof, setProof] = useState<ResultKeyProof | null>(null)
  const [isOther, setIsOther] = useState(false)
  const [answer, setAnswer] = useState('')
  const open = async ([file]: readonly File[]) => {
    if (file === undefined) return
    const key = await readKeyFile(file)
    const said = key === null ? null : await openChallenge(challenged.challenge, key, challenged.id).catch(() => null)
    setIsOther(said === null)
    if (said !== null) setAnswer(said)
  }
  const prove = async () => {
    setProof(null)
    await run(async () => {
      const path = here.at({ id: challenged.id })
      setProof((await act(() => post('@/result-keys/:id/prove', { answer: answer.trim() }, path))).outcome)
    })
  }
  return (
    <Dialog title={words.proveTitle} onClose={onClose}>
      <Form onSubmit={prove}>
        <p className="mb-2 text-soft">{words.proveLead}</p>
        <div className="mb-3">
          <Code>{challenged.challenge}</Code>
        </div>
        <FileField label={words.keyFile} onFiles={open} />
        {isOther && <Note tone="bad">{words.notThisKey}</Note>}
        <TextField
          label={words.answer}
          maxLength={100}
          required
          value={answer}
          onChange={({ currentTarget }) => setAnswer(currentTarget.value)}
        />
        {proof !== null && <Note tone={proof === 'proven' ? 'good' : 'bad'}>{words.proofs[proof]}</Note>}
        <DialogFoot note={<ErrorNote error={error} />}>
          <Button onClick={onClose}>{all.close}</Button>
          <Button type="submit" tone="primary" busy={busy} disabled={proof === 'proven'}>
            {words.prove}
          </Button>
        </DialogFoot>
      </Form>
    </Dialog>
  )
}

function Remove({ resultKey, onClose }: { resultKey: ResultKey; onClose(): void }) {
  const { resultKeys: words } = useWords()
  const here = useHere()
  const act = useAct()
  return (
    <Confirm
      title={words.removeTitle}
      lead={words.removeLead}
      word={words.remove}
      onClose={onClose}
      action={() => act(() => post('@/result-keys/:id/remove', {}, here.at({ id: resultKey.id })))}
    />
  )
}
