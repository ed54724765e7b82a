import { string } from '@perigee/schema/structural/builder';

const NAME = '[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?';
const DOMAIN = '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*';

const LABEL_KEY = `^(${DOMAIN}/)?${NAME}$`;
const LABEL_VALUE = `^(${NAME})?$`;

/** A key of a label, by the rules of Kubernetes: `tier` or `example.com/tier`. */
export const labelKey = (description: string, maxLength = 317) =>
  string(description, { minLength: 1, maxLength, pattern: LABEL_KEY });

/** A value of a label, by the rules of Kubernetes; may be empty. */
export const labelValue = (description: string) =>
  string(description, { maxLength: 63, pattern: LABEL_VALUE });
