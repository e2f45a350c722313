// Claims that only the merchant can read, decrypted in the browser with the private key from a file.

import { type ReactNode, useState } from 'react'
import { openResult } from '../../../../sdk/typescript/src/result.ts'
import type { VerificationDetail } from '../../../../wire/verifications-staff.ts'
import { readKeyFile } from '../../key-file.ts'
import { useWords } from '../../preferences.tsx'
import { FileField } from '../../ui/file-field.tsx'
import { Note } from '../../ui/parts.tsx'

interface Props {
  readonly verification: Pick<VerificationDetail, 'id' | 'status' | 'created_at' | 'expires_at'>
  readonly claims: Readonly<Record<string, unknown>>
  /** Renders the decrypted claims. */
  children(claims: Readonly<Record<string, unknown>>): ReactNode
}

export function EncryptedClaims({ verification, claims, children }: Props) {
  const { resultKeys: words } = useWords()
  const [opened, setOpened] = useState<Readonly<Record<string, unknown>> | null>(null)
  const [isOther, setIsOther] = useState(false)
  const open = async ([file]: readonly File[]) => {
    if (file === undefined) return
    const { id, status, created_at, expires_at } = verification
    const key = await readKeyFile(file)
    const result =
      key === null
        ? null
        : await openResult({ id, status, created_at, expires_at, claims: { ...claims } }, key).catch(() => null)
    setIsOther(result === null)
    setOpened(result?.claims ?? null)
  }
  if (opened !== null) return children(opened)
  return (
    <>
      <p className="mb-3">{words.encrypted}</p>
      {isOther && <Note tone="bad">{words.notThisKey}</Note>}
      <FileField label={words.openWith} hint={words.openHint} onFiles={open} />
    </>
  )
}
