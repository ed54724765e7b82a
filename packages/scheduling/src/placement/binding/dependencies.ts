import { isJsonObject, type JsonObject, type JsonValue } from '@perigee/api/json';
import type { Dependency } from '../../interpreter/interpreter.ts';

/** Where a binding says what its workload depends on. */
export const DEPENDENCIES = 'resourcebinding.karmada.io/dependencies';

type Words = { readonly [key: string]: string };

/** The annotation that tells dependencies; none when there are none. */
export const writeDependencies = (dependencies: readonly Dependency[]): Words =>
  dependencies.length === 0 ? {} : { [DEPENDENCIES]: JSON.stringify(dependencies) };

/** Anybody who may write bindings may have written the annotation. */
const isDependency = (value: unknown): value is Dependency => {
  if (!isJsonObject(value as JsonValue)) return false;
  const { apiVersion, kind } = value as JsonObject;
  return typeof apiVersion === 'string' && typeof kind === 'string';
};

/** What an annotation tells; nothing when it cannot be read. */
export const readDependencies = (annotations: Words = {}): readonly Dependency[] => {
  try {
    const read: unknown = JSON.parse(annotations[DEPENDENCIES] ?? '[]');
    return Array.isArray(read) ? read.filter(isDependency) : [];
  } catch {
    return [];
  }
};
