import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import type { ControllerDefinition } from '@perigee/kube/controller/define-controller';
import { inEveryNamespace, type NamespaceFixture } from './in-every-namespace.ts';

const ServiceAccount: ResourceKind = {
  group: '',
  version: 'v1',
  kind: 'ServiceAccount',
  plural: 'serviceaccounts',
  scope: 'Namespaced',
};

/** The service account of pods that name none. */
export const SERVICE_ACCOUNT_FIXTURE: NamespaceFixture = {
  controller: 'serviceaccount',
  kind: ServiceAccount,
  name: 'default',
  shape: (found) => found,
};

/** Gives every namespace the service account of pods that name none. */
export const serviceAccountController = (): ControllerDefinition =>
  inEveryNamespace(SERVICE_ACCOUNT_FIXTURE);
