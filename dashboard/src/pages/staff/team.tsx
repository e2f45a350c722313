// The team page: members, roles, and invitations by link.

import { type FormEvent, useState } from 'react'
import type { Invitation, Team } from '../../../../wire/staff.ts'
import { post } from '../../api.ts'
import { useWords } from '../../preferences.tsx'
import { useAct, useAnswer, useHere } from '../../session.tsx'
import { useTitle } from '../../shell.tsx'
import { Confirm, Dialog, DialogFoot, SecretDialog } from '../../ui/dialog.tsx'
import { Form } from '../../ui/form.tsx'
import { Button, ErrorNote, PageTitle, Select, SelectField, Skeleton, TextField } from '../../ui/parts.tsx'
import { StatusMark } from '../../ui/status.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import type { Words } from '../../words/en.ts'

type Member = Team['members'][number]

export function TeamPage() {
  const words = useWords()
  const here = useHere()
  useTitle(words.team.title)
  const team = useAnswer('@/team')
  const [inviting, setInviting] = useState(false)
  const [created, setCreated] = useState<Invitation | null>(null)
  const [removing, setRemoving] = useState<Member | null>(null)
  const [error, setError] = useState<unknown>(null)
  const owners = team.data?.members.filter(({ role }) => role === 'owner').length ?? 0
  const columns = useColumns({ owners, remove: setRemoving, fail: setError })
  return (
    <>
      <PageTitle title={words.team.title} lead={words.team.lead}>
        {here.isOwner && (
          <Button icon="plus" tone="primary" onClick={() => setInviting(true)}>
            {words.team.invite}
          </Button>
        )}
      </PageTitle>
      <ErrorNote error={error ?? team.error} />
      {team.data === undefined ? (
        team.error === null && <Skeleton />
      ) : (
        <>
          <Table caption={words.team.title} columns={columns} rows={team.data.members} keyOf={({ id }) => id} />
          {team.data.invitations.length > 0 ? (
            <OpenInvitations invitations={team.data.invitations} onCreated={setCreated} fail={setError} />
          ) : (
            here.isOwner && <p className="mt-6 text-sm text-soft">{words.team.noneOpen}</p>
          )}
        </>
      )}
      {inviting && (
        <Invite
          onClose={() => setInviting(false)}
          onCreated={(invitation) => {
            setInviting(false)
            setCreated(invitation)
          }}
        />
      )}
      {created !== null && (
        <SecretDialog
          title={words.team.linkTitle}
          lead={linkLead(words, created, here.me.terms.invitation_hours)}
          secret={created.url}
          onClose={() => setCreated(null)}
        />
      )}
      {removing !== null && <Remove member={removing} onClose={() => setRemoving(null)} />}
    </>
  )
}

/** How the invited person gets the link. */
function linkLead({ team }: Words, { email, mail }: Invitation, hours: number): string {
  if (mail === 'queued') return team.linkMailed(email, hours)
  const why = { off: '', limited: `${team.mailLimited} `, unsuitable: `${team.mailUnsuitable} ` }[mail]
  return `${why}${team.linkLead(email, hours)}`
}

function OpenInvitations(props: {
  invitations: Team['invitations']
  onCreated(invitation: Invitation): void
  fail(error: unknown): void
}) {
  const words = useWords()
  const here = useHere()
  const act = useAct()
  const { onCreated, fail } = props
  const again = (email: string) => {
    fail(null)
    return act(() => post('@/team/invitations/again', { email }, here.at())).then(onCreated, fail)
  }
  const [withdrawing, setWithdrawing] = useState<string | null>(null)
  const resend = here.me.service.mail ? words.team.again : words.team.copyLink
  return (
    <section className="mt-8">
      <h2 className="mb-3 font-semibold">{words.team.open}</h2>
      <ul className="divide-y divide-line rounded-2xl border border-line bg-surface px-4">
        {props.invitations.map(({ email, role, expires_at, invited_by }) => (
          <li key={email} className="flex flex-wrap items-center gap-2 py-3">
            <span className="min-w-0 grow break-words">
              <span className="font-medium">{email}</span> · {words.roles[role]}
              <span className="block text-sm text-soft">
                {invited_by === null ? words.team.byOperator : words.team.invitedBy(invited_by)}, {words.team.until}{' '}
                <Time at={expires_at} exact />
              </span>
            </span>
            {here.isOwner && (
              <>
                <Button aria-label={`${resend}: ${email}`} onClick={() => again(email)}>
                  {resend}
                </Button>
                <Button
                  aria-label={`${words.team.withdraw}: ${email}`}
                  tone="danger"
                  onClick={() => setWithdrawing(email)}
                >
                  {words.team.withdraw}
                </Button>
              </>
            )}
          </li>
        ))}
      </ul>
      {withdrawing !== null && (
        <Confirm
          title={words.team.withdrawTitle(withdrawing)}
          lead={words.team.withdrawLead}
          word={words.team.withdraw}
          onClose={() => setWithdrawing(null)}
          action={() => act(() => post('@/team/invitations/withdraw', { email: withdrawing }, here.at()))}
        />
      )}
    </section>
  )
}

function useColumns(props: {
  owners: number
  remove(member: Member): void
  fail(error: unknown): void
}): Column<Member>[] {
  const { owners, remove, fail } = props
  const words = useWords()
  const here = useHere()
  const act = useAct()
  const change = (member: Member, role: string) => {
    fail(null)
    return act(() => post('@/team/:id/role', { role }, here.at({ id: member.id }))).catch(fail)
  }
  return [
    {
      head: words.team.email,
      cell: (member) => (
        <span className="font-medium">
          {member.email} {member.id === here.me.id && <span className="font-normal text-soft">({words.team.you})</span>}
        </span>
      ),
    },
    {
      head: words.team.role,
      cell: (member) =>
        member.role === 'owner' && owners === 1 ? (
          <>
            {words.roles.owner}
            {here.isOwner && <span className="block max-w-60 text-[13px] text-soft">{words.team.onlyOwner}</span>}
          </>
        ) : here.isOwner ? (
          <Select
            aria-label={`${words.team.role}: ${member.email}`}
            value={member.role}
            onChange={(event) => change(member, event.currentTarget.value)}
          >
            {here.me.terms.roles.map((role) => (
              <option key={role} value={role}>
                {words.roles[role]}
              </option>
            ))}
          </Select>
        ) : (
          words.roles[member.role]
        ),
    },
    {
      head: words.team.passkey,
      cell: (member) =>
        member.has_passkey ? (
          <StatusMark name="ok" word={words.team.passkey} />
        ) : (
          <span title={words.team.noPasskeyHint}>
            <StatusMark name="warning" word={words.team.noPasskey} />
          </span>
        ),
    },
    { head: words.team.joined, cell: (member) => <Time at={member.joined_at} exact /> },
    { head: words.team.lastSeen, cell: (member) => <Time at={member.last_seen_at} /> },
    {
      head: '',
      cell: (member) =>
        here.isOwner &&
        (member.role !== 'owner' || owners > 1) && (
          <Button tone="danger" aria-label={`${words.team.remove}: ${member.email}`} onClick={() => remove(member)}>
            {words.team.remove}
          </Button>
        ),
    },
  ]
}

function Invite({ onClose, onCreated }: { onClose(): void; onCreated(invitation: Invitation): void }) {
  const words = useWords()
  const here = useHere()
  const act = useAct()
  const [error, setError] = useState<unknown>(null)
  const [unsaved, setUnsaved] = useState(false)
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    const fields = new FormData(event.currentTarget)
    const request = { email: fields.get('email'), role: fields.get('role') }
    try {
      onCreated(await act(() => post('@/team/invite', request, here.at())))
    } catch (caught) {
      setError(caught)
    }
  }
  return (
    <Dialog title={words.team.invite} onClose={onClose} unsaved={unsaved}>
      <Form onSubmit={submit} onChange={() => setUnsaved(true)}>
        <TextField label={words.team.email} name="email" type="email" autoComplete="off" required />
        <SelectField label={words.team.role} name="role" defaultValue="viewer">
          {here.me.terms.roles.map((role) => (
            <option key={role} value={role}>
              {words.roles[role]}
            </option>
          ))}
        </SelectField>
        <p className="mt-3 text-sm text-soft">{here.me.service.mail ? words.team.mailOn : words.team.mailOff}</p>
        <DialogFoot note={<ErrorNote error={error} />}>
          <Button onClick={onClose}>{words.cancel}</Button>
          <Button type="submit" tone="primary">
            {here.me.service.mail ? words.team.invite : words.team.createLink}
          </Button>
        </DialogFoot>
      </Form>
    </Dialog>
  )
}

function Remove({ member, onClose }: { member: Member; onClose(): void }) {
  const words = useWords()
  const here = useHere()
  const act = useAct()
  return (
    <Confirm
      title={words.team.removeTitle(member.email)}
      lead={words.team.removeLead}
      word={words.team.remove}
      onClose={onClose}
      action={() => act(() => post('@/team/:id/remove', {}, here.at({ id: member.id })))}
    />
  )
}
