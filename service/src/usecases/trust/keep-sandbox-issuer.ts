// The sandbox issuer's keys and certificates: made once, kept sealed, renewed in place. What they are is the sandbox's
// business; here they are a text.

import type { Deps } from '../../deps.ts'
import { sandboxIssuerSealContext } from '../../domain/trust/sandbox.ts'
import { instantOf } from '../../domain/world.ts'
import { insertSandboxIssuer, loadSandboxIssuer, replaceSandboxIssuer } from '../../store/trust/sandbox.ts'

const NAME = 'default'
const SEAL_CONTEXT = sandboxIssuerSealContext(NAME)

export interface IssuerLife {
  make(): string
  /** The same text when nothing is due. */
  renew(text: string): string
}

export async function keepSandboxIssuer(
  deps: Pick<Deps, 'db' | 'sealer' | 'clock'>,
  life: IssuerLife,
): Promise<string> {
  const found = await loadSandboxIssuer(deps.db, NAME)
  if (found === null) {
    const sealed = deps.sealer.seal(Buffer.from(life.make(), 'utf8'), SEAL_CONTEXT)
    await insertSandboxIssuer(deps.db, { name: NAME, sealed, at: instantOf(deps.clock.now()) })
  }
  // Whoever was first decides: it is read again, also by the one who made it.
  const sealed = found ?? (await loadSandboxIssuer(deps.db, NAME))
  if (sealed === null) throw new Error('bug: the sandbox issuer that was just kept is not there')
  const text = deps.sealer.open(sealed, SEAL_CONTEXT).toString('utf8')
  const renewed = life.renew(text)
  if (renewed === text) return text
  const replacement = deps.sealer.seal(Buffer.from(renewed, 'utf8'), SEAL_CONTEXT)
  const replaced = await replaceSandboxIssuer(deps.db, { name: NAME, sealed: replacement, seen: sealed })
  return replaced ? renewed : text
}
