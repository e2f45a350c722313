// Where a program of the operator's is that does what this process does not: at a socket, or started by a command.

export type HelperAddress =
  | { readonly kind: 'socket'; readonly path: string }
  | { readonly kind: 'command'; readonly file: string; readonly parameters: readonly string[] }

/** `unix:` and an absolute path, or a command of an absolute path and its parameters, parted by spaces; no shell reads it. Null where it is neither. */
export function readHelperAddress(text: string): HelperAddress | null {
  const [, path] = /^unix:(\/.+)$/.exec(text) ?? []
  if (path !== undefined) return { kind: 'socket', path }
  const [file = '', ...parameters] = text.trim().split(/\s+/)
  return file.startsWith('/') ? { kind: 'command', file, parameters } : null
}
