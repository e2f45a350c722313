// Hides what JSON says in the length of its ciphertext, which is that of the text: yes becomes as long as no.

const STEP = 128

/** Adds spaces at the end, which JSON ignores: one for each value that is shorter than its opposite, then up to the next step. */
export function padJson(json: string): Buffer {
  const shorter = json.match(/true|"no"/g)?.length ?? 0
  const bytes = Buffer.byteLength(json)
  return Buffer.from(json + ' '.repeat(Math.ceil((bytes + shorter) / STEP) * STEP - bytes), 'utf8')
}
