import { ConfigError } from '@perigee/kube/errors';
import { type Features, LIMITS } from './perigee-options.ts';

/** Throws a `ConfigError` when `members` or `nodes` is out of its limits. */
export const checkFeatures = (features: Features): void => {
  for (const field of ['members', 'nodes'] as const) {
    const [least, most] = LIMITS[field];
    const number = features[field];
    if (!Number.isInteger(number) || number < least || number > most) {
      throw new ConfigError(`${field} must be a whole number from ${least} to ${most}`);
    }
  }
};
