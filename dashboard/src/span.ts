// Formats a time span as query parameters of a list's address.

export const spanOf = ({ from, to }: { readonly from: string; readonly to: string }): string =>
  new URLSearchParams({ from, to }).toString()
