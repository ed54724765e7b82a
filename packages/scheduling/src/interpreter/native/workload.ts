import type { JsonObject } from '@perigee/schema/json';
import { numberIn, objectIn, textIn, withField } from '../fields.ts';
import type { Health, KindInterpreter } from '../interpreter.ts';
import { podDependencies } from '../pod-dependencies.ts';
import { podRequirements } from '../pod-requirements.ts';

/** Dependencies of any kind with a pod template. */
export const podTemplateAt = (
  ...path: readonly string[]
): Required<Pick<KindInterpreter, 'dependencies'>> => ({
  dependencies: (object) =>
    podDependencies(objectIn(object, ...path), textIn(object, 'metadata', 'namespace')),
});

/** Replicas in a field of the spec. */
export const replicasAt = (
  field: 'replicas' | 'parallelism',
): Required<Pick<KindInterpreter, 'demand' | 'revise'>> => ({
  demand: (object) => {
    const requirements = podRequirements(objectIn(object, 'spec', 'template', 'spec'));
    const replicas = numberIn(object, 'spec', field) ?? 0;
    return requirements === undefined ? { replicas } : { replicas, requirements };
  },
  revise: (object, replicas) => withField(object, ['spec', field], replicas),
});

export const healthyIf = (isHealthy: boolean): Health => (isHealthy ? 'Healthy' : 'Unhealthy');

export const isObserved = (object: JsonObject): boolean =>
  (numberIn(object, 'status', 'observedGeneration') ?? 0) ===
  (numberIn(object, 'metadata', 'generation') ?? 0);

export const count = (object: JsonObject, field: string): number =>
  numberIn(object, 'status', field) ?? 0;
