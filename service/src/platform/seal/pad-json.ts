// Hides what JSON says in the length of its ciphertext, which is that of the text: yes becomes as long as no.

const STEP = 128
const SHORTER = /true|"no"/g
/** More are not counted: a long text can consist of them. */
const SHORTER_MAX = 500

/** Adds spaces at the end, which JSON ignores: one for each value that is shorter than its opposite, then up to the next step. */
export function padJson(json: string): Buffer {
  let shorter = 0
  SHORTER.lastIndex = 0
  while (shorter < SHORTER_MAX && SHORTER.test(json)) shorter += 1
  const bytes = Buffer.byteLength(json)
  return Buffer.from(json + ' '.repeat(Math.ceil((bytes + shorter) / STEP) * STEP - bytes), 'utf8')
}
