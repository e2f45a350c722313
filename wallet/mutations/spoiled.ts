// Builds a presentation that its hooks change, and names the check that must catch it, or 'accepted'.

import { type MdocHooks, mdocTrial } from './mdoc/mdoc-trial.ts'
import type { Mutation } from './mutation.ts'
import { type SdJwtHooks, sdJwtTrial } from './sd-jwt/sd-jwt-trial.ts'
import type { World } from './world.ts'

type Hooks<Kind> = Kind | ((world: World) => Kind)

export function spoiledSdJwt(id: string, title: string, expectedCheck: string, hooks: Hooks<SdJwtHooks>): Mutation {
  const make = (world: World) => sdJwtTrial(world, typeof hooks === 'function' ? hooks(world) : hooks)
  return { id, title, format: 'dc+sd-jwt', make, ...expecting(expectedCheck) }
}

export function spoiledMdoc(id: string, title: string, expectedCheck: string, hooks: Hooks<MdocHooks>): Mutation {
  const make = (world: World) => mdocTrial(world, typeof hooks === 'function' ? hooks(world) : hooks)
  return { id, title, format: 'mso_mdoc', make, ...expecting(expectedCheck) }
}

export function expecting(expectedCheck: string): Pick<Mutation, 'expectedCheck' | 'positive'> {
  return expectedCheck === 'accepted' ? { expectedCheck, positive: true } : { expectedCheck }
}
