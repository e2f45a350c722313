// Compares the text of the SDKs with the API. Each must have every route, error code, event and status.

import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { testService } from '../../service/test/harness/service.ts'
import { wireSchemas } from '../../tools/build-sdk.ts'
import { renderTypes } from '../../tools/sdk-types/render-types.ts'
import { ERROR_CODES } from '../../wire/values/errors.ts'
import { WEBHOOK_EVENT_TYPES } from '../typescript/src/webhook.ts'

const SDK = join(import.meta.dirname, '..')

type Language = 'typescript' | 'python' | 'php' | 'go'

/** Where each client has its sources, and how it writes the names that this test searches. */
const LANGUAGES: Readonly<
  Record<Language, { folder: string; readme: string; ext: string; method: (name: string) => RegExp }>
> = {
  typescript: {
    folder: 'typescript/src',
    readme: 'typescript/README.md',
    ext: '.ts',
    method: (name) => new RegExp(`^ {2,4}(?:async \\*?)?${name}(?:,$|\\(|: )`, 'm'),
  },
  python: {
    folder: 'python/vidimus',
    readme: 'python/README.md',
    ext: '.py',
    method: (name) => new RegExp(`^    def ${name}\\(`, 'm'),
  },
  php: {
    folder: 'php/src',
    readme: 'php/README.md',
    ext: '.php',
    method: (name) => new RegExp(`^    public function ${name}\\(`, 'm'),
  },
  go: {
    folder: 'go',
    readme: 'go/README.md',
    ext: '.go',
    method: (name) => new RegExp(`^func \\(\\w+ \\*\\w+\\) ${name}\\(`, 'm'),
  },
}

/** Each operation of the merchant's API, and its method: file and name. */
const METHODS: Readonly<Record<string, Readonly<Record<Language, readonly [file: string, name: string]>>>> = {
  createVerification: inVerifications('create'),
  getVerification: inVerifications('get'),
  getVerificationStatus: inVerifications('status'),
  listVerifications: inVerifications('list'),
  redeemResponseCode: inVerifications('redeem'),
  cancelVerification: inVerifications('cancel'),
  forgetVerification: inVerifications('forget'),
  getVerificationVerdict: inVerifications('verdict'),
  getVerificationTransaction: inVerifications('transaction'),
  getVerificationDiagnostics: inVerifications('diagnostics'),
  eraseVerification: inVerifications('erase'),
  getReceipt: inVerifications('receipt'),
  getReceiptProof: { ...inVerifications('receiptProof'), python: ['verifications.py', 'receipt_proof'] },
  getCertificate: inVerifications('certificate'),
  collectEvidence: { ...inVerifications('collectEvidence'), python: ['verifications.py', 'collect_evidence'] },
  createLink: inFile('links', 'create'),
  getLink: inFile('links', 'get'),
  listLinks: inFile('links', 'list'),
  revokeLink: inFile('links', 'revoke'),
  registerDevice: inDevices('register'),
  listDevices: inDevices('list'),
  revokeDevice: inDevices('revoke'),
  enrollDevice: inDevices('enroll'),
  rotateDeviceToken: inDevices('refresh'),
  getUsage: { ...inClient('usage'), typescript: ['client.ts', 'readonly usage'] },
  // In TypeScript the device's own client has this method.
  listTemplates: { ...inClient('templates'), typescript: ['device/device-client.ts', 'listTemplates'] },
}

/** Methods without a route. */
const BEYOND: typeof METHODS = {
  'waiting for a result': {
    typescript: ['verifications.ts', 'waitForResult'],
    python: ['verifications.py', 'wait_for_result'],
    php: ['Verifications.php', 'waitForResult'],
    go: ['wait.go', 'Wait'],
  },
  'all pages': { ...inVerifications('all'), go: ['iterator.go', 'All'] },
}

function inVerifications(name: string): Record<Language, readonly [string, string]> {
  return inFile('verifications', name)
}

function inDevices(name: string): Record<Language, readonly [string, string]> {
  return { ...inFile('devices', name), typescript: ['device/devices.ts', name] }
}

function inClient(name: string): Record<Language, readonly [string, string]> {
  return inFile('client', name)
}

function inFile(file: string, name: string): Record<Language, readonly [string, string]> {
  const capital = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`
  return {
    typescript: [`${file}.ts`, name],
    python: [`${file}.py`, name],
    php: [`${capital(file)}.php`, name],
    go: [`${file}.go`, capital(name)],
  }
}

const IMPORTS: Readonly<Record<Language, RegExp>> = {
  typescript: /from '([^']+)'/g,
  python: /^(?:from|import) ([\w.]+)/gm,
  php: /^use ([\w\\]+)/gm,
  go: /^(?:import )?\t?(?:\w+ )?"([\w./-]+)"$/gm,
}

const ALLOWED: Readonly<Record<Language, RegExp>> = {
  typescript: /^\.\.?\/|^node:fs\/promises$|^@vidimus\/sdk$/,
  python:
    /^(?:\.\w+|__future__|base64|dataclasses|errno|hashlib|hmac|http\.client|json|math|re|secrets|socket|ssl|time|typing|urllib\.(?:error|parse|request)|uuid)$/,
  php: /^Vidimus\\/,
  go: /^(?:[a-z]+\/)*[a-z0-9]+$/,
}

/** The function of each SDK that decrypts results. Each passes the cases of `sdk/cases/results.json`. */
const OPENERS: Readonly<Record<Language, readonly [file: string, name: RegExp]>> = {
  typescript: ['result.ts', /^export async function openResult\(/m],
  python: ['result.py', /^def open_result\(/m],
  php: ['Result.php', /^ {4}public static function open\(/m],
  go: ['result.go', /^func OpenResult\(/m],
}

interface Document {
  readonly paths: Record<
    string,
    Record<string, { operationId?: string; parameters?: { name: string; in: string }[] } & Body & Answers>
  >
  readonly components: { readonly schemas: Record<string, Schema> }
}
interface Body {
  readonly requestBody?: { readonly content: Record<string, { readonly schema: Schema }> }
}
interface Answers {
  readonly responses: Record<string, { readonly description: string }>
}
interface Schema {
  readonly properties?: Record<string, Schema>
  readonly enum?: readonly string[]
}

const service = await testService()
const document = (await service.call('GET', '/openapi.json')).json as Document
const operations = Object.entries(document.paths)
  .filter(([path]) => path.startsWith('/v1/'))
  .flatMap(([path, methods]) => Object.values(methods).map((operation) => ({ path, ...operation })))

async function sourcesOf(language: Language): Promise<Map<string, string>> {
  const { folder, ext } = LANGUAGES[language]
  const files = (await readdir(join(SDK, folder), { recursive: true })).filter(
    (file) => file.endsWith(ext) && !/_test\.go$|^integration/.test(file),
  )
  const sources = new Map(
    await Promise.all(files.map(async (file) => [file, await readFile(join(SDK, folder, file), 'utf8')] as const)),
  )
  // The TypeScript package contains the types of the bodies.
  if (language === 'typescript') sources.set('wire.ts', renderTypes(await wireSchemas()))
  return sources
}

it('the table has every operation of the merchant API, and no other', () => {
  assert.deepEqual(operations.map(({ operationId }) => operationId).sort(), Object.keys(METHODS).sort())
})

it('the table has every refusal code of the routes', () => {
  const descriptions = operations.flatMap(({ responses }) =>
    Object.entries(responses).flatMap(([status, { description }]) => (Number(status) >= 400 ? [description] : [])),
  )
  const codes = descriptions.flatMap((text) => [...text.matchAll(/`([a-z_]+)`/g)].map(([, code = '']) => code))
  assert.deepEqual([...new Set(codes)].sort(), [...ERROR_CODES].sort())
})

for (const language of Object.keys(LANGUAGES) as Language[]) {
  describe(language, async () => {
    const sources = await sourcesOf(language)
    const whole = [...sources.values()].join('\n')

    it('has a method for each operation, which calls its route', () => {
      for (const [operation, methods] of Object.entries({ ...METHODS, ...BEYOND })) {
        const [file, name] = methods[language]
        assert.match(sources.get(file) ?? '', LANGUAGES[language].method(name), `${operation}: ${file} has no ${name}`)
      }
      for (const { path } of operations) {
        // The fixed end of a route, such as /redeem or /token; or the whole route.
        const end = path.endsWith('}') ? path.replace(/\/\{\w+\}$/, '') : path.replace(/^.*\}/, '')
        assert.ok(whole.includes(end) || whole.includes(end.replace('/v1/devices', '')), `${path} is nowhere in it`)
      }
    })

    it('documents each method in its README', async () => {
      const readme = await readFile(join(SDK, LANGUAGES[language].readme), 'utf8')
      for (const methods of Object.values({ ...METHODS, ...BEYOND })) {
        const name = methods[language][1].replace('readonly ', '')
        // The device's own client is documented as a whole.
        if (name === 'listTemplates') continue
        assert.match(readme, new RegExp(`\\b${name}\\b`), `${name} is nowhere in it`)
      }
    })

    it('has every member of requests and answers', () => {
      const names = new Set<string>()
      for (const { parameters = [], requestBody } of operations) {
        for (const parameter of parameters) if (parameter.in === 'query') names.add(parameter.name)
        for (const name of Object.keys(requestBody?.content['application/json']?.schema.properties ?? {}))
          names.add(name)
      }
      for (const name of [
        'Verification',
        'CredentialResult',
        'Link',
        'Device',
        'DeviceTokenPair',
        'Usage',
        'ErasureResult',
        'EvidenceDelivery',
        'VerificationDiagnostics',
      ])
        for (const member of Object.keys(document.components.schemas[name]?.properties ?? assert.fail(name)))
          names.add(member)
      for (const name of names) assert.match(whole, new RegExp(`\\b${name}\\b`), `${name} is nowhere in it`)
    })

    it('documents every format that a credential may have', () => {
      const formats = document.components.schemas.CredentialResult?.properties?.format?.enum ?? []
      assert.equal(formats.length, 3)
      for (const name of formats) assert.ok(whole.includes(name), `${name} is nowhere in it`)
    })

    it('has every refusal code and every event', () => {
      for (const code of [...ERROR_CODES, ...WEBHOOK_EVENT_TYPES])
        assert.match(whole, new RegExp(`['"]${code.replace('.', '\\.')}['"]`), `${code} is nowhere in it`)
    })

    it('decrypts results, and its README says how', async () => {
      const [file, name] = OPENERS[language]
      assert.match(sources.get(file) ?? '', name)
      assert.match(
        await readFile(join(SDK, LANGUAGES[language].readme), 'utf8'),
        /openResult|open_result|OpenResult|Result::open/,
      )
    })

    it('imports only the standard library of its language', () => {
      const found = [...whole.matchAll(IMPORTS[language])].map(([, name = '']) => name)
      for (const name of found) assert.match(name, ALLOWED[language], `it imports ${name}`)
    })
  })
}
