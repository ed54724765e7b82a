import type { ResourceKind } from '@perigee/api/meta/resource-kind';

export const ServiceAccount: ResourceKind = {
  group: '',
  version: 'v1',
  kind: 'ServiceAccount',
  plural: 'serviceaccounts',
  scope: 'Namespaced',
};
