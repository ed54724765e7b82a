import type { Queue } from '@perigee/api/kinds/queues/queue';
import { parseResourceList, type ResourceList } from '@perigee/api/values/resource-list';

/** The spec fields of a Queue that hold amounts. */
export type AmountField = 'capability' | 'deserved' | 'guarantee';

const PATHS: { readonly [field in AmountField]: string } = {
  capability: 'spec.capability',
  deserved: 'spec.deserved',
  guarantee: 'spec.guarantee.resource',
};

export const pathOfAmount = (field: AmountField, resource: string): string =>
  `${PATHS[field]}[${resource}]`;

export const amountsOf = ({ spec }: Pick<Queue, 'spec'>, field: AmountField): ResourceList =>
  parseResourceList((field === 'guarantee' ? spec.guarantee?.resource : spec[field]) ?? {});
