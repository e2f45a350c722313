// A token of SoftHSM in its own folder, if SoftHSM is installed and pkcs11js is built.

import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'

export const HSM_MODULE = [
  '/usr/lib/softhsm/libsofthsm2.so',
  '/usr/lib64/pkcs11/libsofthsm2.so',
  '/opt/homebrew/lib/softhsm/libsofthsm2.so',
].find((path) => existsSync(path))

const TOKEN = 'vidimus test'
const PIN = '1234'

export interface SoftHsm {
  /** For the service's configuration. */
  readonly env: Readonly<Record<string, string>>
  readonly conf: string
  readonly folder: string
  /** Its label. */
  readonly token: string
  readonly pin: string
  reference(object: string): string
  /** Imports a key with known bytes into the token: PKCS #8, PEM. */
  importKey(object: string, pem: string): Promise<void>
  generateSecretKey(object: string, bytes: number, isExtractable: boolean): void
  /** Destroys every object of the token. */
  empty(): Promise<void>
}

/** null if it is installed here, otherwise why it is not. */
export function whyNoSoftHsm(): string | null {
  if (HSM_MODULE === undefined || spawnSync('softhsm2-util', ['--version']).status !== 0)
    return 'SoftHSM is not installed (Debian: softhsm2)'
  try {
    createRequire(import.meta.url)('pkcs11js')
    return null
  } catch {
    return 'pkcs11js is not built (npm rebuild pkcs11js)'
  }
}

/** Runs in another process, because the service has the module open in this one. */
const GENERATE = `
  import pkcs11js from 'pkcs11js'
  const { token, pin, object, bytes, isExtractable } = JSON.parse(process.argv[1])
  const module = new pkcs11js.PKCS11()
  module.load(process.env.MODULE)
  module.C_Initialize()
  const slot = module.C_GetSlotList(true).find((one) => module.C_GetTokenInfo(one).label.trim() === token)
  const session = module.C_OpenSession(slot, pkcs11js.CKF_SERIAL_SESSION | pkcs11js.CKF_RW_SESSION)
  module.C_Login(session, pkcs11js.CKU_USER, pin)
  module.C_GenerateKey(session, { mechanism: pkcs11js.CKM_AES_KEY_GEN }, [
    { type: pkcs11js.CKA_CLASS, value: pkcs11js.CKO_SECRET_KEY },
    { type: pkcs11js.CKA_KEY_TYPE, value: pkcs11js.CKK_AES },
    { type: pkcs11js.CKA_VALUE_LEN, value: bytes },
    { type: pkcs11js.CKA_TOKEN, value: true },
    { type: pkcs11js.CKA_LABEL, value: object },
    { type: pkcs11js.CKA_ENCRYPT, value: true },
    { type: pkcs11js.CKA_DECRYPT, value: true },
    { type: pkcs11js.CKA_SENSITIVE, value: true },
    { type: pkcs11js.CKA_EXTRACTABLE, value: isExtractable },
  ])`

/** SoftHSM reads its configuration once per process, so a test file has one token. */
export async function startSoftHsm(ends: { after(work: () => Promise<void>): void } = { after }): Promise<SoftHsm> {
  const folder = await mkdtemp(join(tmpdir(), 'vidimus-hsm-'))
  ends.after(() => rm(folder, { recursive: true, force: true }))
  const conf = join(folder, 'softhsm2.conf')
  const tokens = join(folder, 'tokens')
  await mkdir(tokens)
  await writeFile(conf, `directories.tokendir = ${tokens}\nobjectstore.backend = file\nlog.level = ERROR\n`)
  const pinFile = join(folder, 'pin')
  await writeFile(pinFile, `${PIN}\n`, { mode: 0o600 })
  process.env.SOFTHSM2_CONF = conf
  const util = (...args: string[]) =>
    execFileSync('softhsm2-util', args, { env: { ...process.env, SOFTHSM2_CONF: conf }, stdio: 'pipe' })
  const init = () => util('--init-token', '--free', '--label', TOKEN, '--pin', PIN, '--so-pin', '5678')
  init()
  return {
    conf,
    folder,
    token: TOKEN,
    pin: PIN,
    env: { VIDIMUS_PKCS11_MODULE: HSM_MODULE ?? '', VIDIMUS_PKCS11_PIN_FILE: pinFile },
    reference: (object) => `pkcs11:token=${encodeURIComponent(TOKEN)};object=${object}`,
    async importKey(object, pem) {
      const path = join(folder, 'import.pem')
      await writeFile(path, pem, { mode: 0o600 })
      const id = Buffer.from(object).toString('hex')
      util('--import', path, '--token', TOKEN, '--label', object, '--id', id, '--pin', PIN)
      await rm(path)
    },
    generateSecretKey(object, bytes, isExtractable) {
      const env = { ...process.env, SOFTHSM2_CONF: conf, MODULE: HSM_MODULE }
      const values = JSON.stringify({ token: TOKEN, pin: PIN, object, bytes, isExtractable })
      execFileSync(process.execPath, ['--input-type=module', '-e', GENERATE, values], {
        env,
        stdio: 'pipe',
        cwd: import.meta.dirname,
      })
    },
    async empty() {
      await rm(tokens, { recursive: true })
      await mkdir(tokens)
    },
  }
}
