// RFC 8785: one text per value, so that anyone can compute the same hash.

export type Json = null | boolean | number | string | readonly Json[] | { readonly [member: string]: Json | undefined }

export function canonical(value: Json): string {
  if (Array.isArray(value)) return `[${value.map((item: Json) => canonical(item)).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const object = value as { readonly [member: string]: Json | undefined }
  const members = Object.keys(object)
    .sort()
    .flatMap((name) => {
      const member = object[name]
      return member === undefined ? [] : [`${JSON.stringify(name)}:${canonical(member)}`]
    })
  return `{${members.join(',')}}`
}
