// A form that reports problems in its fields, in the reader's language, instead of the browser's bubbles.

import type { ComponentProps, FormEvent } from 'react'

/**
 * Calls `onSubmit` if every field is valid. Otherwise each invalid field shows its problem, and the first gets the
 * focus.
 */
export function Form({
  onSubmit,
  ...rest
}: Omit<ComponentProps<'form'>, 'onSubmit' | 'noValidate'> & { onSubmit(event: FormEvent<HTMLFormElement>): void }) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    for (const wrong of event.currentTarget.querySelectorAll(':invalid')) unfold(wrong)
    if (event.currentTarget.checkValidity()) onSubmit(event)
  }
  return <form {...rest} noValidate onSubmit={submit} />
}

/** Opens a folded section, because a hidden field cannot get the focus. */
function unfold(field: Element): void {
  const folded = field.closest('details')
  if (folded !== null) folded.open = true
}
