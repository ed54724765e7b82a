import { string } from '@perigee/schema/structural/builder';

const NAME = '[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?';
const DOMAIN = '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*';

const LABEL_KEY = `^(${DOMAIN}/)?${NAME}$`;
const LABEL_VALUE = `^(${NAME})?$`;

/** What Kubernetes accepts as the key of a label: `tier` or `example.com/tier`. */
export const labelKey = (description: string, maxLength = 317) =>
  string(description, { minLength: 1, maxLength, pattern: LABEL_KEY });

/** What Kubernetes accepts as the value of a label; may be empty. */
export const labelValue = (description: string) =>
  string(description, { maxLength: 63, pattern: LABEL_VALUE });
