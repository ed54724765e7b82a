import type { Component } from '@perigee/api/kinds/placement/replica-requirements';
import type { JsonObject, JsonValue } from '@perigee/schema/json';
import { present } from '@perigee/schema/present';
import { objectIn, textIn } from '../fields.ts';
import type { Dependency } from '../interpreter.ts';
import { podDependencies } from '../pod-dependencies.ts';
import { podRequirements } from '../pod-requirements.ts';

/** A number, or text that holds one; else the fallback. */
export const numberOr = (value: JsonValue | undefined, otherwise: number): number => {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string' || value === '') return otherwise;
  const size = Number(value);
  return Number.isNaN(size) ? otherwise : size;
};

/** The component of one pod template. */
export const componentOf = (name: string, replicas: number, template: JsonObject): Component => {
  const requirements = podRequirements(objectIn(template, 'spec'));
  return {
    name,
    replicas,
    ...present({ replicaRequirements: requirements }),
  };
};

/** The dependencies of all pod templates, deduplicated. */
export const dependenciesOf = (
  object: JsonObject,
  templates: readonly JsonObject[],
): readonly Dependency[] => {
  const namespace = textIn(object, 'metadata', 'namespace');
  const dependencies = templates.flatMap((template) =>
    podDependencies(objectIn(template, 'spec'), namespace),
  );
  return [...new Map(dependencies.map((one) => [`${one.kind}/${one.name}`, one])).values()];
};
