import type { ControllerDefinition } from '@perigee/kube/controller/define-controller';
import { ServiceAccount } from '@perigee/kubernetes/core/service-account';
import { inEveryNamespace, type NamespaceFixture } from './in-every-namespace.ts';

/** The service account of pods that name none. */
export const SERVICE_ACCOUNT_FIXTURE: NamespaceFixture = {
  controller: 'serviceaccount',
  kind: ServiceAccount,
  name: 'default',
  shape: (object) => object,
};

/** Gives every namespace the service account of pods that name none. */
export const serviceAccountController = (): ControllerDefinition =>
  inEveryNamespace(SERVICE_ACCOUNT_FIXTURE);
