// What to enter in the product after its client was created, to the letter. The secret is in it, which is shown once.

import { useState } from 'react'
import { usePageWords, useWords } from '../../preferences.tsx'
import { Dialog, DialogFoot } from '../../ui/dialog.tsx'
import { Button, CheckField, Code, Copy } from '../../ui/parts.tsx'
import { clientWords } from '../../words/clients.ts'
import { PRESETS, type PresetName, type Registered } from './presets.ts'

interface Props {
  readonly preset: PresetName
  readonly registered: Registered
  onClose(): void
}

export function ClientSetUp({ preset, registered, onClose }: Props) {
  const words = useWords()
  const clients = usePageWords(clientWords)
  const [stored, setStored] = useState(false)
  const { fields, snippet } = PRESETS[preset]
  const { secret } = registered
  const rows = fields(registered)
  const text = snippet?.(registered) ?? null
  return (
    <Dialog title={clients.setUpTitle(PRESETS[preset].product)} onClose={onClose} closable={secret === null} wide>
      <p className="mb-5 text-soft">{clients.setUpLeads[preset]}</p>
      <dl className="mb-5 divide-y divide-line border-y border-line">
        {rows.map(([label, value]) => (
          <Row key={label} label={label} value={value} />
        ))}
        {secret !== null && <Row label={clients.secret} value={secret} isSecret />}
      </dl>
      {text !== null && (
        <div className="mb-5 space-y-2">
          <Code>{text}</Code>
          <Copy text={text} />
        </div>
      )}
      {secret !== null && (
        <CheckField
          label={words.keys.stored}
          checked={stored}
          onChange={(event) => setStored(event.currentTarget.checked)}
        />
      )}
      <DialogFoot>
        <Button tone="primary" disabled={secret !== null && !stored} onClick={onClose}>
          {words.close}
        </Button>
      </DialogFoot>
    </Dialog>
  )
}

function Row({ label, value, isSecret = false }: { label: string; value: string; isSecret?: boolean }) {
  const clients = usePageWords(clientWords)
  return (
    <div className="grid gap-x-4 gap-y-1 py-2.5 sm:grid-cols-[11rem_minmax(0,1fr)_auto] sm:items-center">
      <dt className="text-sm text-soft">{label}</dt>
      <dd className="font-mono text-[13px] break-all whitespace-pre-line select-all">
        {isSecret ? <output>{value}</output> : value}
        {isSecret && <span className="mt-0.5 block font-sans text-soft">{clients.secretOnce}</span>}
      </dd>
      <dd>
        <Copy text={value} />
      </dd>
    </div>
  )
}
