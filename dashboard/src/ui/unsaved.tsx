// Asks before unsaved changes are lost by a link or by closing the tab.

import { useEffect, useState } from 'react'
import { useNavigate } from 'react-router'
import { useWords } from '../preferences.tsx'
import { Dialog, DialogFoot } from './dialog.tsx'
import { Button } from './parts.tsx'

const BASE = '/dashboard'

/** Whether the browser would ask before it closes the tab. */
export const hasUnsavedWork = () => !dispatchEvent(new Event('beforeunload', { cancelable: true }))

/** Asks before a link leaves the page; the browser asks before the tab closes. */
export function Unsaved() {
  const words = useWords()
  const navigate = useNavigate()
  const [to, setTo] = useState<string | null>(null)
  useEffect(() => {
    const beforeUnload = (event: BeforeUnloadEvent) => event.preventDefault()
    const onClick = (event: MouseEvent) => {
      const link = event.target instanceof Element ? event.target.closest('a[href]') : null
      const leads = link instanceof HTMLAnchorElement && link.target === '' && !link.hasAttribute('download')
      if (!leads || event.defaultPrevented || event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0)
        return
      const { origin, pathname, search, hash } = new URL(link.href)
      if (origin !== location.origin || !pathname.startsWith(BASE) || pathname === location.pathname) return
      event.preventDefault()
      event.stopPropagation()
      setTo(pathname.slice(BASE.length) + search + hash)
    }
    addEventListener('beforeunload', beforeUnload)
    document.addEventListener('click', onClick, { capture: true })
    return () => {
      removeEventListener('beforeunload', beforeUnload)
      document.removeEventListener('click', onClick, { capture: true })
    }
  }, [])
  if (to === null) return null
  return (
    <Dialog title={words.unsavedTitle} onClose={() => setTo(null)}>
      <p className="mb-5 text-soft">{words.unsavedLead}</p>
      <DialogFoot>
        <Button autoFocus onClick={() => setTo(null)}>
          {words.keepEditing}
        </Button>
        <Button tone="danger" onClick={() => navigate(to)}>
          {words.discard}
        </Button>
      </DialogFoot>
    </Dialog>
  )
}
