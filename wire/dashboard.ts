// Lists the routes of the dashboard with their requests and answers. `@` is short for a tenant and one of its environments.

import type { Static, TSchema } from 'typebox'
import { AuditCheck, AuditPage } from './audit.ts'
import { Branding, BrandingChange, BrandingDraft, BrandingPreview, PreviewBranding } from './branding.ts'
import { DeviceForStaff, DevicesForStaff, RegisterDeviceForStaff, RegisteredDeviceForStaff } from './devices.ts'
import { AskOperator, GoingLive, OperatorAsking, RecordMandate } from './going-live.ts'
import { ApiKey, CreatedKey, CreateKey, RollKey, UsedKeys } from './keys.ts'
import { CreatedLink } from './links.ts'
import { ChangeOidcClient, CreateOidcClient, OidcClientChange, OidcClients } from './oidc-clients.ts'
import { AddOrigin, OriginAddition, OriginProven, Origins } from './origins.ts'
import { Done, Empty } from './parts.ts'
import { CertificateFile, LogState, ReceiptFiles } from './receipts.ts'
import {
  AddRegistration,
  ChangeIdentity,
  IdentityChange,
  RegistrationAddition,
  RegistrationCertificate,
  RegistrationReport,
} from './registration.ts'
import {
  AddResultKey,
  ProveResultKey,
  ResultKeyAddition,
  ResultKeyChallenge,
  ResultKeyProven,
  ResultKeys,
} from './result-keys.ts'
import { Settings, SettingsChange } from './settings.ts'
import {
  AcceptedInvitation,
  EndedSessions,
  Invitation,
  Invite,
  InvitedAddress,
  LinkToken,
  Me,
  NewPasskey,
  NewPassword,
  PasskeyCreation,
  PasskeyRequest,
  PasskeySignIn,
  PasswordSignIn,
  RemovePasskey,
  RoleChange,
  SignInAddress,
  SignInLink,
  SignInWays,
  Team,
  UseAccessLink,
  UseLink,
} from './staff.ts'
import { PreviewTemplate, SaveTemplate, Template, TemplatePreview, Templates } from './templates.ts'
import {
  AddAnchor,
  CertificateRequested,
  ImportList,
  InstallCertificate,
  RequestCertificate,
  Trust,
  TrustChange,
} from './trust.ts'
import { AlertMails, ChangeAlertMails, Figures, NewAlerts, Overview, UsageAlerts, UsageForStaff } from './usage.ts'
import { ErasureResult, Verification } from './verifications.ts'
import {
  CreateLinkForStaff,
  CreateVerificationForStaff,
  EraseVerification,
  LinksForStaff,
  VerificationDetail,
  VerificationPage,
  VerificationRequest,
} from './verifications-staff.ts'
import {
  Attempted,
  DeliveryDetail,
  DeliveryPage,
  EnableDestination,
  ResendFailed,
  Resent,
  RotateSecret,
  TestEndpoint,
  TestedEndpoint,
  WebhookEndpoint,
  WebhookEndpointDraft,
  WebhookSecret,
  Webhooks,
} from './webhooks.ts'

/** `created`: the answer has status 201. A route without a JSON answer has no entry. */
interface Bodies {
  readonly body?: TSchema
  readonly answer?: TSchema
  readonly created?: TSchema
}

export const DASHBOARD = {
  'POST /sign-in/password': { body: PasswordSignIn, answer: Done },
  'POST /sign-in/passkey/options': { body: Empty, answer: PasskeyRequest },
  'POST /sign-in/passkey': { body: PasskeySignIn, answer: Done },
  'GET /sign-in/ways': { answer: SignInWays },
  'POST /sign-in/lost-access': { body: InvitedAddress, answer: Done },
  'POST /sign-in/lost-access/use': { body: UseAccessLink, answer: Done },
  'POST /sign-in/oidc': { body: Empty, answer: SignInAddress },
  'POST /sign-in/oidc/again': { body: Empty, answer: SignInAddress },
  'POST /sign-out': { body: Empty, answer: Done },
  'POST /links/look': { body: LinkToken, answer: SignInLink },
  'POST /links/use': { body: UseLink, answer: Done },
  'POST /links/accept': { body: LinkToken, answer: AcceptedInvitation },
  'GET /me': { answer: Me },
  'POST /me/password': { body: NewPassword, answer: Done },
  'POST /me/passkeys/options': { body: Empty, answer: PasskeyCreation },
  'POST /me/passkeys': { body: NewPasskey, answer: Done },
  'POST /me/passkeys/remove': { body: RemovePasskey, answer: Done },
  'POST /me/sessions/end-others': { body: Empty, answer: EndedSessions },

  'GET @/overview': { answer: Overview },
  'GET @/figures': { answer: Figures },
  'GET @/verifications': { answer: VerificationPage },
  'GET @/verifications/:id': { answer: VerificationDetail },
  'GET @/verifications/:id/request': { answer: VerificationRequest },
  'GET @/verifications/:id/receipt': { answer: ReceiptFiles },
  'GET @/verifications/:id/certificate': { answer: CertificateFile },
  'POST @/verifications': { body: CreateVerificationForStaff, created: Verification },
  'POST @/verifications/:id/cancel': { body: Empty, answer: Verification },
  'POST @/verifications/:id/forget': { body: Empty, answer: Done },
  'POST @/verifications/:id/erase': { body: EraseVerification, answer: ErasureResult },
  'GET @/links': { answer: LinksForStaff },
  'POST @/links': { body: CreateLinkForStaff, created: CreatedLink },
  'POST @/links/:id/replace': { body: Empty, created: CreatedLink },
  'POST @/links/:id/revoke': { body: Empty, answer: Done },
  'GET @/usage': { answer: UsageForStaff },
  'GET @/usage/alerts': { answer: UsageAlerts },
  'POST @/usage/alerts': { body: NewAlerts, answer: Done },
  'GET @/alerts/mail': { answer: AlertMails },
  'POST @/alerts/mail': { body: ChangeAlertMails, answer: Done },
  'GET @/templates': { answer: Templates },
  'POST @/templates/preview': { body: PreviewTemplate, answer: TemplatePreview },
  'POST @/templates/:key': { body: SaveTemplate, answer: Template },
  'POST @/templates/:key/remove': { body: Empty, answer: Done },
  'GET @/keys': { answer: UsedKeys },
  'POST @/keys': { body: CreateKey, created: CreatedKey },
  'POST @/keys/:id/revoke': { body: Empty, answer: ApiKey },
  'POST @/keys/:id/roll': { body: RollKey, created: CreatedKey },
  'GET @/devices': { answer: DevicesForStaff },
  'POST @/devices': { body: RegisterDeviceForStaff, created: RegisteredDeviceForStaff },
  'POST @/devices/:id': { body: RegisterDeviceForStaff, answer: DeviceForStaff },
  'POST @/devices/:id/code': { body: Empty, created: RegisteredDeviceForStaff },
  'POST @/devices/:id/revoke': { body: Empty, answer: DeviceForStaff },
  'GET @/webhooks': { answer: Webhooks },
  'POST @/webhooks/endpoints': { body: WebhookEndpointDraft, created: WebhookEndpoint },
  'POST @/webhooks/endpoints/:id': { body: WebhookEndpointDraft, answer: WebhookEndpoint },
  'POST @/webhooks/endpoints/:id/remove': { body: Empty, answer: Done },
  'POST @/webhooks/endpoints/:id/test': { body: TestEndpoint, answer: TestedEndpoint },
  'POST @/webhooks/secret/show': { body: Empty, answer: WebhookSecret },
  'POST @/webhooks/secret/rotate': { body: RotateSecret, answer: WebhookSecret },
  'POST @/webhooks/secret/end-old': { body: Empty, answer: Done },
  'POST @/webhooks/destinations/enable': { body: EnableDestination, answer: Done },
  'GET @/deliveries': { answer: DeliveryPage },
  'GET @/deliveries/:id': { answer: DeliveryDetail },
  'POST @/deliveries/:id/resend': { body: Empty, answer: Attempted },
  'POST @/deliveries/resend-failed': { body: ResendFailed, answer: Resent },
  'GET @/audit': { answer: AuditPage },
  'POST @/audit/verify': { body: Empty, answer: AuditCheck },
  'GET @/log': { answer: LogState },
  'GET @/trust': { answer: Trust },
  'POST @/trust/anchors': { body: AddAnchor, answer: TrustChange },
  'POST @/trust/anchors/:id/remove': { body: Empty, answer: Done },
  'POST @/trust/lists': { body: ImportList, answer: TrustChange },
  'POST @/trust/lists/:id/remove': { body: Empty, answer: Done },
  'POST @/trust/certificates/request': { body: RequestCertificate, answer: CertificateRequested },
  'POST @/trust/certificates/install': { body: InstallCertificate, answer: TrustChange },
  'POST @/trust/certificates/:id/withdraw': { body: Empty, answer: Done },
  'GET @/settings': { answer: Settings },
  'POST @/settings': { body: SettingsChange, answer: Settings },
  'GET @/origins': { answer: Origins },
  'POST @/origins': { body: AddOrigin, answer: OriginAddition },
  'POST @/origins/:id/prove': { body: Empty, answer: OriginProven },
  'POST @/origins/:id/remove': { body: Empty, answer: Done },
  'GET @/result-keys': { answer: ResultKeys },
  'POST @/result-keys': { body: AddResultKey, answer: ResultKeyAddition },
  'POST @/result-keys/:id/challenge': { body: Empty, answer: ResultKeyChallenge },
  'POST @/result-keys/:id/prove': { body: ProveResultKey, answer: ResultKeyProven },
  'POST @/result-keys/:id/remove': { body: Empty, answer: Done },
  'GET @/registration': { answer: RegistrationReport },
  'GET @/registration/certificates/:id': { answer: RegistrationCertificate },
  'POST @/registration/identity': { body: ChangeIdentity, answer: IdentityChange },
  'POST @/registration/certificates': { body: AddRegistration, answer: RegistrationAddition },
  'POST @/registration/certificates/:id/remove': { body: Empty, answer: Done },
  'GET @/going-live': { answer: GoingLive },
  'POST @/going-live/mandate': { body: RecordMandate, answer: OperatorAsking },
  'POST @/going-live/requests': { body: AskOperator, answer: OperatorAsking },
  'GET @/clients': { answer: OidcClients },
  'POST @/clients': { body: CreateOidcClient, answer: OidcClientChange },
  'POST @/clients/:id': { body: ChangeOidcClient, answer: OidcClientChange },
  'POST @/clients/:id/secret': { body: Empty, answer: OidcClientChange },
  'POST @/clients/:id/remove': { body: Empty, answer: Done },
  'GET @/branding': { answer: Branding },
  'POST @/branding': { body: BrandingDraft, answer: BrandingChange },
  'POST @/branding/preview': { body: PreviewBranding, answer: BrandingPreview },
  'GET @/team': { answer: Team },
  'POST @/team/invite': { body: Invite, created: Invitation },
  'POST @/team/invitations/again': { body: InvitedAddress, created: Invitation },
  'POST @/team/invitations/withdraw': { body: InvitedAddress, answer: Done },
  'POST @/team/:id/role': { body: RoleChange, answer: Done },
  'POST @/team/:id/remove': { body: Empty, answer: Done },
} as const satisfies Readonly<Record<string, Bodies>>

type Dashboard = typeof DASHBOARD
export type DashboardRoute = keyof Dashboard
export type AnswerSchema<R extends DashboardRoute> = Dashboard[R] extends { readonly created: infer T extends TSchema }
  ? T
  : Dashboard[R] extends { readonly answer: infer T extends TSchema }
    ? T
    : never
export type AnswerOf<R extends DashboardRoute> = Static<AnswerSchema<R>>
export type BodyOf<R extends DashboardRoute> = Dashboard[R] extends { readonly body: infer T extends TSchema }
  ? Static<T>
  : never
