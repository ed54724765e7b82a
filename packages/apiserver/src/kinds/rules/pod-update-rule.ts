import { type FieldError, forbidden } from '@perigee/api/errors';
import type { JsonObject, JsonValue } from '@perigee/api/json';
import { sameJson } from '@perigee/api/schema/validate/same-json';
import { objectAt, objectsAt } from '../fields.ts';
import type { KindRule } from './kind-rule.ts';

const UPDATABLE = [
  '`spec.containers[*].image`',
  '`spec.initContainers[*].image`',
  '`spec.activeDeadlineSeconds`',
  '`spec.tolerations` (only additions to existing tolerations)',
  '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
];

const withoutImages = (spec: JsonObject, list: string): JsonValue =>
  objectsAt(spec, list).map(({ image, ...container }) => container);

/** What no update of a pod may change. */
const fixed = (spec: JsonObject): JsonObject => {
  const { activeDeadlineSeconds, tolerations, schedulingGates, ...rest } = spec;
  return {
    ...rest,
    containers: withoutImages(spec, 'containers'),
    initContainers: withoutImages(spec, 'initContainers'),
  };
};

const losesToleration = (spec: JsonObject, before: JsonObject): boolean => {
  const now = objectsAt(spec, 'tolerations');
  return objectsAt(before, 'tolerations').some((old) => !now.some((one) => sameJson(one, old)));
};

/** Containers for debugging come, and stay as they are. */
const checkEphemeral = (pod: JsonObject, old: JsonObject): readonly FieldError[] => {
  const list = 'ephemeralContainers';
  const field = `spec.${list}`;
  const now = objectsAt(objectAt(pod, 'spec'), list);
  return objectsAt(objectAt(old, 'spec'), list).flatMap((before) => {
    const name = JSON.stringify(before.name);
    const next = now.find((container) => container.name === before.name);
    if (next === undefined) {
      return [forbidden(field, `existing ephemeral containers ${name} may not be removed\n`)];
    }
    return sameJson(next, before)
      ? []
      : [forbidden(field, `existing ephemeral containers ${name} may not be changed\n`)];
  });
};

/** A pod is what it is once it was made, save for its images and the like. */
export const podUpdateRule: KindRule = (pod, old, subresource) => {
  if (old === undefined || subresource === 'resize') return [];
  if (subresource === 'ephemeralcontainers') return checkEphemeral(pod, old);
  const spec = objectAt(pod, 'spec');
  const before = objectAt(old, 'spec');
  const grown = ['containers', 'initContainers'].find(
    (list) => objectsAt(spec, list).length !== objectsAt(before, list).length,
  );
  if (grown !== undefined) {
    return [forbidden(`spec.${grown}`, 'pod updates may not add or remove containers')];
  }
  return [
    ...(losesToleration(spec, before)
      ? [
          forbidden(
            'spec.tolerations',
            'existing toleration can not be modified except its tolerationSeconds',
          ),
        ]
      : []),
    ...(sameJson(fixed(spec), fixed(before))
      ? []
      : [forbidden('spec', `pod updates may not change fields other than ${UPDATABLE.join(',')}`)]),
  ];
};
