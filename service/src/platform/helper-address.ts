// Reads the address of an operator's helper program: a socket, or a command that starts it.

export type HelperAddress =
  | { readonly kind: 'socket'; readonly path: string }
  | { readonly kind: 'command'; readonly file: string; readonly parameters: readonly string[] }

/**
 * `unix:` and an absolute path, or an absolute path with parameters, separated by spaces and run without a shell. null
 * for anything else.
 */
export function readHelperAddress(text: string): HelperAddress | null {
  const [, path] = /^unix:(\/.+)$/.exec(text) ?? []
  if (path !== undefined) return { kind: 'socket', path }
  const [file = '', ...parameters] = text.trim().split(/\s+/)
  return file.startsWith('/') ? { kind: 'command', file, parameters } : null
}
