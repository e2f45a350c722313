// A second decision on which addresses are public: Node's block list over a list that is independent of the service's table.

import { BlockList } from 'node:net'

const REFUSED = `0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 161.26.0.0/16 166.8.0.0/14 168.63.129.16/32
  169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.31.196.0/24 192.52.193.0/24 192.88.99.0/24
  192.168.0.0/16 192.175.48.0/24 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4
  ::/3 4000::/2 8000::/1 2001::/23 2001:db8::/32 2002::/16 2620:4f:8000::/48 3fff::/20`

export function isPublic(bytes: Uint8Array): boolean {
  if (bytes.length === 4) return !refused.ipv4.check(bytes.join('.'), 'ipv4')
  const hex = Buffer.from(bytes).toString('hex')
  const text = hex.match(/.{4}/g)?.join(':') ?? ''
  const isatap = /^.{16}0[02]005efe/.test(hex)
  return !isatap && !refused.ipv6.check(text, 'ipv6')
}

// One list per family, because Node applies each family's rules to the other through mapped addresses.
const refused = { ipv4: new BlockList(), ipv6: new BlockList() }
for (const cidr of REFUSED.split(/\s+/)) {
  const [network = '', bits = ''] = cidr.split('/')
  const family = network.includes(':') ? 'ipv6' : 'ipv4'
  refused[family].addSubnet(network, Number(bits), family)
}
