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
import { Button, ErrorNote } from '../../ui/parts.tsx'
import { registrationWords } from '../../words/registration.ts'
import { ProblemsNote } from './problem.tsx'
import { IdentityFields, identityOf, type SaidIdentity } from './registration.tsx'

/** Who one said one is, while the operator has not answered: it may be corrected. */
export function saidOf(requests: GoingLive['requests']): SaidIdentity | null {
  const waiting = requests.find(({ kind, state }) => kind === 'identity' && state === 'open')
  const { identifier, trade_name: tradeName, registry_uri: registryUri = null } = waiting?.wanted ?? {}
  if (identifier === undefined || tradeName === undefined) return null
  return { identifier, trade_name: tradeName, registry_uri: registryUri }
}

interface AskProps {
  kind: OperatorRequestKind
  said: SaidIdentity | null
  onClose(): void
}

export function AskOperator({ kind, said, onClose }: AskProps) {
  const all = useWords()
  const { goingLive: words } = usePageWords(registrationWords)
  const here = useHere()
  const act = useAct()
  const { busy, error, run } = useSubmit()
  const [problems, setProblems] = useState<readonly RegistrationProblem[]>([])
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    const form = new FormData(event.currentTarget)
    const body = kind === 'identity' ? { kind, identity: identityOf(form) } : { kind }
    setProblems([])
    await run(async () => {
      const answer = await act(() => post('@/going-live/requests', body, here.at()))
      if (answer.outcome === 'asked') return onClose()
      setProblems(answer.problems)
    })
  }
  return (
    <Dialog title={words.requestTitle} onClose={onClose}>
      <Form onSubmit={submit}>
        <p className="mb-2 font-medium">{words.kinds[kind]}</p>
        <p className="mb-4 text-soft">{kind === 'identity' ? words.identityLead : words.requestLead}</p>
        <ProblemsNote lead={words.notAsked} problems={problems} />
        {kind === 'identity' && <IdentityFields identity={said} />}
        <DialogFoot note={<ErrorNote error={error} />}>
          <Button onClick={onClose}>{all.cancel}</Button>
          <Button type="submit" tone="primary" busy={busy}>
            {words.request}
          </Button>
        </DialogFoot>
      </Form>
    </Dialog>
  )
}
