// A span of time as the address of a list says it.

export const spanOf = ({ from, to }: { readonly from: string; readonly to: string }): string =>
  new URLSearchParams({ from, to }).toString()
