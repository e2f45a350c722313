// vidimus branding show | set

import type { Command } from 'commander'
import { FONTS, HELP_TEXT_MAX, LOGO_BYTES_MAX, RADII, SHOWN_NAME_MAX } from '../../../../../wire/values/branding.ts'
import { type CliWorld, inRealm, OPERATOR, type RealmOptions, readBytes, realmOf } from '../../../cli/world.ts'
import { answer, CliProblem, table } from '../../../platform/cli/print.ts'
import {
  type BrandingDraft,
  type BrandingProblem,
  type Font,
  type Radius,
  renderBranding,
} from '../domain/branding/branding.ts'
import { PNG_SIDE_MAX } from '../domain/branding/png.ts'
import { changeBranding, readBranding } from '../usecases/manage-branding.ts'

interface SetOptions extends RealmOptions {
  readonly name?: string
  readonly colour?: string
  readonly supportUrl?: string
  readonly privacyUrl?: string
  readonly logo?: string
  readonly logoDark?: string
  readonly background?: string
  readonly radius?: string
  readonly font?: string
  readonly helpText?: string
}

export function addBrandingCommands(program: Command, world: CliWorld): void {
  const branding = program.command('branding').description("how a tenant's hosted page and tills look: show, set")
  const show = (command: Command, found: Parameters<typeof renderBranding>[0]) => {
    const json = renderBranding(found)
    const rows = Object.entries(json).map(([name, value]) => [name, value ?? '-'])
    answer(world, command, { json, text: table(['WHAT', 'VALUE'], rows) })
  }
  inRealm(branding.command('show'))
    .description('name, colours, corners, font, links, text, and the hashes of the logos')
    .action(async (options: RealmOptions, command: Command) => {
      show(command, await world.withDeps((deps) => readBranding(deps, realmOf(options))))
    })
  inRealm(branding.command('set'))
    .description('change the named values; an empty text removes a value')
    .option('--name <text>', "shown instead of the tenant's name")
    .option('--colour <hex>', 'of buttons, like #1f5f5b')
    .option('--support-url <url>', 'where to ask for help')
    .option('--privacy-url <url>', 'the privacy policy')
    .option('--background <hex>', 'background of the page, like #f4efe6')
    .option('--radius <size>', `of corners: ${RADII.join(', ')}`)
    .option('--font <font>', FONTS.join(', '))
    .option('--help-text <text>', 'shown where a verification ends without a result')
    .option('--logo <file>', 'SVG or PNG')
    .option('--logo-dark <file>', 'the logo for dark screens')
    .action(async (options: SetOptions, command: Command) => {
      const [logo, logoDark] = [await uploadOf(options.logo), await uploadOf(options.logoDark)]
      const change = await world.withDeps((deps) =>
        changeBranding(deps, {
          realm: realmOf(options),
          actor: OPERATOR,
          draft: (now): BrandingDraft => ({
            name: changedValue(options.name, now.name),
            colour: changedValue(options.colour?.toLowerCase(), now.colour),
            supportUrl: changedValue(options.supportUrl, now.supportUrl),
            privacyUrl: changedValue(options.privacyUrl, now.privacyUrl),
            background: changedValue(options.background?.toLowerCase(), now.background),
            // changeBranding refuses a value outside the list.
            radius: changedValue(options.radius, now.radius) as Radius | null,
            font: changedValue(options.font, now.font) as Font | null,
            helpText: changedValue(options.helpText, now.helpText),
            logo,
            logoDark,
          }),
        }),
      )
      if (change.outcome === 'no_tenant') throw new CliProblem(`there is no tenant ${options.tenant}`)
      if (change.outcome === 'refused')
        throw new CliProblem(`${PROBLEMS[change.problem]}${change.what === null ? '' : `: ${change.what}`}`)
      show(command, change.branding)
    })
}

const uploadOf = async (file: string | undefined): Promise<BrandingDraft['logo']> =>
  file === undefined ? 'keep' : file === '' ? null : readBytes(file)

function changedValue(text: string | undefined, before: string | null): string | null {
  return text === undefined ? before : text === '' ? null : text
}

const PROBLEMS: Readonly<Record<BrandingProblem, string>> = {
  name: `--name must have a letter or digit, no control characters, and at most ${SHOWN_NAME_MAX} characters`,
  colour: '--colour must be six hexadecimal digits, like #1f5f5b',
  background: '--background must be six hexadecimal digits, like #f4efe6',
  radius: `--radius must be one of ${RADII.join(', ')}`,
  font: `--font must be one of ${FONTS.join(', ')}`,
  help_text: `--help-text must have a letter or digit, no line breaks, and at most ${HELP_TEXT_MAX} characters`,
  support_url: '--support-url must be an https address',
  privacy_url: '--privacy-url must be an https address',
  logo_too_large: `the logo is larger than ${LOGO_BYTES_MAX / 1024} KiB`,
  logo_not_a_picture: `the logo is neither an SVG with a viewBox nor a complete PNG (not interlaced, 16 to ${PNG_SIDE_MAX} pixels a side)`,
  logo_forbidden: 'the logo contains elements or attributes that are not allowed',
}
