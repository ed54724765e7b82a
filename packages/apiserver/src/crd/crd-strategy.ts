import type { Strategy } from '@perigee/kubernetes/resource/strategy';
import { defaultCrd, prepareCrd } from './default-crd.ts';
import { validateCrd } from './validate-crd.ts';

/** Held until all objects of the kind are gone. */
export const CLEANUP_FINALIZER = 'customresourcecleanup.apiextensions.k8s.io';

/** Strategy of CustomResourceDefinitions. */
export const crdStrategy: Strategy = {
  defaults: defaultCrd,
  // The registry has merged the status by the endpoint: on an update, the status of the new object stays.
  prepare: (crd, old) => prepareCrd(crd, old && { ...old, status: crd.status ?? old.status }),
  validate: validateCrd,
  allowsBlindUpdate: false,
  deletionFinalizers: [CLEANUP_FINALIZER],
};
