// Asks the operator for what only the operator can do before a merchant goes live.

import { type FormEvent, useState } from 'react'
import type { GoingLive, OperatorRequestKind } from '../../../../wire/going-live.ts'
import type { RegistrationProblem } from '../../../../wire/registration.ts'
import { post } from '../../api.ts'
import { usePageWords, useWords } from '../../preferences.tsx'
import { useAct, useHere } from '../../session.tsx'
import { useSubmit } from '../../submit.ts'
import { Dialog, DialogFoot } from '../../ui/dialog.tsx'
import { Form } from '../../ui/form.tsx'
import { Button, CheckField, ErrorNote } from '../../ui/parts.tsx'
import { registrationWords } from '../../words/registration.ts'
import { ProblemsNote } from './problem.tsx'
import { type EnteredIdentity, IdentityFields, identityOf } from './registration.tsx'

/** Returns the identity in a request that the operator has not answered yet, which can be corrected. */
export function enteredIdentityOf(requests: GoingLive['requests']): EnteredIdentity | null {
  const waiting = requests.find(({ kind, state }) => kind === 'identity' && state === 'open')
  const { identifier, trade_name: tradeName, registry_uri: registryUri = null } = waiting?.wanted ?? {}
  if (identifier === undefined || tradeName === undefined) return null
  return { identifier, trade_name: tradeName, registry_uri: registryUri }
}

interface AskProps {
  /** Each can be left out. An earlier open request is corrected. */
  kinds: readonly OperatorRequestKind[]
  identity: EnteredIdentity | null
  onClose(): void
}

/** Sends the identity first: if it is wrong, the dialog stays open and nothing else is requested. */
export function AskOperator({ kinds, identity, onClose }: AskProps) {
  const all = useWords()
  const { goingLive: words } = usePageWords(registrationWords)
  const here = useHere()
  const act = useAct()
  const { busy, error, run } = useSubmit()
  const [wanted, setWanted] = useState(() => new Set(kinds))
  const [problems, setProblems] = useState<readonly RegistrationProblem[]>([])
  const ask = async (kind: OperatorRequestKind, form: FormData) => {
    const body = kind === 'identity' ? { kind, identity: identityOf(form) } : { kind }
    const answer = await act(() => post('@/going-live/requests', body, here.at()))
    return answer.outcome === 'asked' ? [] : answer.problems
  }
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    const form = new FormData(event.currentTarget)
    setProblems([])
    await run(async () => {
      for (const kind of kinds.filter((one) => wanted.has(one))) {
        const found = await ask(kind, form)
        if (found.length > 0) return setProblems(found)
      }
      onClose()
    })
  }
  const turn = (kind: OperatorRequestKind, isOn: boolean) => {
    const changed = new Set(wanted)
    if (isOn) changed.add(kind)
    else changed.delete(kind)
    setWanted(changed)
  }
  return (
    <Dialog title={words.requestTitle} onClose={onClose}>
      <Form onSubmit={submit}>
        <p className="mb-4 text-soft">{words.requestLead}</p>
        <ProblemsNote lead={words.notAsked} problems={problems} />
        {kinds.map((kind) => (
          <div key={kind}>
            {kinds.length > 1 ? (
              <CheckField
                label={words.kinds[kind]}
                checked={wanted.has(kind)}
                onChange={({ currentTarget }) => turn(kind, currentTarget.checked)}
              />
            ) : (
              <p className="mb-2 font-medium">{words.kinds[kind]}</p>
            )}
            {kind === 'identity' && wanted.has(kind) && (
              <div className="mb-4 rounded-xl bg-sunken/60 p-4 pb-0">
                <p className="mb-3 text-sm text-soft">{words.identityLead}</p>
                <IdentityFields identity={identity} />
              </div>
            )}
          </div>
        ))}
        <DialogFoot note={<ErrorNote error={error} />}>
          <Button onClick={onClose}>{all.cancel}</Button>
          <Button type="submit" tone="primary" busy={busy} disabled={wanted.size === 0}>
            {words.request}
          </Button>
        </DialogFoot>
      </Form>
    </Dialog>
  )
}
