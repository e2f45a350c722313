// A dialog: the browser's own, which keeps the focus inside and gives it back. And the two that many pages need.

import { type FormEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { useWords } from '../preferences.tsx'
import { Button, CheckField, Copy, ErrorNote } from './parts.tsx'

interface DialogProps {
  title: string
  onClose(): void
  children: ReactNode
  /** False: only a button inside closes it. */
  closable?: boolean
  wide?: boolean
}

export function Dialog({ title, onClose, children, closable = true, wide = false }: DialogProps) {
  const box = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const element = box.current
    element?.showModal()
    return () => element?.close()
  }, [])
  return (
    <dialog
      ref={box}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        if (closable) onClose()
      }}
      className={`m-auto w-[calc(100%-2rem)] rounded-2xl border border-line bg-surface p-6 shadow-xl sm:p-8 ${wide ? 'max-w-5xl' : 'max-w-lg'}`}
    >
      <h2 id={id} className="mb-4 text-lg font-semibold">
        {title}
      </h2>
      {children}
    </dialog>
  )
}

interface ConfirmProps {
  title: string
  lead: string
  word: string
  onClose(): void
  action(): Promise<unknown>
  disabled?: boolean
  children?: ReactNode
}

/** What will happen in words, before it does. */
export function Confirm({ title, lead, word, onClose, action, disabled = false, children }: ConfirmProps) {
  const words = useWords()
  const [error, setError] = useState<unknown>(null)
  const [busy, setBusy] = useState(false)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    setError(null)
    try {
      await action()
      onClose()
    } catch (caught) {
      setError(caught)
      setBusy(false)
    }
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={submit}>
        <p className="mb-5 text-soft">{lead}</p>
        {children}
        <ErrorNote error={error} />
        <div className="mt-2 flex flex-wrap justify-end gap-2">
          <Button onClick={onClose}>{words.cancel}</Button>
          <Button type="submit" tone="danger" busy={busy} disabled={disabled}>
            {word}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

/** Shown once: it closes only when its reader says that it is stored. */
export function SecretDialog({
  title,
  lead,
  secret,
  onClose,
}: {
  title: string
  lead: string
  secret: string
  onClose(): void
}) {
  const words = useWords()
  const [stored, setStored] = useState(false)
  return (
    <Dialog title={title} onClose={onClose} closable={false}>
      <p className="mb-4 text-soft">{lead}</p>
      <output className="mb-3 block rounded-lg bg-sunken p-4 font-mono text-sm break-all select-all">{secret}</output>
      <Copy text={secret} />
      <div className="mt-5 border-t border-line pt-4">
        <CheckField
          label={words.keys.stored}
          checked={stored}
          onChange={(event) => setStored(event.currentTarget.checked)}
        />
        <div className="mt-2 flex justify-end">
          <Button tone="primary" disabled={!stored} onClick={onClose}>
            {words.close}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
