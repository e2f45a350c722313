// Finds where the page of a sign-in's verification continues.

/** The path where a sign-in continues after its verification; null for other verifications. */
export function finishPathWithin(redirectUrl: string | null, baseUrl: string): string | null {
  if (redirectUrl === null || !redirectUrl.startsWith(`${baseUrl}/oidc/`)) return null
  const [, realm, id] = /^(\/oidc\/[^/?#]+\/[^/?#]+)\/return\/(oau_\w+)$/.exec(redirectUrl.slice(baseUrl.length)) ?? []
  return realm === undefined || id === undefined ? null : `${realm}/finish/${id}`
}
