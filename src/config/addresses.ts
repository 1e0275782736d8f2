/**
 * Lists of local addresses: single ones and IPv4 ranges, `127.0.0.2-127.0.0.7`. It knows nothing of interfaces; whether an
 * address can be bound shows when it is.
 */
import { isIP, isIPv4 } from 'node:net'

/** More addresses than ports make sense for; also keeps a typing error from filling memory. */
const MAX_RANGE_ADDRESSES = 65_536

/** The addresses an entry of the list stands for, or undefined when it is not an address or an ascending range. */
export function expandAddress(entry: string): string[] | undefined {
  if (isIP(entry) !== 0) return [entry]
  const [first, last, ...rest] = entry.split('-').map((part) => part.trim())
  if (first === undefined || last === undefined || rest.length > 0 || !isIPv4(first) || !isIPv4(last)) return undefined
  const from = toNumber(first)
  const addresses = toNumber(last) - from + 1
  if (addresses < 1 || addresses > MAX_RANGE_ADDRESSES) return undefined
  return Array.from({ length: addresses }, (_, index) => toAddress(from + index))
}

/** The shortest text that expands to these addresses: neighbours become ranges. */
export function compressAddresses(addresses: readonly string[]): string {
  const runs: { first: string; last: string }[] = []
  for (const address of addresses) {
    const run = runs.at(-1)
    if (run !== undefined && isNextAddress(run.last, address)) run.last = address
    else runs.push({ first: address, last: address })
  }
  return runs.map(({ first, last }) => (first === last ? first : `${first}-${last}`)).join(',')
}

/** `127.0.0.2-127.0.0.7`: so many IPv4 addresses from `first` on, as `expandAddress` takes them. */
export const addressRange = (first: string, addresses: number): string => `${first}-${toAddress(toNumber(first) + addresses - 1)}`

const isNextAddress = (address: string, next: string): boolean =>
  isIPv4(address) && isIPv4(next) && toNumber(next) === toNumber(address) + 1

const toNumber = (address: string): number => address.split('.').reduce((value, part) => value * 256 + Number(part), 0)

const toAddress = (value: number): string => [24, 16, 8, 0].map((shift) => (value >>> shift) & 255).join('.')
