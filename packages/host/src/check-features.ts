import { ConfigError } from '@perigee/kube/errors';
import { type Features, LIMITS } from './perigee-options.ts';

/** Throws a `ConfigError` about a number that cannot be hosted. */
export const checkFeatures = (features: Features): void => {
  for (const field of ['members', 'nodes'] as const) {
    const [least, most] = LIMITS[field];
    const number = features[field];
    if (!Number.isInteger(number) || number < least || number > most) {
      throw new ConfigError(`${field} must be a whole number from ${least} to ${most}`);
    }
  }
};
