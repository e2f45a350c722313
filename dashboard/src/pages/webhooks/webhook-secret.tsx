// The signing secret: show it, and rotate it in steps that lose no message.

import { type ReactNode, useState } from 'react'
import type { TestedEndpoint, Webhooks } from '../../../../wire/webhooks.ts'
import { post } from '../../api.ts'
import { usePageWords, useWords } from '../../preferences.tsx'
import { useAct, useHere } from '../../session.tsx'
import { useSubmit } from '../../submit.ts'
import { Confirm, SecretDialog } from '../../ui/dialog.tsx'
import { Button, Card, CheckField, ErrorNote, Mono, Note } from '../../ui/parts.tsx'
import { StatusMark } from '../../ui/status.tsx'
import { duration, Time, useCountdown } from '../../ui/time.tsx'
import { webhookWords } from '../../words/webhooks.ts'
import { reasonOf } from './webhook-reason.ts'

export function SecretCard({ webhooks }: { webhooks: Webhooks }) {
  const { webhooks: words } = useWords()
  const { secret: more } = usePageWords(webhookWords)
  const here = useHere()
  const act = useAct()
  const { secret } = webhooks
  const [shown, setShown] = useState<string | null>(null)
  const [rotating, setRotating] = useState(false)
  const [ending, setEnding] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const left = useCountdown(secret?.previous_until ?? null)
  const isChanging = secret !== null && secret.previous_until !== null && left > 0
  const show = async () => {
    setError(null)
    try {
      setShown((await act(() => post('@/webhooks/secret/show', {}, here.at()))).secret)
    } catch (caught) {
      setError(caught)
    }
  }
  const rotate = async () => {
    const rotated = await act(() => post('@/webhooks/secret/rotate', { end_previous: ending }, here.at()))
    setShown(rotated.secret)
  }
  return (
    <Card title={isChanging ? more.rotation : more.title}>
      <ErrorNote error={error} />
      {isChanging ? (
        <Rotation webhooks={webhooks} left={left} show={show} />
      ) : (
        <>
          <p className="mb-2 text-sm text-soft">{more.lead}</p>
          <p className="mb-4">
            {secret === null ? (
              <span className="text-soft">{words.noSecret}</span>
            ) : (
              <>
                <Mono>whsec_••••••••</Mono>{' '}
                <span className="text-sm text-soft">
                  {words.since} <Time at={secret.created_at} exact />
                </span>
              </>
            )}
          </p>
          {here.mayChange && (
            <div className="flex flex-wrap gap-2">
              <Button onClick={show}>{words.show}</Button>
              <Button onClick={() => setRotating(true)}>{words.rotate}</Button>
            </div>
          )}
        </>
      )}
      {rotating && (
        <Confirm
          title={words.rotateTitle}
          lead={words.rotateLead(here.me.terms.secret_overlap_hours)}
          word={words.rotate}
          onClose={() => setRotating(false)}
          action={rotate}
        >
          <CheckField
            label={words.endPrevious}
            checked={ending}
            onChange={(event) => setEnding(event.currentTarget.checked)}
          />
        </Confirm>
      )}
      {shown !== null && (
        <SecretDialog title={words.newSecret} lead={words.secretLead} secret={shown} onClose={() => setShown(null)} />
      )}
    </Card>
  )
}

function Rotation({ webhooks, left, show }: { webhooks: Webhooks; left: number; show(): void }) {
  const words = usePageWords(webhookWords)
  const { show: showWord } = useWords().webhooks
  const here = useHere()
  const act = useAct()
  const [checked, setChecked] = useState<TestedEndpoint | null>(null)
  const { busy, error, run } = useSubmit()
  const [finishing, setFinishing] = useState(false)
  const endpoint = webhooks.endpoints.find((one) => one.is_default) ?? webhooks.endpoints[0]
  const isKnown = checked?.outcome === 'delivered'
  const check = async (id: string) => {
    await run(async () => {
      const request = { type: 'verification.failed', newest_secret_only: true }
      setChecked(await act(() => post('@/webhooks/endpoints/:id/test', request, here.at({ id }))))
    })
  }
  return (
    <>
      <ErrorNote error={error} />
      <ol className="space-y-4">
        <Step nth={1} done text={words.secret.steps.ready} />
        <Step nth={2} done={isKnown} text={words.secret.steps.store}>
          {here.mayChange && <Button onClick={show}>{showWord}</Button>}
        </Step>
        <Step nth={3} done={isKnown} text={words.secret.steps.check}>
          {checked !== null && (
            <Note tone={isKnown ? 'good' : 'bad'}>
              {isKnown ? words.secret.checked : `${words.secret.unchecked} ${reasonOf(words, checked)}`}
            </Note>
          )}
          {endpoint === undefined ? (
            <p className="text-sm text-soft">{words.secret.noEndpoint}</p>
          ) : (
            here.mayChange && (
              <Button busy={busy} onClick={() => check(endpoint.id)}>
                {words.secret.checkButton}: {endpoint.name}
              </Button>
            )
          )}
        </Step>
        <Step nth={4} done={false} text={words.secret.steps.finish}>
          <p className="mb-2 text-sm text-soft">{words.secret.byItself(duration(left))}</p>
          {here.mayChange && (
            <Button tone={isKnown ? 'primary' : 'plain'} onClick={() => setFinishing(true)}>
              {words.secret.finish}
            </Button>
          )}
        </Step>
      </ol>
      {finishing && (
        <Confirm
          title={words.secret.finishTitle}
          lead={words.secret.finishLead}
          word={words.secret.finish}
          onClose={() => setFinishing(false)}
          action={() => act(() => post('@/webhooks/secret/end-old', {}, here.at()))}
        >
          {!isKnown && <Note tone="warn">{words.secret.finishUnchecked}</Note>}
        </Confirm>
      )}
    </>
  )
}

function Step({ nth, done, text, children }: { nth: number; done: boolean; text: string; children?: ReactNode }) {
  return (
    <li className="flex gap-3">
      <span
        aria-hidden="true"
        className={`mt-0.5 flex size-6 shrink-0 items-center justify-center rounded-full text-xs font-semibold ${done ? 'bg-good-soft text-good' : 'bg-sunken text-soft'}`}
      >
        {nth}
      </span>
      <div className="min-w-0 grow">
        <p className="mb-2 flex flex-wrap items-center gap-2">
          {text} {done && <StatusMark name="ok" />}
        </p>
        {children}
      </div>
    </li>
  )
}
