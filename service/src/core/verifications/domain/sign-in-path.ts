// Where the page of a sign-in's verification goes on to.

/** For a verification that belongs to a sign-in, where its page goes on to; null for any other. */
export function finishPathWithin(redirectUrl: string | null, baseUrl: string): string | null {
  if (redirectUrl === null || !redirectUrl.startsWith(`${baseUrl}/oidc/`)) return null
  const [, realm, id] = /^(\/oidc\/[^/?#]+\/[^/?#]+)\/return\/(oau_\w+)$/.exec(redirectUrl.slice(baseUrl.length)) ?? []
  return realm === undefined || id === undefined ? null : `${realm}/finish/${id}`
}
