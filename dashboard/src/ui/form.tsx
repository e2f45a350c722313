// A form that the browser does not judge by itself: its fields say what is wrong, in the reader's language.

import type { ComponentProps, FormEvent } from 'react'

/** `onSubmit` is called when every field is right. If not, each wrong field says so, and the first gets the focus. */
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

/** A field that is folded away cannot have the focus. */
function unfold(field: Element): void {
  const folded = field.closest('details')
  if (folded !== null) folded.open = true
}
