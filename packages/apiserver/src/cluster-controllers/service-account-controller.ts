import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import type { ControllerDefinition } from '@perigee/kube/controller/define-controller';
import { inEveryNamespace } from './in-every-namespace.ts';

const ServiceAccount: ResourceKind = {
  group: '',
  version: 'v1',
  kind: 'ServiceAccount',
  plural: 'serviceaccounts',
  scope: 'Namespaced',
};

/** Gives every namespace the service account of pods that name none. */
export const serviceAccountController = (): ControllerDefinition =>
  inEveryNamespace({
    controller: 'serviceaccount',
    kind: ServiceAccount,
    name: 'default',
    shape: (found) => found,
  });
