// Lists the variables of keys outside of this process, as a part of the table in variables.ts.

import { absolutePath, type KeySettings, keyParent, serviceUrl, type VaultLogin, wrappedKeys } from './key-settings.ts'
import { anyText, list, Misread, optional, type Read, type Variable, withDefault } from './variable-readers.ts'

/** The path of a mount in Vault, without `.` and `..`. */
const mount: Read<string> = (text) => {
  if (!/^[A-Za-z0-9_-][A-Za-z0-9._-]*(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$/.test(text))
    throw new Misread("the path of a mount, like 'kubernetes'")
  return text
}

const POD_TOKEN = '/var/run/secrets/kubernetes.io/serviceaccount/token'

export const KEY_VARIABLES = {
  VIDIMUS_MASTER_KEY_WRAPPED: list(
    wrappedKeys,
    'instead of `VIDIMUS_MASTER_KEY`: the output of `vidimus master-key wrap`; for a change of keys several, separated by commas, of which the first seals',
  ),
  VIDIMUS_OIDC_KEYS: optional(
    keyParent,
    '(sealed in the store)',
    'where the service creates the keys of ID tokens: the prefix of their names, like `pkcs11:token=vidimus;object=oidc`',
  ),
  VIDIMUS_PKCS11_MODULE: optional(
    absolutePath,
    '(none)',
    'the PKCS #11 module of your HSM, a full path; needs `VIDIMUS_PKCS11_PIN_FILE` ([external keys](keys-outside.md))',
  ),
  VIDIMUS_PKCS11_PIN_FILE: optional(absolutePath, '(none)', 'the file that holds the PIN of the token, a full path'),
  VIDIMUS_VAULT_URL: optional(
    serviceUrl,
    '(none)',
    'HashiCorp Vault or OpenBao with your keys, like `https://vault.example.com:8200`; needs one of three ways to sign in: token, AppRole or service account',
  ),
  VIDIMUS_VAULT_TOKEN_FILE: optional(absolutePath, '(none)', 'sign in by token: the file that holds it'),
  VIDIMUS_VAULT_ROLE_ID: optional(
    anyText,
    '(none)',
    'sign in by AppRole: role id, with `VIDIMUS_VAULT_SECRET_ID_FILE`',
  ),
  VIDIMUS_VAULT_SECRET_ID_FILE: optional(absolutePath, '(none)', 'the file that holds the secret id of the role'),
  VIDIMUS_VAULT_KUBERNETES_ROLE: optional(anyText, '(none)', 'sign in by the service account of the pod: the role'),
  VIDIMUS_VAULT_KUBERNETES_TOKEN_FILE: withDefault(absolutePath, POD_TOKEN, 'the token of the service account'),
  VIDIMUS_VAULT_LOGIN_PATH: optional(mount, '(approle or kubernetes)', 'the mount of the sign-in method'),
  VIDIMUS_VAULT_NAMESPACE: optional(anyText, '(none)', 'the namespace of Vault'),
  AWS_REGION: optional(anyText, '(none)', 'region of keys in AWS KMS that are named without one'),
  AWS_ACCESS_KEY_ID: optional(anyText, '(none)', 'credentials for AWS KMS; without them the sources below are tried'),
  AWS_SECRET_ACCESS_KEY: optional(anyText, '(none)', 'the secret of `AWS_ACCESS_KEY_ID`'),
  AWS_SESSION_TOKEN: optional(anyText, '(none)', 'the session token of temporary credentials'),
  AWS_ROLE_ARN: optional(anyText, '(none)', 'the role to assume with `AWS_WEB_IDENTITY_TOKEN_FILE` (EKS sets both)'),
  AWS_WEB_IDENTITY_TOKEN_FILE: optional(anyText, '(none)', 'the file with the web identity token'),
  AWS_CONTAINER_CREDENTIALS_FULL_URI: optional(anyText, '(none)', 'where credentials of a container come from (EKS)'),
  AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: optional(anyText, '(none)', 'the same (ECS)'),
  AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: optional(anyText, '(none)', 'the token for container credentials (EKS)'),
  AWS_EC2_METADATA_SERVICE_ENDPOINT: withDefault(
    anyText,
    'http://169.254.169.254',
    'the metadata service of the machine, asked for credentials if no other source is set',
  ),
  AWS_ENDPOINT_URL_KMS: optional(anyText, "(the region's)", 'another address of AWS KMS, such as a VPC endpoint'),
  AWS_ENDPOINT_URL_STS: optional(anyText, "(the region's)", 'another address of AWS STS'),
  AZURE_TENANT_ID: optional(anyText, '(none)', 'directory for Azure Key Vault; with a client and its secret or token'),
  AZURE_CLIENT_ID: optional(anyText, '(none)', 'the application, or the managed identity if there are several'),
  AZURE_CLIENT_SECRET: optional(anyText, '(none)', "the application's secret"),
  AZURE_FEDERATED_TOKEN_FILE: optional(anyText, '(none)', "instead of a secret: the pod's token (AKS sets it)"),
  AZURE_AUTHORITY_HOST: withDefault(anyText, 'https://login.microsoftonline.com', 'the authority that issues tokens'),
  IDENTITY_ENDPOINT: optional(anyText, '(none)', 'managed identity of App Service and Container Apps, which set it'),
  IDENTITY_HEADER: optional(anyText, '(none)', 'the header for `IDENTITY_ENDPOINT`'),
  AZURE_POD_IDENTITY_AUTHORITY_HOST: withDefault(
    anyText,
    'http://169.254.169.254',
    'the metadata service of the machine, asked for a managed identity if no other source is set',
  ),
  GOOGLE_APPLICATION_CREDENTIALS: optional(
    anyText,
    '(metadata server)',
    'the key of a service account for Cloud KMS, a JSON file; without it the metadata server is asked',
  ),
  GCE_METADATA_HOST: withDefault(anyText, '169.254.169.254', 'the metadata server of Google Cloud'),
  VIDIMUS_GOOGLE_KMS_URL: withDefault(
    serviceUrl,
    'https://cloudkms.googleapis.com',
    'another address of Cloud KMS, such as a regional one',
  ),
} satisfies Readonly<Record<string, Variable<unknown>>>

export type KeyValues = { readonly [N in keyof typeof KEY_VARIABLES]: (typeof KEY_VARIABLES)[N]['absent'] }

export function keySettingsOf(values: KeyValues): KeySettings {
  const { VIDIMUS_PKCS11_MODULE: module, VIDIMUS_PKCS11_PIN_FILE: pinFile, VIDIMUS_VAULT_URL: url } = values
  const login = vaultLogins(values)[0]
  return {
    pkcs11: module === null || pinFile === null ? null : { module, pinFile },
    vault: url === null || login === undefined ? null : { url, namespace: values.VIDIMUS_VAULT_NAMESPACE, login },
    aws: {
      region: values.AWS_REGION,
      accessKeyId: values.AWS_ACCESS_KEY_ID,
      secretAccessKey: values.AWS_SECRET_ACCESS_KEY,
      sessionToken: values.AWS_SESSION_TOKEN,
      roleArn: values.AWS_ROLE_ARN,
      webIdentityTokenFile: values.AWS_WEB_IDENTITY_TOKEN_FILE,
      containerUri: values.AWS_CONTAINER_CREDENTIALS_FULL_URI,
      containerPath: values.AWS_CONTAINER_CREDENTIALS_RELATIVE_URI,
      containerTokenFile: values.AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE,
      kmsUrl: values.AWS_ENDPOINT_URL_KMS,
      stsUrl: values.AWS_ENDPOINT_URL_STS,
      metadataUrl: values.AWS_EC2_METADATA_SERVICE_ENDPOINT,
    },
    azure: {
      tenantId: values.AZURE_TENANT_ID,
      clientId: values.AZURE_CLIENT_ID,
      clientSecret: values.AZURE_CLIENT_SECRET,
      federatedTokenFile: values.AZURE_FEDERATED_TOKEN_FILE,
      authorityUrl: values.AZURE_AUTHORITY_HOST,
      identityUrl: values.IDENTITY_ENDPOINT,
      identityHeader: values.IDENTITY_HEADER,
      metadataUrl: values.AZURE_POD_IDENTITY_AUTHORITY_HOST,
    },
    google: {
      credentialsFile: values.GOOGLE_APPLICATION_CREDENTIALS,
      metadataHost: values.GCE_METADATA_HOST,
      kmsUrl: values.VIDIMUS_GOOGLE_KMS_URL,
    },
    idTokens: values.VIDIMUS_OIDC_KEYS,
    wrappedMasterKeys: values.VIDIMUS_MASTER_KEY_WRAPPED,
  }
}

/** Every sign-in method for Vault that is complete. */
export function vaultLogins(values: KeyValues): VaultLogin[] {
  const {
    VIDIMUS_VAULT_TOKEN_FILE: tokenFile,
    VIDIMUS_VAULT_ROLE_ID: roleId,
    VIDIMUS_VAULT_SECRET_ID_FILE: secretIdFile,
    VIDIMUS_VAULT_KUBERNETES_ROLE: role,
    VIDIMUS_VAULT_KUBERNETES_TOKEN_FILE: podToken,
    VIDIMUS_VAULT_LOGIN_PATH: path,
  } = values
  const logins: VaultLogin[] = []
  if (tokenFile !== null) logins.push({ by: 'token', tokenFile })
  if (roleId !== null && secretIdFile !== null)
    logins.push({ by: 'approle', path: path ?? 'approle', roleId, secretIdFile })
  if (role !== null) logins.push({ by: 'kubernetes', path: path ?? 'kubernetes', role, tokenFile: podToken })
  return logins
}
