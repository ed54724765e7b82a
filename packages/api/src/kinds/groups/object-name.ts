import { string } from '@perigee/schema/structural/builder';

/** The name of a cluster-scoped object such as a queue or a priority class: a DNS name. */
export const objectName = (description: string) =>
  string(description, {
    maxLength: 253,
    pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$',
  });
