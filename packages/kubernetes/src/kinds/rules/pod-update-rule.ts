import { type FieldError, forbidden, invalid } from '@perigee/schema/errors';
import type { JsonObject, JsonValue } from '@perigee/schema/json';
import { numberAt, objectAt, objectsAt, textAt } from '@perigee/schema/json-fields';
import { sameJson } from '@perigee/schema/same-json';
import { inRange } from './checks.ts';
import type { KindRule } from './kind-rule.ts';
import { narrowingProblems, withoutPlacement } from './pod-placement-rule.ts';
import { podResizeRule } from './pod-resize-rule.ts';
import { podStatusRule } from './pod-status-rule.ts';

const UPDATABLE = [
  '`spec.containers[*].image`',
  '`spec.initContainers[*].image`',
  '`spec.activeDeadlineSeconds`',
  '`spec.tolerations` (only additions to existing tolerations)',
  '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
];

const withoutImages = (spec: JsonObject, list: string): JsonValue =>
  objectsAt(spec, list).map(({ image, ...container }) => container);

/** The immutable fields of a pod; its scheduling constraints can still become narrower while it is gated. */
const fixed = (spec: JsonObject, isWaiting: boolean): JsonObject => {
  const { activeDeadlineSeconds, tolerations, schedulingGates, ...rest } = spec;
  return {
    ...(isWaiting ? withoutPlacement(rest) : rest),
    containers: withoutImages(spec, 'containers'),
    initContainers: withoutImages(spec, 'initContainers'),
  };
};

/** A toleration can change its seconds, but cannot be removed. */
const losesToleration = (spec: JsonObject, before: JsonObject): boolean => {
  const lasting = (pod: JsonObject): readonly string[] =>
    objectsAt(pod, 'tolerations').map(({ key, operator, value, effect }) =>
      JSON.stringify([key, operator, value, effect]),
    );
  const now = new Set(lasting(spec));
  return lasting(before).some((old) => !now.has(old));
};

const MAX_INT32 = 2 ** 31 - 1;

/** A deadline may come, and come closer. */
const checkDeadline = (spec: JsonObject, before: JsonObject): readonly FieldError[] => {
  const field = 'spec.activeDeadlineSeconds';
  const [now, old] = [
    numberAt(spec, 'activeDeadlineSeconds'),
    numberAt(before, 'activeDeadlineSeconds'),
  ];
  if (now === undefined) {
    const why = 'must not update from a positive integer to nil value';
    return old === undefined ? [] : [invalid(field, null, why)];
  }
  if (now < 0 || now > MAX_INT32) return [invalid(field, now, inRange(0, MAX_INT32))];
  return old !== undefined && now > old
    ? [invalid(field, now, 'must be less than or equal to previous value')]
    : [];
};

/** Scheduling gates can be removed, but not added. */
const checkGates = (spec: JsonObject, before: JsonObject): readonly FieldError[] => {
  const names = new Set(objectsAt(before, 'schedulingGates').map((gate) => textAt(gate, 'name')));
  return objectsAt(spec, 'schedulingGates').flatMap((gate, index) => {
    const name = textAt(gate, 'name');
    const why = `only deletion is allowed, but found new scheduling gate '${name}'`;
    return names.has(name) ? [] : [forbidden(`spec.schedulingGates[${index}].name`, why)];
  });
};

/** Containers for debugging come, and stay as they are. */
const checkEphemeral = (pod: JsonObject, old: JsonObject): readonly FieldError[] => {
  const list = 'ephemeralContainers';
  const field = `spec.${list}`;
  const now = new Map(
    objectsAt(objectAt(pod, 'spec'), list).map((container) => [container.name, container]),
  );
  return objectsAt(objectAt(old, 'spec'), list).flatMap((before) => {
    const name = JSON.stringify(before.name);
    const next = now.get(before.name);
    if (next === undefined) {
      return [forbidden(field, `existing ephemeral containers ${name} may not be removed\n`)];
    }
    return sameJson(next, before)
      ? []
      : [forbidden(field, `existing ephemeral containers ${name} may not be changed\n`)];
  });
};

/** A new pod is on no node while it waits to be scheduled. */
const checkBirth = (pod: JsonObject): readonly FieldError[] => {
  const spec = objectAt(pod, 'spec');
  return textAt(spec, 'nodeName') === '' || objectsAt(spec, 'schedulingGates').length === 0
    ? []
    : [forbidden('spec.nodeName', 'cannot be set until all schedulingGates have been cleared')];
};

/** A pod is what it is once it was made, save for its images and the like. */
export const podUpdateRule: KindRule = (pod, old, subresource) => {
  if (old === undefined) return checkBirth(pod);
  if (subresource === 'resize') return podResizeRule(pod, old);
  if (subresource === 'status') return podStatusRule(pod, old);
  if (subresource === 'ephemeralcontainers') return checkEphemeral(pod, old);
  const spec = objectAt(pod, 'spec');
  const before = objectAt(old, 'spec');
  const grown = ['containers', 'initContainers'].find(
    (list) => objectsAt(spec, list).length !== objectsAt(before, list).length,
  );
  if (grown !== undefined) {
    return [forbidden(`spec.${grown}`, 'pod updates may not add or remove containers')];
  }
  const isWaiting = objectsAt(before, 'schedulingGates').length > 0;
  const deadline = checkDeadline(spec, before);
  if (deadline.length > 0 && spec.activeDeadlineSeconds !== undefined) return deadline;
  return [
    ...deadline,
    ...(losesToleration(spec, before)
      ? [
          forbidden(
            'spec.tolerations',
            'existing toleration can not be modified except its tolerationSeconds',
          ),
        ]
      : []),
    ...checkGates(spec, before),
    ...(isWaiting ? narrowingProblems(spec, before) : []),
    ...(sameJson(fixed(spec, isWaiting), fixed(before, isWaiting))
      ? []
      : [forbidden('spec', `pod updates may not change fields other than ${UPDATABLE.join(',')}`)]),
  ];
};
