import type { Strategy } from '../resource/served-resource.ts';
import { defaultCrd, prepareCrd } from './default-crd.ts';
import { validateCrd } from './validate-crd.ts';

/** What sets CustomResourceDefinitions apart from other objects. */
export const crdStrategy: Strategy = {
  defaults: defaultCrd,
  prepare: prepareCrd,
  validate: validateCrd,
  allowsBlindUpdate: false,
};
