import { type BuiltinResource, builtinResources } from '@perigee/kubernetes/builtin-resources';
import { builtinStrategy, strategyInGoForm } from '@perigee/kubernetes/kinds/builtin-strategy';
import type { Strategy } from '@perigee/kubernetes/resource/strategy';
import { ADMISSION_RULES } from '../admission/rules/admission-rules.ts';
import { crdStrategy } from '../crd/crd-strategy.ts';

const OWN_RULES = new Map(ADMISSION_RULES);

/** The strategy of a type: definitions and the configurations of admission have those of this server. */
const strategyOf = (type: string): Strategy => {
  if (type === 'apiextensions.v1.CustomResourceDefinition') {
    return strategyInGoForm(type, crdStrategy);
  }
  const strategy = builtinStrategy(type);
  const rule = OWN_RULES.get(type);
  if (rule === undefined) return strategy;
  const validate: Strategy['validate'] = (object, old, subresource) => [
    ...(strategy.validate?.(object, old, subresource) ?? []),
    ...rule(object, old, subresource),
  ];
  return { ...strategy, validate };
};

let resources: readonly BuiltinResource[] | undefined;

/** The built-in kinds of Kubernetes, with the rules for those that this server itself acts on. */
export const serverResources = (): readonly BuiltinResource[] => {
  resources ??= builtinResources(strategyOf);
  return resources;
};
