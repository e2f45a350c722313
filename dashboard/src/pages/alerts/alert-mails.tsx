// The signed-in person's alerts by mail for the current company, each with a switch.

import { useState } from 'react'
import type { AnswerOf } from '../../../../wire/dashboard.ts'
import { post } from '../../api.ts'
import { useWords } from '../../preferences.tsx'
import { useAct, useAnswer, useHere } from '../../session.tsx'
import { Card, CheckField, ErrorNote, Note, Skeleton } from '../../ui/parts.tsx'

type Topic = AnswerOf<'GET @/alerts/mail'>['topics'][number]

const TOPICS: readonly Topic[] = ['quota', 'webhooks']

export function AlertMails() {
  const { alertMails: words } = useWords()
  const { me, tenant } = useHere()
  return (
    <Card title={words.title}>
      {me.service.mail ? (
        <>
          <p className="mb-4 text-soft">{words.lead(tenant.name, me.email)}</p>
          <Switches />
        </>
      ) : (
        <Note tone="plain">{words.off}</Note>
      )}
    </Card>
  )
}

function Switches() {
  const { alertMails: words } = useWords()
  const here = useHere()
  const act = useAct()
  const [error, setError] = useState<unknown>(null)
  const subscribed = useAnswer('@/alerts/mail')
  if (subscribed.data === undefined)
    return subscribed.error === null ? <Skeleton lines={2} /> : <ErrorNote error={subscribed.error} />
  const { topics } = subscribed.data
  const turn = (topic: Topic, isOn: boolean) => {
    setError(null)
    const wanted = TOPICS.filter((one) => (one === topic ? isOn : topics.includes(one)))
    act(() => post('@/alerts/mail', { topics: wanted }, here.at({}))).catch(setError)
  }
  return (
    <>
      <ErrorNote error={error} />
      {TOPICS.map((topic) => (
        <CheckField
          key={topic}
          role="switch"
          label={words.topics[topic].label}
          hint={words.topics[topic].hint}
          checked={topics.includes(topic)}
          onChange={({ currentTarget }) => turn(topic, currentTarget.checked)}
        />
      ))}
    </>
  )
}
