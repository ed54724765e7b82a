import { isIPv4 } from 'node:net';
import { ConfigError } from '@perigee/kube/errors';
import { addressesOf, type NumberRange } from './number-range.ts';

/** The default of kubeadm. */
export const USUAL_SERVICE_RANGE = '10.96.0.0/12';

/** Between the largest that Kubernetes takes, and the smallest that has an address for its own service. */
const [LEAST_BITS, MOST_BITS] = [12, 30];

export const numberOfAddress = (address: string): number =>
  address.split('.').reduce((number, part) => number * 256 + Number(part), 0);

export const addressOfNumber = (number: number): string =>
  [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256).join('.');

/** The addresses of services; throws `ConfigError` for what is no block of them. */
export const parseServiceRange = (block: string): NumberRange => {
  const [address = '', bits = ''] = block.split('/');
  const length = /^\d+$/.test(bits) ? Number(bits) : -1;
  if (!isIPv4(address) || length < LEAST_BITS || length > MOST_BITS) {
    throw new ConfigError(
      `the range of services must be a block of IPv4 addresses of ${LEAST_BITS} to ${MOST_BITS} bits such as ${USUAL_SERVICE_RANGE}, not ${JSON.stringify(block)}`,
    );
  }
  const number = numberOfAddress(address);
  return addressesOf(number - (number % 2 ** (32 - length)), length);
};
