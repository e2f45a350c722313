// Builds the Go samples of the docs into one program, one function each.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ID, KEY_PLACEHOLDER, type Sample } from '../../src/features/docs/http/samples.ts'
import { QUIET, SDK } from '../sdk/language.ts'

interface Build {
  readonly go: string
  readonly folder: string
  readonly samples: Readonly<Record<string, Sample>>
  readonly key: string
}

/** The variables that samples expect from their reader. */
const READERS_OWN = `package main

import (
\t"context"
\t"fmt"
\t"os"
\t"vidimus"
)

var (
\tid                         = os.Args[2]
\tresponseCode, refreshToken string
\trawBody                    []byte
\tclient                     *vidimus.Client
\trequest                    vidimus.NewVerification
)

func admit()         {}
func keep(string)    {}
func enqueue(string) {}
func handle(string)  {}

var calls = map[string]func(context.Context) error{}

func main() {
\tif err := calls[os.Args[1]](context.Background()); err != nil {
\t\tfmt.Fprintln(os.Stderr, err)
\t\tos.Exit(1)
\t}
}
`

/** Returns how to run one of them. */
export async function buildGoSamples({
  go,
  folder,
  samples,
  key,
}: Build): Promise<(call: string, id: string) => Promise<string>> {
  const source = join(folder, 'go')
  await mkdir(source)
  await writeFile(join(source, 'main.go'), READERS_OWN)
  const required = `module samples\n\ngo 1.21\n\nrequire vidimus v0.1.0\n\nreplace vidimus => ${join(SDK, 'go')}\n`
  await writeFile(join(source, 'go.mod'), required)
  for (const [name, { code }] of Object.entries(samples)) {
    const [, imports = '', body = ''] =
      /^(import (?:"vidimus"|\([^)]*\)))\n\n([\s\S]*)$/.exec(code.go) ?? assert.fail(code.go)
    const named = body.replaceAll(`"${ID}"`, 'id').replaceAll(KEY_PLACEHOLDER, key)
    const isHandler = name === 'verifyWebhook'
    const parameters = isHandler ? '(_ context.Context, request *http.Request)' : '(ctx context.Context)'
    const register = isHandler ? '' : `func init() { calls["${name}"] = run_${name} }\n`
    const more = isHandler ? 'import (\n\t"context"\n\t"net/http"\n)' : 'import "context"'
    const text = `package main\n\n${more}\n\n${imports}\n\nfunc run_${name}${parameters} error {\n${named}\nreturn err\n}\n\n${register}`
    await writeFile(join(source, `${name}.go`), text)
  }
  const run = promisify(execFile)
  const built = join(folder, 'samples')
  const env = { ...process.env, ...QUIET }
  await run(go, ['build', '-o', built, '.'], { cwd: source, env }).catch((error) => assert.fail(String(error.stderr)))
  return async (call, id) => {
    const { stdout } = await run(built, [call, id]).catch((error) => assert.fail(`${call}: ${error.stderr}`))
    return stdout
  }
}
