import { BlockList, isIPv4, isIPv6 } from 'node:net'

/** Addresses that are not those of anybody on the internet: of this machine, of private networks, of no one, of many. */
const reserved4 = blockListOf('ipv4', [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'],
  ...['192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24'],
  ...['224.0.0.0/4', '240.0.0.0/4'],
])

/** All that is in use on the internet lies here … */
const global6 = blockListOf('ipv6', ['2000::/3'])

/** … but for these: Teredo and the like, documentation, and 6to4, which has an address of IPv4 inside. */
const reserved6 = blockListOf('ipv6', ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'])

/** Whether an address, as it was resolved, is one of the public internet. What is no address is not. */
export function isPublic(address: string): boolean {
  if (isIPv4(address)) return !reserved4.check(address, 'ipv4')
  if (!isIPv6(address) || address.includes('%')) return false
  const inner = innerAddress(address)
  if (inner !== null) return !reserved4.check(inner, 'ipv4')
  return global6.check(address, 'ipv6') && !reserved6.check(address, 'ipv6')
}

/** The address of IPv4 that is meant by one of IPv6: `::ffff:10.0.0.1`, or that of a translator, `64:ff9b::a00:1`. */
function innerAddress(address: string): string | null {
  const groups = groupsOf(address)
  const prefix = groups.slice(0, 6).join(':')
  if (prefix !== '0:0:0:0:0:ffff' && prefix !== '64:ff9b:0:0:0:0') return null
  return groups
    .slice(6)
    .flatMap((group) => {
      const value = Number.parseInt(group, 16)
      return [value >> 8, value & 0xff]
    })
    .join('.')
}

/** The eight groups, in lower case and without leading zeros. */
function groupsOf(address: string): readonly string[] {
  // A URL knows all spellings of an address, and has one of its own.
  const text = new URL(`http://[${address}]`).hostname.slice(1, -1)
  const [head = [], tail] = text.split('::').map((part) => (part === '' ? [] : part.split(':')))
  if (tail === undefined) return head
  return [...head, ...new Array<string>(8 - head.length - tail.length).fill('0'), ...tail]
}

function blockListOf(family: 'ipv4' | 'ipv6', networks: readonly string[]): BlockList {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', bits] = network.split('/')
    list.addSubnet(address, Number(bits), family)
  }
  return list
}
