// A field for PEM text, pasted or read from a file in the browser.

import { useState } from 'react'
import { FileField } from '../../ui/file-field.tsx'
import { AreaField } from '../../ui/parts.tsx'

interface Props {
  readonly label: string
  readonly hint?: string
  readonly fileLabel: string
  readonly name: string
  readonly problem: string | null
}

export function PemField({ label, hint, fileLabel, name, problem }: Props) {
  const [text, setText] = useState('')
  const read = async ([file]: readonly File[]) => {
    if (file !== undefined) setText(pemOf(new Uint8Array(await file.arrayBuffer())))
  }
  return (
    <>
      <AreaField
        label={label}
        hint={hint}
        problem={problem}
        name={name}
        rows={6}
        required
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <FileField label={fileLabel} accept=".pem,.crt,.cer,.der" onFiles={read} />
    </>
  )
}

/** Converts a DER certificate to PEM. Text stays as it is. */
function pemOf(bytes: Uint8Array): string {
  if (bytes[0] !== 0x30) return new TextDecoder().decode(bytes)
  const base64 = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
  return `-----BEGIN CERTIFICATE-----\n${(base64.match(/.{1,64}/g) ?? []).join('\n')}\n-----END CERTIFICATE-----\n`
}
