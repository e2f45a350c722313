// The browser's dialog, which keeps the focus inside and returns it; and dialogs that many pages use.

import { type KeyboardEvent, type ReactNode, useEffect, useId, useLayoutEffect, useRef, useState } from 'react'
import { useWords } from '../preferences.tsx'
import { Form } from './form.tsx'
import { Icon } from './icon.tsx'
import { Button, CheckField, Copy, ErrorNote, Note } from './parts.tsx'

interface DialogProps {
  title: string
  onClose(): void
  children: ReactNode
  /** False: only a button inside closes it. */
  closable?: boolean
  /** True: asks before unsaved input is discarded. */
  unsaved?: boolean
  wide?: boolean
  /** As large as the window. */
  full?: boolean
  /** The title is only for screen readers, and the content reaches the lower edge. */
  bare?: boolean
}

export function Dialog(props: DialogProps) {
  const { title, onClose, children, closable = true, unsaved = false, wide = false, full = false, bare = false } = props
  const words = useWords()
  const box = useRef<HTMLDialogElement>(null)
  const id = useId()
  const [asking, setAsking] = useState(false)
  // Runs before the element is removed: closing a removed dialog would not return the focus.
  useLayoutEffect(() => {
    const element = box.current
    element?.showModal()
    return () => {
      element?.close()
      keepFocus(element)
    }
  }, [])
  useGuard(unsaved, () => setAsking(true))
  const leave = () => {
    if (!closable) return
    if (unsaved) setAsking(!asking)
    else onClose()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return
    // Otherwise browsers close the dialog at the second Escape, whatever the page does.
    event.preventDefault()
    event.stopPropagation()
    leave()
  }
  return (
    <dialog
      ref={box}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        leave()
      }}
      onKeyDown={onKeyDown}
      tabIndex={-1}
      className={`m-auto w-[calc(100%-2rem)] rounded-2xl border border-line bg-surface shadow-xl ${bare ? 'px-4 pt-4' : 'px-6 pb-6 scroll-pt-28 scroll-pb-24 sm:px-8 sm:pb-8'} ${full ? 'h-full max-h-[calc(100dvh-2rem)] max-w-[90rem]' : wide ? 'max-w-5xl' : 'max-w-lg'}`}
    >
      <div
        className={
          bare
            ? 'sr-only'
            : 'sticky top-0 z-1 -mx-6 mb-1 flex items-start justify-between gap-2 bg-surface px-6 pt-6 pb-3 sm:-mx-8 sm:px-8'
        }
      >
        <h2 id={id} className="text-lg font-semibold">
          {title}
        </h2>
        {full && (
          // On a phone, replaces the button that does not fit into the footer.
          <button
            type="button"
            aria-label={words.cancel}
            className="-mt-2 -mr-3 grid size-11 shrink-0 place-items-center rounded-lg text-soft hover:bg-sunken sm:hidden"
            onClick={() => (unsaved ? setAsking(true) : onClose())}
          >
            <Icon name="close" />
          </button>
        )}
      </div>
      {/* Replaces the dialog's own buttons, so that there is one question at a time. */}
      <div className={`contents ${asking ? '[&_[data-foot]]:hidden' : ''}`}>{children}</div>
      {asking && (
        <DialogFoot note={<p className="mb-3 font-medium">{words.unsaved}</p>} isQuestion>
          <Button autoFocus onClick={() => setAsking(false)}>
            {words.keepEditing}
          </Button>
          <Button tone="destroy" onClick={onClose}>
            {words.discard}
          </Button>
        </DialogFoot>
      )}
    </dialog>
  )
}

/** The buttons of a dialog and their result, visible however long the dialog is. */
export function DialogFoot({ note, isQuestion = false, children }: DialogFootProps) {
  return (
    <div
      data-foot={isQuestion ? undefined : ''}
      role={isQuestion ? 'status' : undefined}
      className="sticky -bottom-6 -mx-6 mt-5 -mb-6 border-t border-line bg-surface px-6 py-4 sm:-bottom-8 sm:-mx-8 sm:-mb-8 sm:px-8"
    >
      {note}
      <div className="flex flex-wrap justify-end gap-2">{children}</div>
    </div>
  )
}

interface DialogFootProps {
  readonly note?: ReactNode
  /** Hides the other footers until it is answered. */
  readonly isQuestion?: boolean
  readonly children: ReactNode
}

/** The browser also asks before it leaves the page, and going back asks first. */
function useGuard(unsaved: boolean, ask: () => void): void {
  const latestAsk = useRef(ask)
  latestAsk.current = ask
  useEffect(() => {
    if (!unsaved) return
    const onUnload = (event: BeforeUnloadEvent) => event.preventDefault()
    // Adds a history entry of this page: going back ends here, and the dialog asks.
    const stay = () => history.pushState(history.state, '', location.href)
    const onBack = () => {
      stay()
      latestAsk.current()
    }
    stay()
    addEventListener('beforeunload', onUnload)
    addEventListener('popstate', onBack)
    return () => {
      removeEventListener('beforeunload', onUnload)
      removeEventListener('popstate', onBack)
    }
  }, [unsaved])
}

/** If the button that opened the dialog is gone, such as that of a removed row, focuses what is shown now. */
function keepFocus(closed: HTMLElement | null): void {
  const { activeElement } = document
  const isKept = activeElement !== null && activeElement !== document.body && closed?.contains(activeElement) !== true
  if (isKept) return
  const shown = [...document.querySelectorAll('dialog[open]')].at(-1) ?? document.getElementById('main')
  if (shown instanceof HTMLElement) shown.focus()
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

/** Says what will happen, and asks for confirmation. */
export function Confirm({ title, lead, word, onClose, action, disabled = false, children }: ConfirmProps) {
  const words = useWords()
  const [error, setError] = useState<unknown>(null)
  const [busy, setBusy] = useState(false)
  const submit = async () => {
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
      <Form onSubmit={submit}>
        <p className="mb-5 text-soft">{lead}</p>
        {children}
        <DialogFoot note={<ErrorNote error={error} />}>
          <Button onClick={onClose}>{words.cancel}</Button>
          <Button type="submit" tone="destroy" busy={busy} disabled={disabled}>
            {word}
          </Button>
        </DialogFoot>
      </Form>
    </Dialog>
  )
}

/** Shown once. It closes only when the reader confirms that it is stored. */
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
      <div className="mt-5">
        <CheckField
          label={words.keys.stored}
          checked={stored}
          onChange={(event) => setStored(event.currentTarget.checked)}
        />
      </div>
      <DialogFoot>
        <Button tone="primary" disabled={!stored} onClick={onClose}>
          {words.close}
        </Button>
      </DialogFoot>
    </Dialog>
  )
}

/** Shows that the action succeeded, with the service's warnings. */
export function WarningsDialog({ title, lead, children, onClose }: WarningsProps) {
  const words = useWords()
  return (
    <Dialog title={title} onClose={onClose}>
      <Note tone="warn">
        <p className="font-medium">{lead}</p>
        {children}
      </Note>
      <DialogFoot>
        <Button tone="primary" onClick={onClose}>
          {words.close}
        </Button>
      </DialogFoot>
    </Dialog>
  )
}

interface WarningsProps {
  readonly title: string
  readonly lead: string
  readonly children: ReactNode
  onClose(): void
}
