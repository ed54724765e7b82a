import { string } from '@perigee/schema/structural/builder';

/** A span of time as Go writes it, such as `10m` or `1h30m`; not negative. */
export const duration = (description: string) =>
  string(description, {
    maxLength: 64,
    pattern: '^\\+?(0|(([0-9]+(\\.[0-9]*)?|\\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+)$',
  });
