import { isJsonObject, type JsonObject, type JsonValue } from '@perigee/schema/json';
import type { Dependency } from '../../interpreter/interpreter.ts';

/** Annotation with the dependencies of a binding's workload. */
export const DEPENDENCIES = 'resourcebinding.karmada.io/dependencies';

type Words = { readonly [key: string]: string };

/** The dependencies annotation; no annotation if the list is empty. */
export const writeDependencies = (dependencies: readonly Dependency[]): Words =>
  dependencies.length === 0 ? {} : { [DEPENDENCIES]: JSON.stringify(dependencies) };

/** Anyone who may write bindings may forge the annotation. */
const isDependency = (value: unknown): value is Dependency => {
  if (!isJsonObject(value as JsonValue)) return false;
  const { apiVersion, kind } = value as JsonObject;
  return typeof apiVersion === 'string' && typeof kind === 'string';
};

/** Parses the dependencies annotation; empty if it is invalid. */
export const readDependencies = (annotations: Words = {}): readonly Dependency[] => {
  try {
    const value: unknown = JSON.parse(annotations[DEPENDENCIES] ?? '[]');
    return Array.isArray(value) ? value.filter(isDependency) : [];
  } catch {
    return [];
  }
};
