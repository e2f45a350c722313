// vidimus certificate csr | install | list | show

import type { Command } from 'commander'
import { CERTIFICATE_PURPOSES } from '../../../../../wire/values/trust.ts'
import {
  type CliWorld,
  checkEnvironment,
  OPERATOR,
  type OwnerOptions,
  ownerOf,
  readBytes,
  withOwner,
} from '../../../cli/world.ts'
import { answer, CliProblem, table } from '../../../platform/cli/print.ts'
import { REFERENCE_SHAPE } from '../../../platform/keys/key-reference.ts'
import { type CertificatePurpose, renderCertificate } from '../domain/certificate.ts'
import type { CertificateUse } from '../domain/certificate-use.ts'
import { certificatesIn } from '../domain/pem.ts'
import type { Subject } from '../domain/subject.ts'
import {
  type CertificateExport,
  exportCertificates,
  installCertificate,
  listCertificates,
  requestCertificate,
} from '../usecases/manage-certificates.ts'

interface UseOptions extends OwnerOptions {
  readonly purpose: string
  readonly service?: string
}

/** The members have the names that Commander derives from the options. */
type CsrOptions = UseOptions & Subject & { readonly key?: string }

interface ShowOptions {
  readonly purpose?: string
  readonly pem?: boolean
  readonly tenant?: string
  readonly environment?: string
}

interface InstallOptions extends UseOptions {
  readonly chain: string
  readonly key?: string
}

export function addCertificateCommands(program: Command, world: CliWorld): void {
  const certificate = program
    .command('certificate')
    .description('certificates that requests to wallets are signed with: csr, install, list, show')
  withUse(certificate.command('csr'))
    .description('create a key and a certificate signing request')
    .option(
      '--key <reference>',
      `a key in your HSM or key service, created there if it does not exist: ${REFERENCE_SHAPE} (default: sealed in the store)`,
    )
    .requiredOption('--common-name <name>', 'the name wallets show')
    .option('--organization <name>')
    .option('--organizational-unit <name>')
    .option('--organization-identifier <id>', 'such as VATDE-123456789 (default: the registered one)')
    .option('--country <code>', 'two letters')
    .option('--state <name>')
    .option('--locality <name>')
    .option('--email <address>')
    .action(async (options: CsrOptions, command: Command) => {
      const request = await world.withDeps((deps) =>
        requestCertificate(deps, { ...useOf(options), subject: options, keyReference: options.key, actor: OPERATOR }),
      )
      if (request.outcome === 'refused') throw new CliProblem(request.problem)
      answer(world, command, { json: { id: request.id, csr: request.csr }, text: request.csr.trimEnd() })
    })
  withUse(certificate.command('install'))
    .description('install the certificate of a waiting key, or your own key and certificate')
    .requiredOption('--chain <path>', 'PEM, the leaf first, without the anchor')
    .option('--key <path>', 'the private key (PKCS #8); default: the key that `csr` created')
    .action(async (options: InstallOptions, command: Command) => {
      const input = {
        ...useOf(options),
        chain: certificatesIn(await readBytes(options.chain)),
        privateKey: options.key === undefined ? null : await readBytes(options.key),
        actor: OPERATOR,
      }
      const installed = await world.withDeps((deps) => installCertificate(deps, input))
      if (installed.outcome === 'refused') throw new CliProblem(`not installed: ${installed.problem}`)
      const warnings = installed.warnings.map((warning) => `\nWarning: ${warning}.`).join('')
      answer(world, command, { json: installed, text: `Installed ${installed.id}.${warnings}` })
    })
  certificate
    .command('show')
    .alias('list')
    .description('list certificates: in use, waiting and retired')
    .option('--tenant <id>', "only a tenant's own")
    .option('--environment <environment>', 'only those of test or live')
    .option('--purpose <purpose>', `only those for ${CERTIFICATE_PURPOSES.join(', ')}`)
    .option('--pem', 'print the certificates in use as PEM, and the authority of generated certificates')
    .action(async (options: ShowOptions, command: Command) => {
      const environment = options.environment === undefined ? null : checkEnvironment(options.environment)
      const purpose = options.purpose === undefined ? null : checkPurpose(options.purpose)
      const isSelected = (one: { tenantId: string | null; environment: string; purpose: string }) =>
        (options.tenant === undefined || one.tenantId === options.tenant) &&
        (purpose === null || one.purpose === purpose) &&
        (environment === null || one.environment === environment)
      if (options.pem === true) {
        const found = (await world.withDeps(exportCertificates)).filter(isSelected)
        if (found.length === 0)
          throw new CliProblem('no such certificate is in use; the service creates its own when it starts')
        answer(world, command, { json: { data: found.map(exportJson) }, text: found.map(exportText).join('\n') })
        return
      }
      const views = (await world.withDeps(listCertificates)).filter(isSelected)
      const rows = views.map((view) => [
        view.id,
        view.environment,
        view.purpose,
        view.tenantId ?? 'service',
        view.serviceId ?? '-',
        view.provenance,
        view.state,
        view.validUntil ?? '-',
        view.subject ?? '-',
      ])
      const head = ['ID', 'ENVIRONMENT', 'PURPOSE', 'OWNER', 'SERVICE', 'ORIGIN', 'STATE', 'VALID UNTIL', 'SUBJECT']
      answer(world, command, { json: { data: views.map(renderCertificate) }, text: table(head, rows) })
    })
}

function exportJson({ id, environment, purpose, tenantId, provenance, chain, authority }: CertificateExport) {
  return { id, environment, purpose, tenant_id: tenantId, origin: provenance, chain, authority }
}

/** PEM readers skip the text between the blocks (RFC 7468 §2), which is for people. */
function exportText({ id, environment, purpose, tenantId, chain, authority }: CertificateExport): string {
  const name = `${id}, ${environment}, ${purpose}, ${tenantId ?? 'service'}`
  const issuer = authority === null ? [] : [`authority of ${name}: for wallets that should trust it\n`, authority]
  return [`access certificate ${name}\n`, ...chain, ...issuer].join('').trimEnd()
}

function withUse(command: Command): Command {
  return withOwner(command, "the service's own")
    .option('--purpose <purpose>', `what the certificate signs for: ${CERTIFICATE_PURPOSES.join(', ')}`, 'openid4vp')
    .option('--service <id>', "for one of the tenant's registered services (default: for all of them)")
}

const useOf = (options: UseOptions): CertificateUse => ({
  owner: ownerOf(options),
  purpose: checkPurpose(options.purpose),
  serviceId: options.service ?? null,
})

function checkPurpose(text: string): CertificatePurpose {
  const found = CERTIFICATE_PURPOSES.find((purpose) => purpose === text)
  if (found === undefined)
    throw new CliProblem(`--purpose must be one of ${CERTIFICATE_PURPOSES.join(', ')}, not '${text}'`)
  return found
}
