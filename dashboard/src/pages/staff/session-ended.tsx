// The sign-in dialog over a page whose session has ended. Unsaved input stays.

import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from 'react-router'
import type { Me } from '../../../../wire/staff.ts'
import { useWords } from '../../preferences.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Button } from '../../ui/parts.tsx'
import { SignInForm } from './sign-in-form.tsx'

export function SessionEnded({ me }: { me: Me }) {
  const { signIn: words } = useWords()
  const client = useQueryClient()
  const navigate = useNavigate()
  const next = location.pathname.replace(/^\/dashboard/, '') + location.search
  const asAnother = () => {
    navigate('/sign-in', { replace: true })
    client.clear()
  }
  return (
    <Dialog title={words.ended} onClose={asAnother} closable={false}>
      <p className="mb-1 text-soft">{words.endedLead}</p>
      <p className="mb-4 font-medium">{me.email}</p>
      <SignInForm email={me.email} onDone={() => client.invalidateQueries()} leaving={{ next }} />
      {me.service.oidc !== null && <p className="mt-3 text-sm text-soft">{words.endedProvider}</p>}
      <Button className="mt-3 w-full" onClick={asAnother}>
        {words.asAnother}
      </Button>
    </Dialog>
  )
}
