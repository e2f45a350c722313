// Lists the address blocks outside of the public internet: IANA special-purpose registries and cloud-internal blocks.

export type RangeReason =
  | 'this_network'
  | 'private'
  | 'carrier_nat'
  | 'loopback'
  | 'link_local'
  | 'ietf_assignments'
  | 'documentation'
  | 'as112'
  | 'amt'
  | 'relay_6to4'
  | 'benchmarking'
  | 'multicast'
  | 'reserved'
  | 'cloud_inside'
  | 'unspecified'
  | 'ipv4_mapped'
  | 'ipv4_compatible'
  | 'ipv4_translated'
  | 'nat64'
  | 'six_to_four'
  | 'discard'
  | 'dummy'
  | 'srv6'
  | 'unique_local'
  | 'site_local'

/** The first row that contains the address gives the reason, so narrow rows come before wide rows. */
export const REFUSED_RANGES: readonly (readonly [cidr: string, reason: RangeReason])[] = [
  ['0.0.0.0/8', 'this_network'], // RFC 791; Linux connects 0.0.0.0 to itself
  ['10.0.0.0/8', 'private'], // RFC 1918
  ['100.64.0.0/10', 'carrier_nat'], // RFC 6598; Alibaba metadata 100.100.100.200, Tailscale
  ['127.0.0.0/8', 'loopback'], // RFC 1122
  ['168.63.129.16/32', 'cloud_inside'], // Azure wire server: looks public, answers from inside every Azure machine
  ['161.26.0.0/16', 'cloud_inside'], // IBM Cloud service network
  ['166.8.0.0/14', 'cloud_inside'], // IBM Cloud service network
  ['169.254.0.0/16', 'link_local'], // RFC 3927; metadata of AWS, GCP, Azure, OpenStack, ECS 169.254.170.2
  ['172.16.0.0/12', 'private'], // RFC 1918
  ['192.0.0.0/24', 'ietf_assignments'], // RFC 6890; Oracle metadata 192.0.0.192
  ['192.0.2.0/24', 'documentation'], // RFC 5737 TEST-NET-1
  ['192.31.196.0/24', 'as112'], // RFC 7535
  ['192.52.193.0/24', 'amt'], // RFC 7450
  ['192.88.99.0/24', 'relay_6to4'], // RFC 7526, deprecated relay anycast
  ['192.168.0.0/16', 'private'], // RFC 1918
  ['192.175.48.0/24', 'as112'], // RFC 7534
  ['198.18.0.0/15', 'benchmarking'], // RFC 2544
  ['198.51.100.0/24', 'documentation'], // RFC 5737 TEST-NET-2
  ['203.0.113.0/24', 'documentation'], // RFC 5737 TEST-NET-3
  ['224.0.0.0/4', 'multicast'], // RFC 5771
  ['240.0.0.0/4', 'reserved'], // RFC 1112; with 255.255.255.255

  ['::/128', 'unspecified'], // RFC 4291; Linux connects it to itself
  ['::1/128', 'loopback'], // RFC 4291
  ['::ffff:0:0/96', 'ipv4_mapped'], // RFC 4291: the kernel sends it as IPv4, so even a public one is a disguise
  ['::ffff:0:0:0/96', 'ipv4_translated'], // RFC 2765
  ['::/96', 'ipv4_compatible'], // RFC 4291, deprecated
  ['64:ff9b::/96', 'nat64'], // RFC 6052: a translator would reach the IPv4 address inside
  ['64:ff9b:1::/48', 'nat64'], // RFC 8215, local use
  ['100::/64', 'discard'], // RFC 6666
  ['100:0:0:1::/64', 'dummy'], // RFC 9780
  ['2001::/23', 'ietf_assignments'], // RFC 2928: Teredo, benchmarking, AMT, AS112, ORCHID, drone tags
  ['2001:db8::/32', 'documentation'], // RFC 3849
  ['2002::/16', 'six_to_four'], // RFC 3056: carries an IPv4 address
  ['2620:4f:8000::/48', 'as112'], // RFC 7534
  ['3fff::/20', 'documentation'], // RFC 9637
  ['5f00::/16', 'srv6'], // RFC 9602
  ['fc00::/7', 'unique_local'], // RFC 4193; AWS metadata fd00:ec2::254, GCP fd20:ce::254
  ['fe80::/10', 'link_local'], // RFC 4291
  ['fec0::/10', 'site_local'], // RFC 3879, deprecated
  ['ff00::/8', 'multicast'], // RFC 4291
]

/** RFC 4291 2.5.4: the only IPv6 space assigned to the public internet. Every address outside is refused. */
export const GLOBAL_UNICAST = '2000::/3'
