// Issues lists of trusted entities (ETSI TS 119 602) that name the sandbox registrar.

import type { JsonObject } from '../encoding/json.ts'
import { CURVES } from '../keys.ts'
import { signJws } from '../sdjwt.ts'
import type { RegistrarState } from './state.ts'

export const TRUSTED_LISTS = ['access-authorities', 'registration-providers', 'registers'] as const
export type TrustedListName = (typeof TRUSTED_LISTS)[number]

const DAY = 86_400

/** Annexes F, G and I. */
const KINDS = {
  'access-authorities': { list: 'EUWRPACProvidersList', service: 'WRPAC/Issuance' },
  'registration-providers': { list: 'EUWRPRCProvidersList', service: 'WRPRC/Issuance' },
  registers: { list: 'EURegistrarsAndRegistersList', service: 'Register' },
} as const satisfies { readonly [name in TrustedListName]: { readonly list: string; readonly service: string } }

export function trustedList(state: RegistrarState, name: TrustedListName, now: number): string {
  const { lists } = state
  return signJws({ alg: CURVES[lists.key.crv].jose, x5c: [lists.certificate] }, listClaims(state, name, now), lists.key)
}

function listClaims(state: RegistrarState, name: TrustedListName, now: number): JsonObject {
  const anchors = {
    'access-authorities': state.access,
    'registration-providers': state.provider.authority,
    registers: state.register.authority,
  }
  const kind = KINDS[name]
  const service = {
    ServiceTypeIdentifier: `http://uri.etsi.org/19602/SvcType/${kind.service}`,
    ServiceName: [{ lang: 'en', value: 'Vidimus sandbox registrar' }],
    ServiceDigitalIdentity: { X509Certificates: [{ val: anchors[name].certificate }] },
  }
  const entity = {
    TrustedEntityInformation: { TEName: [{ lang: 'en', value: 'Vidimus sandbox registrar' }] },
    TrustedEntityServices: [{ ServiceInformation: service }],
  }
  const scheme = {
    LoTEVersionIdentifier: 1,
    // Grows with time, without a counter.
    LoTESequenceNumber: Math.floor(now / DAY),
    LoTEType: `http://uri.etsi.org/19602/LoTEType/${kind.list}`,
    SchemeOperatorName: [{ lang: 'en', value: 'Vidimus sandbox' }],
    ListIssueDateTime: instant(now - (now % 60)),
    NextUpdate: instant(now + 7 * DAY),
  }
  return { LoTE: { ListAndSchemeInformation: scheme, TrustedEntitiesList: [entity] } }
}

const instant = (seconds: number) => new Date(seconds * 1000).toISOString().replace('.000', '')
