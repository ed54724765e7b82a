import { anyObject } from '@perigee/schema/structural/builder';
import { type Schema, withDefault } from '@perigee/schema/structural/schema';
import { defineKind, type Kind, type KindDefinition } from '../../kind/define-kind.ts';

type Names = Pick<KindDefinition<Schema, Schema>, 'kind' | 'plural' | 'scope'> & {
  readonly shortNames?: readonly string[];
  readonly keepsUnknownFields?: true;
};

/** A kind that YAML for Fluid brings along. Nothing acts on it: a dataset needs no runtime here. */
const inert = (names: Names): Kind =>
  defineKind({
    group: 'data.fluid.io',
    version: 'v1alpha1',
    categories: ['fluid'],
    doc: 'Accepted and kept so that YAML written for Fluid applies. Nothing acts on it: a dataset needs no runtime here.',
    spec: withDefault({}, anyObject('What Fluid reads.')),
    status: anyObject('What Fluid writes.'),
    ...names,
  });

/** The engines of Fluid, and their classes and profiles. */
export const runtimeKinds: readonly Kind[] = [
  inert({
    kind: 'AlluxioRuntime',
    plural: 'alluxioruntimes',
    scope: 'Namespaced',
    shortNames: ['alluxio'],
  }),
  inert({
    kind: 'JindoRuntime',
    plural: 'jindoruntimes',
    scope: 'Namespaced',
    shortNames: ['jindo'],
  }),
  inert({
    kind: 'JuiceFSRuntime',
    plural: 'juicefsruntimes',
    scope: 'Namespaced',
    shortNames: ['juicefs'],
  }),
  inert({ kind: 'EFCRuntime', plural: 'efcruntimes', scope: 'Namespaced', shortNames: ['efc'] }),
  inert({
    kind: 'VineyardRuntime',
    plural: 'vineyardruntimes',
    scope: 'Namespaced',
    shortNames: ['v6d'],
  }),
  inert({ kind: 'ThinRuntime', plural: 'thinruntimes', scope: 'Namespaced' }),
  inert({ kind: 'ThinRuntimeProfile', plural: 'thinruntimeprofiles', scope: 'Cluster' }),
  inert({ kind: 'CacheRuntime', plural: 'cacheruntimes', scope: 'Namespaced' }),
  inert({
    kind: 'CacheRuntimeClass',
    plural: 'cacheruntimeclasses',
    scope: 'Cluster',
    keepsUnknownFields: true,
  }),
];
