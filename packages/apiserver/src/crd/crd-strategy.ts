import type { Strategy } from '@perigee/kubernetes/resource/strategy';
import { defaultCrd, prepareCrd } from './default-crd.ts';
import { validateCrd } from './validate-crd.ts';

/** Held until all objects of the kind are gone. */
export const CLEANUP_FINALIZER = 'customresourcecleanup.apiextensions.k8s.io';

/** What sets CustomResourceDefinitions apart from other objects. */
export const crdStrategy: Strategy = {
  defaults: defaultCrd,
  // Who may write the status, the registry has seen to: on an update, the one that comes is to be kept.
  prepare: (crd, old) => prepareCrd(crd, old && { ...old, status: crd.status ?? old.status }),
  validate: validateCrd,
  allowsBlindUpdate: false,
  deletionFinalizers: [CLEANUP_FINALIZER],
};
