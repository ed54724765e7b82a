import {
  formatIp,
  type IpAddress,
  type IpNetwork,
  isIpv4Mapped,
  maskIp,
  parseCidr,
  parseIp,
} from '../../formats/ip-address.ts';
import { textCost } from '../budget.ts';
import { CelFailure } from '../failure.ts';
import { func, method, type Overload } from '../signature.ts';
import { OpaqueValue } from '../values.ts';

type IpValue = OpaqueValue<IpAddress>;
type CidrValue = OpaqueValue<IpNetwork>;

const cidrText = ({ address, prefixLength }: IpNetwork): string =>
  `${formatIp(address)}/${prefixLength}`;

const ipValue = (address: IpAddress): IpValue => new OpaqueValue('IP', address, formatIp);
const cidrValue = (network: IpNetwork): CidrValue => new OpaqueValue('CIDR', network, cidrText);

/** IPv4 in the clothes of IPv6 could slip past a rule about either, and so is not taken. */
const readIp = (text: string): IpAddress | undefined => {
  const address = parseIp(text);
  return address === undefined || isIpv4Mapped(address) ? undefined : address;
};

const readCidr = (text: string): IpNetwork | undefined => {
  const network = parseCidr(text);
  return network === undefined || isIpv4Mapped(network.address) ? undefined : network;
};

const toIp = (text: string): IpValue => {
  const address = readIp(text);
  if (address === undefined) {
    const quoted = JSON.stringify(text);
    throw new CelFailure(`IP Address ${quoted} parse error during conversion from string`);
  }
  return ipValue(address);
};

const toCidr = (text: string): CidrValue => {
  const network = readCidr(text);
  if (network === undefined) {
    throw new CelFailure(
      `network address parse error during conversion from string: ${JSON.stringify(text)}`,
    );
  }
  return cidrValue(network);
};

const starts = (address: IpAddress, ...bytes: readonly number[]): boolean =>
  bytes.every((byte, index) => address[index] === byte);

const isUnspecified = (address: IpAddress): boolean => address.every((byte) => byte === 0);
const isLoopback = (address: IpAddress): boolean =>
  address.length === 4
    ? address[0] === 127
    : address.every((byte, index) => byte === (index === 15 ? 1 : 0));
const isMulticast = ([first = 0]: IpAddress, isV4: boolean): boolean =>
  isV4 ? first >> 4 === 0xe : first === 0xff;
const isLinkLocalMulticast = (address: IpAddress): boolean =>
  address.length === 4
    ? starts(address, 224, 0, 0)
    : address[0] === 0xff && ((address[1] ?? 0) & 0x0f) === 0x02;
const isLinkLocalUnicast = (address: IpAddress): boolean =>
  address.length === 4
    ? starts(address, 169, 254)
    : address[0] === 0xfe && ((address[1] ?? 0) & 0xc0) === 0x80;
const isGlobalUnicast = (address: IpAddress): boolean =>
  !isUnspecified(address) &&
  !isLoopback(address) &&
  !isMulticast(address, address.length === 4) &&
  !isLinkLocalUnicast(address) &&
  !(address.length === 4 && address.every((byte) => byte === 255));

const contains = ({ value: network }: CidrValue, address: IpAddress): boolean => {
  if (network.address.length !== address.length) return false;
  const masked = maskIp({ address, prefixLength: network.prefixLength });
  return formatIp(masked) === formatIp(maskIp(network));
};

const containsCidr = (outer: CidrValue, { value: network }: CidrValue): boolean =>
  network.prefixLength >= outer.value.prefixLength && contains(outer, network.address);

const onIp =
  (test: (address: IpAddress) => boolean) =>
  ({ value: address }: IpValue) =>
    test(address);
const walk = (text: string): number => textCost(text.length);

export const NETWORKS: readonly Overload[] = [
  func('ip(string): IP', toIp, walk),
  func('isIP(string): bool', (text: string) => readIp(text) !== undefined, walk),
  func('ip.isCanonical(string): bool', (text: string) => formatIp(toIp(text).value) === text, walk),
  func('string(IP): string', ({ value: address }: IpValue) => formatIp(address)),
  method('IP', 'family(): int', ({ value: address }: IpValue) => (address.length === 4 ? 4n : 6n)),
  method('IP', 'isUnspecified(): bool', onIp(isUnspecified)),
  method('IP', 'isLoopback(): bool', onIp(isLoopback)),
  method('IP', 'isLinkLocalMulticast(): bool', onIp(isLinkLocalMulticast)),
  method('IP', 'isLinkLocalUnicast(): bool', onIp(isLinkLocalUnicast)),
  method('IP', 'isGlobalUnicast(): bool', onIp(isGlobalUnicast)),
  func('cidr(string): CIDR', toCidr, walk),
  func('isCIDR(string): bool', (text: string) => readCidr(text) !== undefined, walk),
  func('string(CIDR): string', ({ value }: CidrValue) => cidrText(value)),
  method('CIDR', 'ip(): IP', ({ value: network }: CidrValue) => ipValue(network.address)),
  method('CIDR', 'prefixLength(): int', ({ value: network }: CidrValue) =>
    BigInt(network.prefixLength),
  ),
  method('CIDR', 'masked(): CIDR', ({ value: network }: CidrValue) =>
    cidrValue({ ...network, address: maskIp(network) }),
  ),
  method('CIDR', 'containsIP(string): bool', (cidr: CidrValue, text: string) =>
    contains(cidr, toIp(text).value),
  ),
  method('CIDR', 'containsIP(IP): bool', (cidr: CidrValue, { value: address }: IpValue) =>
    contains(cidr, address),
  ),
  method('CIDR', 'containsCIDR(string): bool', (cidr: CidrValue, text: string) =>
    containsCidr(cidr, toCidr(text)),
  ),
  method('CIDR', 'containsCIDR(CIDR): bool', containsCidr),
];
