import { sameJson } from '@perigee/schema/same-json';
import type { CredentialSource, Credentials } from '../client/cluster-config.ts';
import type { Clock } from '../clock/clock.ts';
import type { Logger } from '../observe/logger.ts';

export interface RefreshOptions {
  readonly clock: Clock;
  readonly logger?: Pick<Logger, 'warn'>;
}

const REFRESH_MS = 60_000;

/**
 * Credentials that are read again every minute, and at once when the server rejects them: tokens and
 * certificates in files get renewed behind our back. If reading fails, the last ones stay in use.
 */
export const refreshedCredentials = (
  read: () => Promise<Credentials>,
  { clock, logger }: RefreshOptions,
): CredentialSource => {
  let lastRead: { readonly credentials: Credentials; readonly readAt: number } | undefined;
  let reading: Promise<Credentials> | undefined;

  const refresh = async (): Promise<Credentials> => {
    const readAt = clock.monotonic();
    try {
      const fresh = await read();
      const last = lastRead?.credentials;
      lastRead = { credentials: last && sameJson(fresh, last) ? last : fresh, readAt };
    } catch (error) {
      if (lastRead === undefined) throw error;
      logger?.warn(
        `${error instanceof Error ? error.message : error}; the last known credentials stay in use`,
      );
      lastRead = { ...lastRead, readAt };
    }
    return lastRead.credentials;
  };

  return async (rejectedCredentials) => {
    const isFresh = lastRead !== undefined && clock.monotonic() - lastRead.readAt < REFRESH_MS;
    if (lastRead && isFresh && lastRead.credentials !== rejectedCredentials)
      return lastRead.credentials;
    reading ??= refresh().finally(() => {
      reading = undefined;
    });
    return reading;
  };
};
