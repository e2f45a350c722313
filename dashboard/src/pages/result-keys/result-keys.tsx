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
import { AreaField, Button, Card, Code, Copy, ErrorNote, Mono, Note, Skeleton, TextField } from '../../ui/parts.tsx'
import { StatusMark } from '../../ui/status.tsx'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'

/** The service has the same limit. */
const RESULT_KEYS_MAX = 2

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
  const isFull = (keys.data?.data.length ?? 0) >= RESULT_KEYS_MAX
  const { busy, error, run } = useSubmit()
  // null: the key was proven in the meantime; `act` reloads the list.
  const challenge = ({ id }: ResultKey) =>
    run(async () => {
      const answer = await act(() => post('@/result-keys/:id/challenge', {}, here.at({ id })))
      if (answer.challenge !== null) setProving({ id, challenge: answer.challenge })
    })
  return (
    <Card
      title={words.title}
      action={
        here.mayChange && (
          <Button
            disabled={isFull}
            aria-describedby={isFull ? 'result-keys-full' : undefined}
            onClick={() => setAdding(true)}
          >
            {words.add}
          </Button>
        )
      }
    >
      <p className="mb-3 max-w-[62ch] text-sm text-soft">
        {words.lead} {isFull && <span id="result-keys-full">{words.problems.too_many}</span>}
      </p>
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
            {
              head: words.kid,
              cell: (one) => (
                <span title={one.kid}>
                  <Mono>{one.kid.slice(0, 12)}…</Mono>
                </span>
              ),
            },
            { head: words.added, cell: (one) => <Time at={one.created_at} exact /> },
            {
              head: words.state,
              cell: (one) =>
                one.proven_at === null ? (
                  <StatusMark name="warning" word={words.unproven} />
                ) : (
                  <StatusMark name="ok" word={words.proven} />
                ),
            },
            {
              head: '',
              cell: (one) =>
                here.mayChange && (
                  <div className="flex gap-2">
                    {one.proven_at === null && (
                      <Button aria-label={`${words.prove}: ${one.kid}`} busy={busy} onClick={() => challenge(one)}>
                        {words.prove}
                      </Button>
                    )}
                    <Button tone="danger" aria-label={`${words.remove}: ${one.kid}`} onClick={() => setRemoving(one)}>
                      {words.remove}
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
  const [isOwn, setOwn] = useState(false)
  const add = (text: string) =>
    run(async () => {
      setProblem(null)
      const answer = await act(() => post('@/result-keys', { jwk: text }, here.at()))
      if (answer.outcome === 'added') return onAdded({ id: answer.key.id, challenge: answer.challenge })
      setProblem(words.problems[answer.problem])
    })
  const make = async () => {
    const { publicKey, privateKey } = await generateResultKey()
    saveKeyFile(privateKey)
    await add(JSON.stringify(publicKey))
  }
  return (
    <Dialog title={words.add} onClose={onClose} unsaved={jwk !== ''}>
      <Form onSubmit={() => add(jwk)}>
        {problem !== null && <Note tone="bad">{problem}</Note>}
        <p className="mb-4">{words.makeLead}</p>
        <Note tone="warn">{words.lost}</Note>
        <details className="mt-4" onToggle={({ currentTarget }) => setOwn(currentTarget.open)}>
          <summary className="min-h-8 py-1 text-sm font-medium text-accent">{words.own}</summary>
          <div className="mt-3">
            <AreaField
              label={words.jwk}
              hint={words.jwkHint}
              rows={8}
              maxLength={2000}
              required
              value={jwk}
              onChange={({ currentTarget }) => setJwk(currentTarget.value)}
            />
          </div>
        </details>
        <DialogFoot note={<ErrorNote error={error} />}>
          <Button onClick={onClose}>{all.cancel}</Button>
          {isOwn ? (
            <Button key="add" type="submit" tone="primary" busy={busy}>
              {words.addThis}
            </Button>
          ) : (
            <Button key="make" tone="primary" busy={busy} onClick={make}>
              {words.make}
            </Button>
          )}
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
    const opened = key === null ? null : await openChallenge(challenged.challenge, key, challenged.id).catch(() => null)
    setIsOther(opened === null)
    if (opened !== null) setAnswer(opened)
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
        <p className="mb-4 text-soft">{words.proveLead}</p>
        <FileField label={words.keyFile} onFiles={open} />
        {isOther && <Note tone="bad">{words.notThisKey}</Note>}
        <details className="mb-4">
          <summary className="min-h-8 py-1 text-sm font-medium text-accent">{words.decrypt}</summary>
          <p className="my-3 text-sm text-soft">{words.decryptLead}</p>
          <div className="mb-4 space-y-2">
            <Code>{challenged.challenge}</Code>
            <Copy text={challenged.challenge} />
          </div>
          <TextField
            label={words.answer}
            maxLength={100}
            required
            value={answer}
            onChange={({ currentTarget }) => setAnswer(currentTarget.value)}
          />
        </details>
        {proof !== null && <Note tone={proof === 'proven' ? 'good' : 'bad'}>{words.proofs[proof]}</Note>}
        <DialogFoot note={<ErrorNote error={error} />}>
          <Button onClick={onClose}>{proof === 'proven' ? all.close : all.cancel}</Button>
          <Button type="submit" tone="primary" busy={busy} disabled={proof === 'proven' || answer.trim() === ''}>
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
