// Defines the commands for OpenID clients: `vidimus client create | list | update | rotate-secret | remove | rotate-signing-keys`.

import type { Command } from 'commander'
import {
  AUTH_METHODS,
  CLIENT_BOUNDS,
  CLIENT_PROFILES,
  CROSS_DEVICE,
  SIGNING_ALGS,
  SUBJECT_MODES,
} from '../../../../../wire/values/oidc.ts'
import { type CliWorld, inRealm, OPERATOR, type RealmOptions, readBytes, realmOf } from '../../../cli/world.ts'
import { answer, CliProblem, table, wholeNumber } from '../../../platform/cli/print.ts'
import {
  CLIENTS_PER_REALM_MAX,
  type ClientProblem,
  type ClientTerms,
  type OidcClient,
  renderClient,
} from '../domain/client.ts'
import { issuerOf } from '../domain/issuer.ts'
import { STANDARD_TERMS } from '../domain/standard-terms.ts'
import {
  type ClientChange,
  changeClient,
  createClient,
  readClients,
  removeClient,
  rotateClientSecret,
} from '../usecases/manage-clients.ts'
import { rotateSigningKeys } from '../usecases/signing-keys.ts'

export function addClientCommands(program: Command, world: CliWorld): void {
  const client = program
    .command('client')
    .description('OpenID clients that sign people in with Vidimus: create, list, update, rotate-secret, remove')
  addCreate(client, world)
  addList(client, world)
  addUpdate(client, world)
  addRotateSecret(client, world)
  addRemove(client, world)
  addRotateKeys(client, world)
}

interface TermOptions {
  readonly name?: string
  readonly redirectUri?: readonly string[]
  readonly template?: readonly string[]
  readonly defaultTemplate?: string
  readonly subject?: string
  readonly subjectClaim?: readonly string[]
  readonly subjectPerType?: boolean
  readonly requireTrue?: boolean
  readonly vpData?: boolean
  readonly verifiedClaims?: boolean
  readonly claimsInIdToken?: boolean
  readonly idTokenAlg?: string
  readonly rememberMinutes?: string
  readonly crossDevice?: string
  readonly jwks?: string
  readonly requestUri?: readonly string[]
  readonly profile?: string
}

function withTerms(command: Command): Command {
  return inRealm(command)
    .option('--name <name>', 'display name')
    .option(
      '--redirect-uri <uri...>',
      'allowed redirect addresses, compared exactly; https, or http://localhost in test',
    )
    .option('--template <key...>', 'the templates that it may use')
    .option('--default-template <key>', "the default template; '' for none")
    .option('--subject <mode>', SUBJECT_MODES.join(', '))
    .option(
      '--subject-claim <claim...>',
      'the claims that the subject is derived from: one for claim, several for derived',
    )
    .option(
      '--require-true',
      'reject the sign-in if a claim is false; with several templates, requests must be pushed or signed',
    )
    .option('--no-require-true')
    .option('--vp-data', 'also return each credential separately')
    .option('--no-vp-data')
    .option('--verified-claims', 'also return claims with their evidence')
    .option('--no-verified-claims')
    .option('--claims-in-id-token', 'put all claims into the ID token, for programs that do not call userinfo')
    .option('--no-claims-in-id-token')
    .option('--id-token-alg <alg>', SIGNING_ALGS.join(', '))
    .option(
      '--remember-minutes <minutes>',
      `how long a browser may reuse its answer, 0 to ${CLIENT_BOUNDS.rememberMinutes}`,
    )
    .option(
      '--cross-device <mode>',
      `an answer from another device or browser: ${CROSS_DEVICE.join(', ')} (unconfirmed only in test)`,
    )
    .option('--jwks <file>', 'its public keys, for private_key_jwt and signed requests')
    .option('--profile <profile>', `${CLIENT_PROFILES.join(', ')} (FAPI 2.0 Security Profile, for banks)`)
    .option('--request-uri <uri...>', "where its signed requests are fetched from; '' for none")
}

/** Absent options keep their current values. */
async function termsOf(options: TermOptions): Promise<(before: ClientTerms) => ClientTerms> {
  const jwks = options.jwks === undefined ? undefined : Buffer.from(await readBytes(options.jwks)).toString('utf8')
  const minutes =
    options.rememberMinutes === undefined ? undefined : wholeNumber(options.rememberMinutes, '--remember-minutes')
  if (minutes !== undefined && minutes > CLIENT_BOUNDS.rememberMinutes)
    throw new CliProblem(`--remember-minutes must be at most ${CLIENT_BOUNDS.rememberMinutes}`)
  const subjectMode = oneOf('--subject', options.subject, SUBJECT_MODES)
  const crossDevice = oneOf('--cross-device', options.crossDevice, CROSS_DEVICE)
  const profile = oneOf('--profile', options.profile, CLIENT_PROFILES)
  const idTokenAlg = oneOf('--id-token-alg', options.idTokenAlg, SIGNING_ALGS)
  return (before) => {
    const mode = subjectMode ?? before.subjectMode
    const named = options.defaultTemplate ?? before.defaultTemplate ?? options.template?.[0] ?? ''
    return {
      name: options.name ?? before.name,
      redirectUris: options.redirectUri ?? before.redirectUris,
      templates: options.template ?? before.templates,
      defaultTemplate: named === '' ? null : named,
      subjectMode: mode,
      subjectClaims: options.subjectClaim ?? (mode === 'ephemeral' ? [] : before.subjectClaims),
      requireTrue: options.requireTrue ?? before.requireTrue,
      vpData: options.vpData ?? before.vpData,
      verifiedClaims: options.verifiedClaims ?? before.verifiedClaims,
      claimsInIdToken: options.claimsInIdToken ?? before.claimsInIdToken,
      idTokenAlg: idTokenAlg ?? before.idTokenAlg,
      rememberMinutes: minutes ?? before.rememberMinutes,
      crossDevice: crossDevice ?? before.crossDevice,
      jwks: jwks ?? before.jwks,
      profile: profile ?? before.profile,
      requestUris: options.requestUri?.filter((uri) => uri !== '') ?? before.requestUris,
    }
  }
}

function oneOf<const T extends readonly string[]>(
  option: string,
  text: string | undefined,
  known: T,
): T[number] | undefined {
  const found = known.find((one) => one === text)
  if (text !== undefined && found === undefined)
    throw new CliProblem(`${option} must be one of ${known.join(', ')}, not '${text}'`)
  return found
}

function addCreate(parent: Command, world: CliWorld): void {
  withTerms(parent.command('create'))
    .description('create a client; its secret is shown only once')
    .option('--auth-method <method>', AUTH_METHODS.join(', '), 'client_secret')
    .action(async (options: RealmOptions & TermOptions & { authMethod: string }, command: Command) => {
      const realm = realmOf(options)
      const terms = (await termsOf(options))(STANDARD_TERMS)
      const authMethod = oneOf('--auth-method', options.authMethod, AUTH_METHODS) ?? 'client_secret'
      const { change, issuer } = await world.withDeps(async (deps) => ({
        change: await createClient(deps, { realm, terms, authMethod, actor: OPERATOR }),
        issuer: issuerOf(deps.config.baseUrl, realm),
      }))
      const { client, secret } = done(change)
      const shownSecret = secret === null ? '' : `\nThe secret is shown this once:\n\n  ${secret}\n`
      answer(world, command, {
        json: { ...renderClient(client), issuer, client_secret: secret },
        text: `Created ${client.id} of the provider\n\n  ${issuer}\n${shownSecret}${warningOf(client)}`,
      })
    })
}

function addList(parent: Command, world: CliWorld): void {
  inRealm(parent.command('list'))
    .description('list the clients of a tenant, without their secrets')
    .action(async (options: RealmOptions, command: Command) => {
      const clients = await world.withDeps((deps) => readClients(deps, realmOf(options)))
      const rows = clients.map((one) => [
        one.id,
        one.name,
        one.authMethod,
        one.templates.join(' '),
        one.redirectUris.join(' '),
      ])
      answer(world, command, {
        json: { data: clients.map(renderClient) },
        text:
          rows.length === 0
            ? 'There is no client.'
            : table(['ID', 'NAME', 'PROVES ITSELF BY', 'TEMPLATES', 'REDIRECTS'], rows),
      })
    })
}

function addUpdate(parent: Command, world: CliWorld): void {
  withTerms(parent.command('update'))
    .description('change a client; absent options keep their values')
    .argument('<client>', 'its id')
    .option('--subject-per-type', 'make subjects depend on the type of the credential, as those of new clients do')
    .option('--no-subject-per-type')
    .action(async (id: string, options: RealmOptions & TermOptions, command: Command) => {
      const terms = await termsOf(options)
      const change = (before: OidcClient) => {
        return { ...terms(before), subjectPerType: options.subjectPerType ?? before.subjectPerType }
      }
      const changed = await world.withDeps((deps) =>
        changeClient(deps, { realm: realmOf(options), id, change, actor: OPERATOR }),
      )
      const { client } = done(changed)
      answer(world, command, { json: renderClient(client), text: `Changed ${client.id}.${warningOf(client)}` })
    })
}

function addRotateSecret(parent: Command, world: CliWorld): void {
  inRealm(parent.command('rotate-secret'))
    .description('create a new secret; the previous one stays valid for a day')
    .argument('<client>', 'its id')
    .action(async (id: string, options: RealmOptions, command: Command) => {
      const rotated = await world.withDeps((deps) =>
        rotateClientSecret(deps, { realm: realmOf(options), id, actor: OPERATOR }),
      )
      const { client, secret } = done(rotated)
      answer(world, command, {
        json: { id: client.id, client_secret: secret },
        text: `The new secret of ${client.id} is shown this once:\n\n  ${secret}\n`,
      })
    })
}

function addRemove(parent: Command, world: CliWorld): void {
  inRealm(parent.command('remove'))
    .description('remove a client; sign-ins through it stop')
    .argument('<client>', 'its id')
    .action(async (id: string, options: RealmOptions, command: Command) => {
      const removed = await world.withDeps((deps) =>
        removeClient(deps, { realm: realmOf(options), id, actor: OPERATOR }),
      )
      if (!removed) throw new CliProblem(NOT_FOUND)
      answer(world, command, { json: { removed: id }, text: `Removed ${id}.` })
    })
}

function addRotateKeys(parent: Command, world: CliWorld): void {
  inRealm(parent.command('rotate-signing-keys'))
    .description('create new signing keys for ID tokens: published now, used in a day')
    .action(async (options: RealmOptions, command: Command) => {
      await world.withDeps((deps) => rotateSigningKeys(deps, realmOf(options)))
      answer(world, command, { json: { rotated: true }, text: 'New keys are published now and sign in a day.' })
    })
}

const warningOf = ({ crossDevice, requireTrue, templates, subjectMode, subjectPerType }: OidcClient) =>
  [
    crossDevice === 'unconfirmed'
      ? '\nWarning: answers from other devices are not confirmed. A stranger who gets a person to scan a code is signed in as that person.'
      : '',
    requireTrue && templates.length > 1
      ? '\nWarning: with --require-true and several templates, requests that are neither pushed nor signed are refused, because a browser could change them. Push or sign them, or create a client for each template.'
      : '',
    subjectMode !== 'ephemeral' && !subjectPerType
      ? '\nWarning: an issuer that is trusted for one type of credential and signs under the name of another issuer can sign in as its people. --subject-per-type prevents it; people whose answer is not a PID alone then get new subjects.'
      : '',
  ].join('')

const NOT_FOUND = 'there is no such client of this tenant in this environment'

function done(change: ClientChange): { readonly client: OidcClient; readonly secret: string | null } {
  if (change.outcome === 'not_found') throw new CliProblem(NOT_FOUND)
  if (change.outcome === 'refused') throw new CliProblem(`refused: ${WHY_NOT[change.problem]}`)
  return change
}

const WHY_NOT: Readonly<Record<ClientProblem, string>> = {
  redirect_uri_malformed: 'a redirect URI must be absolute, without fragment, user or password',
  redirect_uri_not_https: 'redirect URIs must be https; http is allowed only for localhost in test',
  redirect_uri_count: `1 to ${CLIENT_BOUNDS.redirectUris} redirect URIs are needed`,
  template_unknown: 'there is no such template',
  template_count: `1 to ${CLIENT_BOUNDS.templates} templates are needed`,
  default_not_allowed: 'the default template must be one of its templates',
  subject_claims: 'claim needs one subject claim, derived several, ephemeral none',
  unconfirmed_in_live:
    'unconfirmed is only for test: in live, a stranger could sign in as a person whose wallet answers',
  jwks: 'private_key_jwt needs a set of public keys; keys are P-256, or RSA from 2048 bits',
  fapi2: 'FAPI 2.0 needs private_key_jwt with a key on P-256, ID tokens by ES256 and https redirect URIs',
  request_uri: `request URIs follow the rules of redirect URIs, at most ${CLIENT_BOUNDS.requestUris}`,
  too_many: `${CLIENTS_PER_REALM_MAX} clients exist already; remove one first`,
  no_tenant: 'there is no such tenant',
}
