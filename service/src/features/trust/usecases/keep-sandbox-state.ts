// What the sandbox keeps, its issuer and its registrar: made once, kept sealed, changed in place. What it is is the sandbox's
// business; here it is a text.

import type { Deps } from '../../../deps.ts'
import { instantOf } from '../../../platform/world.ts'
import { sandboxIssuerSealContext } from '../domain/sandbox.ts'
import { insertSandboxIssuer, loadSandboxIssuer, replaceSandboxIssuer } from '../store/sandbox.ts'

type Needs = Pick<Deps, 'db' | 'sealer' | 'clock'>

/** The issuer had the table to itself once. */
export type SandboxName = 'default' | 'registrar'

export interface StateLife {
  make(): string
  /** The same text when nothing is due. */
  renew(text: string): string
}

export async function keepSandboxState(deps: Needs, name: SandboxName, life: StateLife): Promise<string> {
  const context = sandboxIssuerSealContext(name)
  const found = await loadSandboxIssuer(deps.db, name)
  if (found === null) {
    const sealed = deps.sealer.seal(Buffer.from(life.make(), 'utf8'), context)
    await insertSandboxIssuer(deps.db, { name, sealed, at: instantOf(deps.clock.now()) })
  }
  // Whoever was first decides: it is read again, also by the one who made it.
  const sealed = found ?? (await loadSandboxIssuer(deps.db, name))
  if (sealed === null) throw new Error('bug: the sandbox that was just kept is not there')
  const text = deps.sealer.open(sealed, context).toString('utf8')
  const renewed = life.renew(text)
  if (renewed === text) return text
  const replacement = deps.sealer.seal(Buffer.from(renewed, 'utf8'), context)
  const replaced = await replaceSandboxIssuer(deps.db, { name, sealed: replacement, seen: sealed })
  return replaced ? renewed : text
}

/** Reads it as it is now; what was opened before and is unchanged is not opened again. */
export function sandboxStateReader(deps: Pick<Deps, 'db' | 'sealer'>, name: SandboxName): () => Promise<string> {
  let known: { readonly sealed: Buffer; readonly text: string } | null = null
  return async () => {
    const sealed = await loadSandboxIssuer(deps.db, name)
    if (sealed === null) throw new Error('bug: what the sandbox keeps is gone')
    if (known === null || !known.sealed.equals(sealed)) {
      known = { sealed, text: deps.sealer.open(sealed, sandboxIssuerSealContext(name)).toString('utf8') }
    }
    return known.text
  }
}

const ATTEMPTS = 10

/** Changes it, whoever else does so meanwhile. */
export async function changeSandboxState<Result>(
  deps: Pick<Deps, 'db' | 'sealer'>,
  name: SandboxName,
  change: (text: string) => { readonly text: string; readonly result: Result },
): Promise<Result> {
  const context = sandboxIssuerSealContext(name)
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const seen = await loadSandboxIssuer(deps.db, name)
    if (seen === null) throw new Error('bug: what the sandbox keeps is gone')
    const { text, result } = change(deps.sealer.open(seen, context).toString('utf8'))
    const sealed = deps.sealer.seal(Buffer.from(text, 'utf8'), context)
    if (await replaceSandboxIssuer(deps.db, { name, sealed, seen })) return result
  }
  throw new Error('the sandbox is being changed by too many at once')
}
