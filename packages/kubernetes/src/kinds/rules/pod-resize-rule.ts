import { type FieldError, forbidden, invalid } from '@perigee/schema/errors';
import type { JsonObject } from '@perigee/schema/json';
import { mapAt, objectAt, objectsAt, textAt } from '@perigee/schema/json-fields';
import { sameJson } from '@perigee/schema/same-json';
import { qosClassOf } from '../qos-class.ts';
import type { KindRule } from './kind-rule.ts';

type Errors = readonly FieldError[];

const LISTS = ['containers', 'initContainers'] as const;
const SORTS = ['requests', 'limits'] as const;

/** Containers are the same ones, in the same order. */
const checkOrder = (spec: JsonObject, old: JsonObject): Errors =>
  LISTS.flatMap((list) => {
    const [now, before] = [objectsAt(spec, list), objectsAt(old, list)];
    if (now.length !== before.length) {
      return [forbidden(`spec.${list}`, `${list} may not be added or removed on resize`)];
    }
    const why = `${list} may not be renamed or reordered on resize`;
    return now.flatMap(({ name }, index) =>
      name === before[index]?.name ? [] : [forbidden(`spec.${list}[${index}].name`, why)],
    );
  });

const isResizable = (name: string): boolean => name === 'cpu' || name === 'memory';

/** A container apart from what a resize may change. */
const fixed = (container: JsonObject): JsonObject => ({
  ...container,
  resources: Object.fromEntries(
    Object.entries(objectAt(container, 'resources')).map(([sort, amounts]) => [
      sort,
      sort === 'requests' || sort === 'limits'
        ? Object.fromEntries(
            Object.entries(mapAt(container, 'resources', sort)).filter(
              ([name]) => !isResizable(name),
            ),
          )
        : amounts,
    ]),
  ),
});

const withoutEmpty = (container: JsonObject): JsonObject => {
  const resources = objectAt(container, 'resources');
  const entries = Object.entries(resources).filter(([, value]) => !sameJson(value, {}));
  return { ...container, resources: Object.fromEntries(entries) };
};

const checkRemoved = (container: JsonObject, before: JsonObject, path: string): Errors =>
  SORTS.flatMap((sort) => {
    const now = mapAt(container, 'resources', sort);
    const isLess = Object.keys(mapAt(before, 'resources', sort)).some((name) => !(name in now));
    return isLess
      ? [forbidden(`${path}.resources.${sort}`, `resource ${sort} cannot be removed`)]
      : [];
  });

const checkContainers = (spec: JsonObject, old: JsonObject): Errors =>
  LISTS.flatMap((list) =>
    objectsAt(spec, list).flatMap((container, index) => {
      const before = objectsAt(old, list)[index] ?? {};
      const path = `spec.${list}[${index}]`;
      const isOther = !sameJson(withoutEmpty(fixed(container)), withoutEmpty(fixed(before)));
      const fault =
        list === 'containers'
          ? forbidden('spec', 'only cpu and memory resources are mutable')
          : forbidden(
              path,
              'only cpu and memory resources for init or sidecar containers are mutable',
            );
      return [...checkRemoved(container, before, path), ...(isOther ? [fault] : [])];
    }),
  );

const refusedWhole = (old: JsonObject): string | undefined => {
  if (mapAt(old, 'metadata', 'annotations')['kubernetes.io/config.mirror'] !== undefined) {
    return 'static pods cannot be resized';
  }
  const os = textAt(objectAt(old, 'spec', 'os'), 'name');
  return os === 'windows' ? 'windows pods cannot be resized' : undefined;
};

/** A pod that runs may get more or less of what its containers have, and nothing else changes. */
export const podResizeRule: KindRule = (pod, old = {}) => {
  const whole = refusedWhole(old);
  if (whole !== undefined) return [forbidden('', whole)];
  const [spec, before] = [objectAt(pod, 'spec'), objectAt(old, 'spec')];
  const qosClass = textAt(objectAt(old, 'status'), 'qosClass') || qosClassOf(before);
  const order = checkOrder(spec, before);
  return [
    ...(qosClassOf(spec) === qosClass
      ? []
      : [invalid('spec', qosClass, 'Pod QOS Class may not change as a result of resizing')]),
    ...(order.length > 0 ? order : checkContainers(spec, before)),
  ];
};
