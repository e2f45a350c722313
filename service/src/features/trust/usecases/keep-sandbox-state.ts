// Stores the states of the sandbox's issuer and registrar, each as a sealed text.

import type { Deps } from '../../../deps.ts'
import { instantOf } from '../../../platform/world.ts'
import { insertSandboxIssuer, loadSandboxIssuer, openSandboxIssuer, replaceSandboxIssuer } from '../store/sandbox.ts'

type Needs = Pick<Deps, 'db' | 'clock'>

/** The database names the issuer `default`. */
type SandboxName = 'default' | 'registrar'

interface StateLife {
  make(): string
  /** Returns the renewed text, or the same text if no renewal is due. */
  renew(text: string): string
}

export async function keepSandboxState(deps: Needs, name: SandboxName, life: StateLife): Promise<string> {
  const found = await loadSandboxIssuer(deps.db, name)
  if (found === null) {
    await insertSandboxIssuer(deps.db, { name, text: life.make(), at: instantOf(deps.clock.now()) })
  }
  // If several processes insert a state, the first one wins. So the row is read again.
  const sealed = found ?? (await loadSandboxIssuer(deps.db, name))
  if (sealed === null) throw new Error('bug: the state of the sandbox was stored and cannot be found')
  const text = openSandboxIssuer(deps.db, name, sealed)
  const renewed = life.renew(text)
  if (renewed === text) return text
  const replaced = await replaceSandboxIssuer(deps.db, { name, text: renewed, seen: sealed })
  return replaced ? renewed : text
}

/** Returns a reader of the current state, which decrypts the state only after a change. */
export function sandboxStateReader(deps: Pick<Deps, 'db'>, name: SandboxName): () => Promise<string> {
  let known: { readonly sealed: Buffer; readonly text: string } | null = null
  return async () => {
    const sealed = await loadSandboxIssuer(deps.db, name)
    if (sealed === null) throw new Error('bug: the state of the sandbox is missing')
    if (known === null || !known.sealed.equals(sealed)) {
      known = { sealed, text: openSandboxIssuer(deps.db, name, sealed) }
    }
    return known.text
  }
}

const ATTEMPTS = 10

/** Changes the state. Tries again if another process changed it at the same time. */
export async function changeSandboxState<Result>(
  deps: Pick<Deps, 'db'>,
  name: SandboxName,
  change: (text: string) => { readonly text: string; readonly result: Result },
): Promise<Result> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const seen = await loadSandboxIssuer(deps.db, name)
    if (seen === null) throw new Error('bug: the state of the sandbox is missing')
    const { text, result } = change(openSandboxIssuer(deps.db, name, seen))
    if (await replaceSandboxIssuer(deps.db, { name, text, seen })) return result
  }
  throw new Error('too many processes change the sandbox at the same time')
}
