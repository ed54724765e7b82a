import { isJsonObject, type JsonObject, type JsonValue } from '@perigee/schema/json';
import type { MemberNeed } from '../explain/snapshot.ts';
import { createInterpreter, frameworkKinds, nativeKinds } from '../interpreter/known-kinds.ts';
import type { Template } from '../placement/binding/desired-binding.ts';

const standardKinds = createInterpreter([...nativeKinds, ...frameworkKinds]);

/** A pod starts without a pull secret if its image is public. */
const NEEDLESS = new Set(['imagePullSecrets']);

/** The object without what its pods can do without. */
const essential = (value: JsonValue): JsonValue => {
  if (Array.isArray(value)) return value.map(essential);
  if (!isJsonObject(value)) return value;
  if (value.optional === true) return {};
  return Object.fromEntries(
    Object.entries(value)
      .filter(([field]) => !NEEDLESS.has(field))
      .map(([field, one]) => [field, essential(one as JsonValue)]),
  );
};

const KINDS = new Set(['ConfigMap', 'Secret', 'PersistentVolumeClaim']);

/** The objects without which the pods of a workload do not start, by name. */
export const startNeeds = (template: Template): readonly MemberNeed[] => {
  const { dependencies } = standardKinds.of(template.apiVersion, template.kind);
  const all = dependencies?.(essential(template as never as JsonObject) as JsonObject) ?? [];
  return all.flatMap(({ kind, name }) =>
    name !== undefined && KINDS.has(kind) ? [{ kind, name }] : [],
  );
};
