// Decides whether secrets may be sent to an address: by https, or without leaving this machine.

const LOCAL = /^(?:localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])$/
/** The metadata services of clouds, which give machines their credentials. */
const METADATA = /^(?:169\.254\.\d{1,3}\.\d{1,3}|\[fd00:ec2::[0-9a-f]{1,4}\])$/

export function isSafeServiceUrl(text: string): boolean {
  const url = URL.parse(text)
  if (url === null || url.username !== '' || url.password !== '') return false
  return (
    url.protocol === 'https:' || (url.protocol === 'http:' && [LOCAL, METADATA].some((one) => one.test(url.hostname)))
  )
}
