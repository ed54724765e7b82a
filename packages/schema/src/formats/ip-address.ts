/** An IP address as its bytes: 4 of them, or 16. */
export type IpAddress = readonly number[];

export interface IpNetwork {
  readonly address: IpAddress;
  readonly prefixLength: number;
}

interface Leniency {
  /** Old versions of Go read `010` as ten, and some parts of Kubernetes still do. */
  readonly leadingZeros: boolean;
}

const STRICT: Leniency = { leadingZeros: false };

const parseIpv4 = (text: string, { leadingZeros }: Leniency): number[] | undefined => {
  const parts = text.split('.');
  if (parts.length !== 4) return undefined;
  const bytes: number[] = [];
  for (const part of parts) {
    if (!/^\d{1,}$/.test(part) || part.length > 32) return undefined;
    if (!leadingZeros && part.length > 1 && part.startsWith('0')) return undefined;
    const byte = Number(part);
    if (byte > 255) return undefined;
    bytes.push(byte);
  }
  return bytes;
};

/** The bytes of colon-separated groups, the last of which may be an IPv4 address. */
const parseGroups = (text: string, leniency: Leniency): number[] | undefined => {
  if (text === '') return [];
  const groups = text.split(':');
  const bytes: number[] = [];
  for (const [index, group] of groups.entries()) {
    if (index === groups.length - 1 && group.includes('.')) {
      const ipv4 = parseIpv4(group, leniency);
      if (ipv4 === undefined) return undefined;
      bytes.push(...ipv4);
    } else if (/^[0-9a-fA-F]{1,4}$/.test(group)) {
      const value = Number.parseInt(group, 16);
      bytes.push(value >> 8, value & 0xff);
    } else return undefined;
  }
  return bytes;
};

const parseIpv6 = (text: string, leniency: Leniency): number[] | undefined => {
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const head = parseGroups(halves[0] ?? '', leniency);
  if (head === undefined) return undefined;
  if (halves.length === 1) return head.length === 16 ? head : undefined;
  const tail = parseGroups(halves[1] ?? '', leniency);
  if (tail === undefined || head.length + tail.length > 14) return undefined;
  return [...head, ...new Array<number>(16 - head.length - tail.length).fill(0), ...tail];
};

/** Reads an IP address of either family, without a zone. */
export const parseIp = (text: string, leniency = STRICT): IpAddress | undefined =>
  text.includes(':') ? parseIpv6(text, leniency) : parseIpv4(text, leniency);

/** Reads an address with the length of its network prefix, such as `10.0.0.0/8`. */
export const parseCidr = (text: string, leniency = STRICT): IpNetwork | undefined => {
  const slash = text.lastIndexOf('/');
  const address = slash < 0 ? undefined : parseIp(text.slice(0, slash), leniency);
  const length = text.slice(slash + 1);
  const isNumber =
    /^(0|[1-9]\d{0,2})$/.test(length) || (leniency.leadingZeros && /^\d+$/.test(length));
  if (address === undefined || !isNumber) return undefined;
  const prefixLength = Number(length);
  return prefixLength <= address.length * 8 ? { address, prefixLength } : undefined;
};

/** The longest run of zero groups is the one to shorten; the first of equally long ones. */
const longestZeros = (
  groups: readonly number[],
): { readonly from: number; readonly to: number } => {
  let best = { from: 0, to: 0 };
  for (let from = 0; from < groups.length; from++) {
    let to = from;
    while (groups[to] === 0) to++;
    if (to - from > best.to - best.from) best = { from, to };
    if (to > from) from = to;
  }
  return best.to - best.from >= 2 ? best : { from: 0, to: 0 };
};

/** The one canonical text of an address. */
export const formatIp = (address: IpAddress): string => {
  if (address.length === 4) return address.join('.');
  const groups = Array.from(
    { length: 8 },
    (_, index) => ((address[index * 2] ?? 0) << 8) | (address[index * 2 + 1] ?? 0),
  );
  const { from, to } = longestZeros(groups);
  const hex = (part: readonly number[]): string =>
    part.map((group) => group.toString(16)).join(':');
  return from === to ? hex(groups) : `${hex(groups.slice(0, from))}::${hex(groups.slice(to))}`;
};

/** The address with all bits beyond the prefix cleared. */
export const maskIp = ({ address, prefixLength }: IpNetwork): IpAddress =>
  address.map((byte, index) => {
    const bits = Math.min(8, Math.max(0, prefixLength - index * 8));
    return byte & (0xff << (8 - bits)) & 0xff;
  });

export const isIpv4Mapped = (address: IpAddress): boolean =>
  address.length === 16 &&
  address.slice(0, 10).every((byte) => byte === 0) &&
  address[10] === 0xff &&
  address[11] === 0xff;
