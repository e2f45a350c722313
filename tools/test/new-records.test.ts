// Adds a stub format and a stub channel to a copy of the tree, and compiles it.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { listedNames, namesIn } from '../record-names.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const FORMATS = 'engine/src/formats'
const BINDINGS = 'engine/src/channels'
const CHANNELS = 'service/src/core/channels'
const WIRE_NAMES = 'wire/values/channels.ts'

interface Stub {
  /** The files of a stub format, without its record. */
  readonly head: string
  readonly open: string
  readonly members: Readonly<Record<string, string>>
}

const FORMAT: Stub = {
  head: `import { CheckLog, examined, NOTHING } from '../../examination.ts'
import type { CredentialQueryBase } from '../../openid4vp/credential-query.ts'
import { readArray, readObject, readText } from '../../openid4vp/fields.ts'
import type { QueriedRecord } from '../record.ts'

export interface StubQuery extends CredentialQueryBase {
  readonly format: 'stub+jwt'
  readonly meta: { readonly stub_values: readonly string[] }
}
`,
  open: 'export const stub: QueriedRecord<StubQuery> = {',
  members: {
    kind: `'queried'`,
    name: `'stub+jwt'`,
    label: `'Stub'`,
    examine: '(_, { query }) => examined(query, NOTHING, new CheckLog())',
    list: '(_, { query }) => examined(query, NOTHING, new CheckLog())',
    contentChecks: `['disclosures_valid']`,
    otherChecks: '[]',
    statusNotProvable: 'null',
    namedClaims: '(claims) => Object.entries(claims)',
    typeName: `'stub'`,
    readMeta: `(field) => ({
    stub_values: readArray(readObject(field, ['stub_values']).required('stub_values'), 5, (type) => readText(type, 9)),
  })`,
    typesOf: '({ stub_values: types }) => types',
    metaOf: '(types) => ({ stub_values: types })',
    readPath: '(field) => readArray(field, 1, (part) => readText(part, 9))',
    claimMembers: '[]',
    claimNames: '() => []',
    vpFormats: `{ stub_alg_values: ['ES256'] }`,
    wireQuery: '(query) => query',
    confirms: '() => false',
    confirmsOnce: '() => true',
  },
}

const BINDING: Stub = {
  head: `import type { ChannelRecord } from '../record.ts'

interface StubChannel {
  readonly kind: 'stub_air'
  readonly audience: string
}
`,
  open: 'export const stub: ChannelRecord<StubChannel> = {',
  members: {
    kind: `'stub_air'`,
    requireBinding: `({ audience }) => {
    if (audience === '') throw new Error('bug: a request without an audience')
  }`,
    audiences: '({ audience }) => [audience]',
    transcripts: '() => []',
    responseMode: 'null',
    hasReaderKey: 'false',
    presents: `'vp_token'`,
    carriesTransaction: 'false',
  },
}

const CHANNEL: Stub = {
  head: `import type { ChannelRecord } from '../record.ts'\n`,
  open: `export const stub: ChannelRecord<'stub_air'> = {`,
  members: {
    name: `'stub_air'`,
    label: `{ en: 'Stub', de: 'Stub' }`,
    binding: `'stub_air'`,
    asks: `'request_object'`,
    usesResponseKey: 'true',
    mayAskProofs: 'false',
    namesRegistration: 'false',
    leadsToHostedPage: 'false',
    countedAs: `'by_device'`,
  },
}

const sourceOf = ({ head, open, members }: Stub, left = ''): string =>
  [
    head,
    open,
    ...Object.entries(members).flatMap(([name, text]) => (name === left ? [] : [`  ${name}: ${text},`])),
    '}',
  ]
    .join('\n')
    .concat('\n')

/** Adds a folder and a line for each stub. */
const ADDED = [
  { folder: FORMATS, file: 'format.ts', stub: FORMAT, line: `export { stub as 'stub+jwt' } from './stub/format.ts'` },
  { folder: BINDINGS, file: 'channel.ts', stub: BINDING, line: `export { stub as stub_air } from './stub/channel.ts'` },
  { folder: CHANNELS, file: 'channel.ts', stub: CHANNEL, line: `export { stub as stub_air } from './stub/channel.ts'` },
] as const

let copy = ''

before(async () => {
  copy = await mkdtemp(join(tmpdir(), 'vidimus-records-'))
  for (const path of ['engine', 'service/src', 'service/package.json', 'labels', 'sdk/typescript', 'wallet', 'wire'])
    await cp(join(ROOT, path), join(copy, path), {
      recursive: true,
      filter: (from) => !/\/(test|dist|mutations|node_modules)$/.test(from),
    })
  await linkPackages()
  const { compilerOptions } = JSON.parse(await readFile(join(ROOT, 'tsconfig.json'), 'utf8'))
  // The result of the first run is cached for the second one of the same project.
  const options = (project: string) => ({ ...compilerOptions, tsBuildInfoFile: `${project}.tsbuildinfo` })
  await put(
    'tsconfig.json',
    JSON.stringify({ compilerOptions: options('whole'), include: ['engine/src', 'service/src'] }),
  )
  await put(
    'tables.json',
    JSON.stringify({ compilerOptions: options('tables'), include: [FORMATS, BINDINGS, CHANNELS] }),
  )
  await put('package.json', JSON.stringify({ type: 'module' }))
})

after(() => rm(copy, { recursive: true, force: true }))

/** Links all packages of the tree, but the workspaces of the copy. */
async function linkPackages(): Promise<void> {
  await mkdir(join(copy, 'node_modules', '@vidimus'), { recursive: true })
  for (const name of await readdir(join(ROOT, 'node_modules')))
    if (name !== '@vidimus' && !name.startsWith('.'))
      await symlink(join(ROOT, 'node_modules', name), join(copy, 'node_modules', name))
  for (const path of ['service', 'wallet', 'sdk/typescript'].filter((path) =>
    existsSync(join(ROOT, path, 'node_modules')),
  ))
    await symlink(join(ROOT, path, 'node_modules'), join(copy, path, 'node_modules'))
  for (const [name, path] of [
    ['engine', 'engine'],
    ['sdk', 'sdk/typescript'],
    ['wallet', 'wallet'],
  ] as const)
    await symlink(join(copy, path), join(copy, 'node_modules', '@vidimus', name))
}

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(copy, path)), { recursive: true })
  await writeFile(join(copy, path), text)
}

async function addLine(folder: string, line: string): Promise<void> {
  await put(`${folder}/list.ts`, `${await readFile(join(ROOT, folder, 'list.ts'), 'utf8')}${line}\n`)
}

/** Compiles the copy. Returns a line for each problem; none if it compiles. */
function compile(project: 'tsconfig.json' | 'tables.json'): Promise<readonly string[]> {
  return new Promise((resolve) => {
    const tsc = join(ROOT, 'node_modules', '.bin', 'tsc')
    execFile(
      tsc,
      ['--pretty', 'false', '-p', project],
      { cwd: copy, maxBuffer: 16 * 1024 * 1024 },
      (error, stdout, stderr) =>
        resolve(error === null ? [] : `${stdout}${stderr}`.split('\n').filter((line) => /^\S.*error TS/.test(line))),
    )
  })
}

const load = (path: string) => import(pathToFileURL(join(copy, path)).href)

test('the tree compiles and knows a stub format and a stub channel after a folder, a line and a name each', async () => {
  for (const { folder, file, stub, line } of ADDED) {
    await put(`${folder}/stub/${file}`, sourceOf(stub))
    await addLine(folder, line)
  }
  // The compiler requires both names in the table of names in JSON.
  assert.notDeepEqual(await compile('tsconfig.json'), [])
  const names = await readFile(join(ROOT, WIRE_NAMES), 'utf8')
  await put(
    WIRE_NAMES,
    names.replace("'dc+sd-jwt'", "'stub+jwt', 'dc+sd-jwt'").replace("'redirect'", "'redirect', 'stub_air'"),
  )
  assert.deepEqual(await compile('tsconfig.json'), [])

  const engine: typeof import('../../engine/src/index.ts') = await load('engine/src/index.ts')
  const requestedQuery = { id: 'one', format: 'stub+jwt', meta: { stub_values: ['a'] }, claims: [{ path: ['b'] }] }
  const query = engine.parseQuery({ credentials: [requestedQuery] })
  assert.deepEqual(query.credentials, [requestedQuery])
  assert.throws(
    () => engine.parseQuery({ credentials: [{ ...requestedQuery, meta: { vct_values: ['a'] } }] }),
    /vct_values/,
  )
  const parameters = { nonce: 'n'.repeat(22), query, encryptionJwk: null }
  assert.deepEqual(engine.unsignedDcApiRequest(parameters).client_metadata, {
    vp_formats_supported: { 'stub+jwt': { stub_alg_values: ['ES256'] } },
  })
  const { TERMS }: typeof import('../../service/src/features/dashboard/http/terms.ts') = await load(
    'service/src/features/dashboard/http/terms.ts',
  )
  assert.ok(TERMS.formats.some(({ name, label }) => name === 'stub+jwt' && label === 'Stub'))
  assert.ok(TERMS.channels.some(({ name }) => String(name) === 'stub_air'))
  const { CredentialResult, AnswerChannel }: typeof import('../../wire/verifications.ts') =
    await load('wire/verifications.ts')
  assert.match(JSON.stringify(CredentialResult), /"stub\+jwt"/)
  assert.match(JSON.stringify(AnswerChannel), /"stub_air"/)
})

test('the compiler names every member that a stub leaves out, and every wrong line', async () => {
  const expected: [file: string, problem: RegExp][] = []
  for (const { folder, file, stub } of ADDED)
    for (const name of Object.keys(stub.members)) {
      await put(`${folder}/without-${name}/${file}`, sourceOf(stub, name))
      expected.push([`${folder}/without-${name}/${file}`, new RegExp(`'${name}' is missing`)])
    }
  // In each table, a record under another name than its own.
  await addLine(FORMATS, `export { mdoc as 'stub+jwt' } from './mdoc/format.ts'`)
  await addLine(BINDINGS, `export { redirect as stub_air } from './redirect/channel.ts'`)
  await addLine(CHANNELS, `export { redirect as stub_air } from './redirect/channel.ts'`)
  for (const folder of [FORMATS, BINDINGS, CHANNELS]) expected.push([`${folder}/table.ts`, /error TS2322/])
  const problems = await compile('tables.json')
  for (const [file, problem] of expected) assertNamed(problems, file, problem)
  // A binding of the engine without a channel of the service.
  await put(`${CHANNELS}/list.ts`, await readFile(join(ROOT, CHANNELS, 'list.ts'), 'utf8'))
  assertNamed(await compile('tables.json'), `${CHANNELS}/table.ts`, /'stub_air' is missing/)
})

function assertNamed(problems: readonly string[], file: string, problem: RegExp): void {
  const isNamed = problems.some((line) => line.startsWith(`${file}(`) && problem.test(line))
  assert.ok(isNamed, `the compiler does not say ${problem} of ${file}:\n${problems.join('\n')}`)
}

test('finds a name outside of its folder, also in a template, a pattern and a key, but not in a comment', () => {
  const names = listedNames(ROOT)
  assert.deepEqual(names.toSorted(), [
    'age_link',
    'annex_c',
    'dc+sd-jwt',
    'dc_api',
    'mso_mdoc',
    'mso_mdoc_zk',
    'redirect',
  ])
  const refused = (source: string) => namesIn(source, names).map(({ name, line }) => `${name} ${line}`)
  assert.deepEqual(refused(`const a = 1\nif (format === 'mso_mdoc') go()\n`), ['mso_mdoc 2'])
  assert.deepEqual(refused('const type = `mso_mdoc:*`'), ['mso_mdoc 1'])
  assert.deepEqual(refused(String.raw`const a = /^(?:dc\+sd-jwt):/`), ['dc+sd-jwt 1'])
  assert.deepEqual(refused(`const a = { mso_mdoc_zk: {} }`), ['mso_mdoc_zk 1'])
  assert.deepEqual(refused(`if (way !== 'redirect') go()`), ['redirect 1'])
  assert.deepEqual(refused("const sql = `case when way in ('dc_api')`"), ['dc_api 1'])
  assert.deepEqual(refused(`// of mso_mdoc only\nfetch(url, { redirect: 'manual' }) /* annex_c */`), [])
})
