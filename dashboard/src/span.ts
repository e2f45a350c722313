// A time span in the address of a list.

export const spanOf = ({ from, to }: { readonly from: string; readonly to: string }): string =>
  new URLSearchParams({ from, to }).toString()
