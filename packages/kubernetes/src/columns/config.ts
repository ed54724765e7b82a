import { age, integer, sizeColumn, textColumn } from './column.ts';
import { listAt } from './fields.ts';

export const configMapColumns = [
  sizeColumn('Data', 'How many entries it has.', ['data'], ['binaryData']),
  age,
];

export const secretColumns = [
  textColumn('Type', 'What the secret is for.', ['type']),
  sizeColumn('Data', 'How many entries it has.', ['data']),
  age,
];

export const namespaceColumns = [
  textColumn('Status', 'Whether it is in use or being deleted.', ['status', 'phase']),
  age,
];

export const serviceAccountColumns = [age];

export const leaseColumns = [
  textColumn('Holder', 'Who holds the lease.', ['spec', 'holderIdentity']),
  age,
];

const webhooks = integer(
  'Webhooks',
  'How many webhooks it has.',
  (object) => listAt(object, 'webhooks').length,
);

export const webhookConfigurationColumns = [webhooks, age];
