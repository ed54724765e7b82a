import { isIP } from 'node:net';
import { type FieldError, invalid } from '@perigee/schema/errors';

export const checkAddress = (address: string, field: string): readonly FieldError[] =>
  isIP(address) !== 0
    ? []
    : [invalid(field, address, 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)')];

const BITS: { readonly [family: number]: number } = { 4: 32, 6: 128 };

export const checkBlock = (block: string, field: string): readonly FieldError[] => {
  const [address = '', bits = '', ...more] = block.split('/');
  const most = BITS[isIP(address)] ?? -1;
  return more.length === 0 && /^\d+$/.test(bits) && Number(bits) <= most
    ? []
    : [invalid(field, block, 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)')];
};
