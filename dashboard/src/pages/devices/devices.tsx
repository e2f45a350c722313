// The page of devices: add, pair, edit, remove; and the address of the till.

import { type FormEvent, useState } from 'react'
import type {
  DeviceForStaff as Device,
  RegisteredDeviceForStaff as RegisteredDevice,
} from '../../../../wire/devices.ts'
import { post } from '../../api.ts'
import { useWords } from '../../preferences.tsx'
import { useAct, useAnswer, useHere } from '../../session.tsx'
import { useTitle } from '../../shell.tsx'
import { useSubmit } from '../../submit.ts'
import { titleOf, useTemplateTitle } from '../../template-titles.ts'
import { Confirm, Dialog, DialogFoot } from '../../ui/dialog.tsx'
import { Form } from '../../ui/form.tsx'
import { useNarrow } from '../../ui/narrow.ts'
import { Button, CheckField, Copy, Empty, ErrorNote, Note, PageTitle, Skeleton, TextField } from '../../ui/parts.tsx'
import { Qr } from '../../ui/qr.tsx'
import { RowMenu } from '../../ui/row-menu.tsx'
import { StatusMark } from '../../ui/status.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { duration, Time, useCountdown } from '../../ui/time.tsx'

export function DevicesPage() {
  const words = useWords()
  const here = useHere()
  useTitle(words.devices.title)
  const devices = useAnswer('@/devices', { everyMs: 5_000 })
  const [creating, setCreating] = useState(false)
  const [created, setCreated] = useState<RegisteredDevice | null>(null)
  const [revoking, setRevoking] = useState<Device | null>(null)
  const [changing, setChanging] = useState<Device | null>(null)
  const [renewing, setRenewing] = useState<Device | null>(null)
  const columns = useColumns({ change: setChanging, renew: setRenewing, revoke: setRevoking })
  const isEmpty = devices.data?.data.length === 0
  const paired = devices.data?.data.find(({ id }) => id === created?.device.id)?.status === 'active'
  return (
    <>
      <PageTitle title={words.devices.title} lead={words.devices.lead}>
        {here.mayChange && !isEmpty && (
          <Button icon="plus" tone="primary" onClick={() => setCreating(true)}>
            {words.devices.create}
          </Button>
        )}
      </PageTitle>
      <ErrorNote error={devices.error} again={() => devices.refetch()} />
      {devices.data === undefined ? (
        devices.error === null && <Skeleton />
      ) : isEmpty ? (
        <Empty icon="devices" title={words.devices.empty}>
          <p className="mb-5">{words.devices.emptyLead}</p>
          {here.mayChange && (
            <Button icon="plus" tone="primary" onClick={() => setCreating(true)}>
              {words.devices.create}
            </Button>
          )}
        </Empty>
      ) : (
        <Table caption={words.devices.title} columns={columns} rows={devices.data.data} keyOf={({ id }) => id} />
      )}
      {devices.data !== undefined && here.mayChange && <TillAddress />}
      {creating && (
        <Create
          onClose={() => setCreating(false)}
          onCreated={(registered) => {
            setCreating(false)
            setCreated(registered)
          }}
        />
      )}
      {created !== null && <Pair created={created} paired={paired} onClose={() => setCreated(null)} />}
      {changing !== null && <Change device={changing} onClose={() => setChanging(null)} />}
      {renewing !== null && <Renew device={renewing} onClose={() => setRenewing(null)} onCreated={setCreated} />}
      {revoking !== null && <Revoke device={revoking} onClose={() => setRevoking(null)} />}
    </>
  )
}

/**
 * The address that makes a device a till. On a phone the code is folded, because a phone cannot scan its own screen.
 */
function TillAddress() {
  const words = useWords()
  const isNarrow = useNarrow()
  const till = `${useHere().me.service.base_url}/till`
  const code = <Qr text={till} label={words.devices.tillQr} />
  return (
    <section className="mt-6 flex flex-wrap items-center gap-x-6 gap-y-4 rounded-2xl border border-line bg-surface p-5 sm:p-6">
      {!isNarrow && code}
      <div className="min-w-0">
        <h2 className="text-base font-semibold">{words.devices.till}</h2>
        <p className="mt-1 mb-3 max-w-[56ch] text-soft">{words.devices.tillLead}</p>
        <p className="mb-3 rounded-lg bg-sunken px-3 py-2 font-mono text-[13px] break-all select-all">{till}</p>
        <Copy text={till} label={words.devices.copyTill} />
        {isNarrow && (
          <details className="mt-3 text-sm">
            <summary className="flex min-h-11 items-center text-accent">{words.devices.showQr}</summary>
            <div className="mt-2">{code}</div>
          </details>
        )}
      </div>
    </section>
  )
}

interface RowActions {
  change(device: Device): void
  renew(device: Device): void
  revoke(device: Device): void
}

function useColumns({ change, renew, revoke }: RowActions): Column<Device>[] {
  const words = useWords()
  const called = useTemplateTitle()
  const here = useHere()
  return [
    { head: words.devices.name, cell: (device) => <span className="font-medium max-sm:pr-10">{device.name}</span> },
    { head: words.keys.state, cell: (device) => <State device={device} /> },
    {
      head: words.devices.templates,
      cell: (device) => <span className="text-soft">{device.allowed_templates.map(called).join(', ')}</span>,
    },
    { head: words.devices.lastSeen, cell: (device) => <Time at={device.last_seen_at} /> },
    {
      head: '',
      cell: (device) =>
        here.mayChange &&
        device.status !== 'revoked' && (
          <div className="flex flex-wrap items-center justify-end gap-2 max-sm:justify-start">
            {device.status === 'pending' && (
              <Button aria-label={`${words.devices.newCode}: ${device.name}`} onClick={() => renew(device)}>
                {words.devices.newCode}
              </Button>
            )}
            <Button aria-label={`${words.templates.edit}: ${device.name}`} onClick={() => change(device)}>
              {words.templates.edit}
            </Button>
            <span className="max-sm:absolute max-sm:top-3 max-sm:right-2">
              <RowMenu
                label={`${words.templates.more}: ${device.name}`}
                actions={[
                  { label: words.devices.revoke, icon: 'remove', isDanger: true, onChoose: () => revoke(device) },
                ]}
              />
            </span>
          </div>
        ),
    },
  ]
}

function State({ device }: { device: Device }) {
  const words = useWords()
  const lapsed = device.pairing_expires_at !== undefined && new Date(device.pairing_expires_at).getTime() <= Date.now()
  if (device.status === 'pending')
    return (
      <>
        <StatusMark name="expired" word={words.devices.notPaired} />
        {lapsed && <span className="mt-1 block text-[13px] text-soft">{words.devices.lapsed}</span>}
      </>
    )
  if (device.revoked_reason === 'refresh_reuse') return <StatusMark name="revoked" word={words.devices.reuse} />
  if (device.status === 'revoked') return <StatusMark name="expired" word={words.devices.removed} />
  return <StatusMark name={device.status} />
}

type NewDevice = Pick<Device, 'name' | 'allowed_templates'>

function Create({ onClose, onCreated }: { onClose(): void; onCreated(created: RegisteredDevice): void }) {
  const words = useWords()
  const here = useHere()
  const act = useAct()
  return (
    <DeviceForm
      title={words.devices.create}
      word={words.devices.create}
      device={{ name: '', allowed_templates: ['age_over_18'] }}
      onClose={onClose}
      save={async (device) => onCreated(await act(() => post('@/devices', device, here.at())))}
    />
  )
}

function Change({ device, onClose }: { device: Device; onClose(): void }) {
  const words = useWords()
  const here = useHere()
  const act = useAct()
  return (
    <DeviceForm
      title={words.devices.editTitle(device.name)}
      word={words.save}
      device={device}
      onClose={onClose}
      save={async (changed) => {
        await act(() => post('@/devices/:id', changed, here.at({ id: device.id })))
        onClose()
      }}
    />
  )
}

interface DeviceFormProps {
  title: string
  word: string
  device: NewDevice
  onClose(): void
  save(device: NewDevice): Promise<void>
}

function DeviceForm({ title, word, device, onClose, save }: DeviceFormProps) {
  const words = useWords()
  const here = useHere()
  const templates = useAnswer('@/templates')
  const { busy, error, run } = useSubmit()
  const [unsaved, setUnsaved] = useState(false)
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    const fields = new FormData(event.currentTarget)
    const written = {
      name: String(fields.get('name')).trim(),
      allowed_templates: fields.getAll('template').map(String),
    }
    await run(() => save(written))
  }
  return (
    <Dialog title={title} onClose={onClose} unsaved={unsaved}>
      <Form onSubmit={submit} onChange={() => setUnsaved(true)}>
        <TextField
          label={words.devices.name}
          hint={words.devices.nameHint}
          name="name"
          defaultValue={device.name}
          maxLength={here.me.terms.name_length_max}
          required
        />
        <fieldset className="mb-4">
          <legend className="mb-2 text-sm font-medium">{words.devices.templates}</legend>
          <ErrorNote error={templates.error} again={() => templates.refetch()} />
          <div className="sm:columns-2">
            {templates.data === undefined && templates.error === null && <Skeleton lines={3} />}
            {templates.data?.data.map((template) => (
              <CheckField
                key={template.key}
                name="template"
                value={template.key}
                label={titleOf(words, template)}
                defaultChecked={device.allowed_templates.includes(template.key)}
              />
            ))}
          </div>
        </fieldset>
        <DialogFoot note={<ErrorNote error={error} />}>
          <Button onClick={onClose}>{words.cancel}</Button>
          <Button type="submit" tone="primary" busy={busy} disabled={templates.data === undefined}>
            {word}
          </Button>
        </DialogFoot>
      </Form>
    </Dialog>
  )
}

function Pair({ created, paired, onClose }: { created: RegisteredDevice; paired: boolean; onClose(): void }) {
  const words = useWords()
  const here = useHere()
  const left = useCountdown(created.device.pairing_expires_at ?? null)
  const till = `${here.me.service.base_url}/till`
  return (
    <Dialog title={words.devices.pair} onClose={onClose}>
      {paired ? (
        <Note tone="good">{words.devices.paired}</Note>
      ) : (
        <>
          <p className="mb-4 text-soft">{words.devices.pairLead(till)}</p>
          <div className="flex flex-wrap items-center gap-6">
            {/* The code is in the fragment, which reaches the till but no server and no log. */}
            <Qr text={`${till}#${created.pairing_code}`} label={created.pairing_code} />
            <div>
              <output className="block font-mono text-2xl font-semibold tracking-wider select-all">
                {created.pairing_code}
              </output>
              <p className="my-2 text-sm text-soft tabular-nums">
                {left > 0 ? `${words.devices.codeLeft} ${duration(left)}` : words.devices.codeExpired}
              </p>
              <Copy text={created.pairing_code} />
            </div>
          </div>
        </>
      )}
      <DialogFoot>
        <Button tone="primary" onClick={onClose}>
          {words.close}
        </Button>
      </DialogFoot>
    </Dialog>
  )
}

/** Creates a new pairing code: each code is shown only once. */
function Renew(props: { device: Device; onClose(): void; onCreated(created: RegisteredDevice): void }) {
  const words = useWords()
  const here = useHere()
  const act = useAct()
  const { busy, error, run } = useSubmit()
  const renew = () =>
    run(async () => {
      props.onCreated(await act(() => post('@/devices/:id/code', {}, here.at({ id: props.device.id }))))
      props.onClose()
    })
  return (
    <Dialog title={words.devices.newCodeTitle(props.device.name)} onClose={props.onClose}>
      <p className="mb-5 text-soft">{words.devices.newCodeLead}</p>
      <DialogFoot note={<ErrorNote error={error} />}>
        <Button onClick={props.onClose}>{words.cancel}</Button>
        <Button tone="primary" busy={busy} onClick={renew}>
          {words.devices.newCode}
        </Button>
      </DialogFoot>
    </Dialog>
  )
}

function Revoke({ device, onClose }: { device: Device; onClose(): void }) {
  const words = useWords()
  const here = useHere()
  const act = useAct()
  return (
    <Confirm
      title={words.devices.revokeTitle(device.name)}
      lead={words.devices.revokeLead(device.name)}
      word={words.devices.revoke}
      onClose={onClose}
      action={() => act(() => post('@/devices/:id/revoke', {}, here.at({ id: device.id })))}
    />
  )
}
