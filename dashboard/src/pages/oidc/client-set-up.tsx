// The values to enter in the product after its client was created, with the secret, which is shown once.

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
      {rows.length > 0 && (
        <dl className="mb-5 divide-y divide-line border-y border-line">
          {rows.map(([label, value, how]) => (
            <div
              key={label}
              className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-0.5 py-2.5 sm:grid-cols-[11rem_minmax(0,1fr)_auto]"
            >
              <dt className="col-span-2 text-sm text-soft sm:col-span-1">{label}</dt>
              <dd
                className={`break-all whitespace-pre-line ${how === 'choose' ? 'text-sm' : 'font-mono text-[13px] select-all'}`}
              >
                {value === secret ? <output>{value}</output> : value}
              </dd>
              <dd className="min-h-10">{how === undefined && <Copy text={value} tone="quiet" />}</dd>
            </div>
          ))}
        </dl>
      )}
      {text !== null && (
        <div className="mb-5 space-y-2">
          <Code>{text}</Code>
          <Copy text={text} />
        </div>
      )}
      {secret !== null && <p className="mb-3 text-sm text-soft">{clients.secretOnce}</p>}
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
