import type { JsonObject } from '@perigee/schema/json';
import { objectAt } from '@perigee/schema/json-fields';
import { present } from '@perigee/schema/present';
import type { Strategy } from '../resource/strategy.ts';
import { goForm, goZero } from '../types/go-form.ts';
import { storedElsewhere } from './conversions/stored-elsewhere.ts';
import { defaultBuiltin } from './default-builtin.ts';
import { prepareBuiltin, secretWithData } from './prepare-builtin.ts';
import { addressesOfService } from './rules/service-rules.ts';
import { traitsOf } from './traits.ts';
import { validateBuiltin } from './validate-builtin.ts';
import { warningsOf } from './warnings/kind-warnings.ts';

/** An empty list of owners is none to Go, but asks for a reset: it stays until that is done. */
const withOwnersReset = (written: JsonObject, read: JsonObject): JsonObject => {
  const { managedFields } = objectAt(written, 'metadata');
  if (!Array.isArray(managedFields) || managedFields.length > 0) return read;
  return { ...read, metadata: { ...objectAt(read, 'metadata'), managedFields } };
};

const ROLES: readonly string[] = ['rbac.v1.ClusterRole', 'rbac.v1.Role'];

/** An empty list of rules is stored as none, but its writer owns it. */
const withNoRules = (typeName: string, written: JsonObject, read: JsonObject): JsonObject => {
  const { rules } = written;
  if (!ROLES.includes(typeName) || !Array.isArray(rules) || rules.length > 0) return read;
  return { ...read, rules };
};

/** A strategy for a built-in type whose objects are brought into the form that Go gives them first. */
export const strategyInGoForm = (typeName: string, strategy: Strategy): Strategy => {
  const form = goForm(typeName);
  return {
    ...strategy,
    defaults: (object) => strategy.defaults?.(form(object)) ?? object,
    prepare: (object, old) => form(strategy.prepare?.(object, old) ?? object),
  };
};

/** Strategy of kube-apiserver for the objects of a built-in type. */
export const builtinStrategy = (typeName: string): Strategy => {
  const form = goForm(typeName);
  const complete = defaultBuiltin(typeName);
  const prepare = prepareBuiltin(typeName);
  const read: typeof form =
    typeName === 'core.v1.Secret' ? (object) => form(secretWithData(object)) : form;
  const conversion = storedElsewhere(typeName)?.conversion;
  const asStored: typeof form =
    conversion === undefined
      ? (object) => object
      : (object) => conversion.fromStored(conversion.toStored(object));
  const warnings = warningsOf(typeName);
  return {
    ...traitsOf(typeName),
    ...present({ warnings }),
    blank: () => goZero(typeName),
    defaults: (object) =>
      withNoRules(typeName, object, withOwnersReset(object, complete(read(object)))),
    prepare: (object, old, subresource) =>
      form(asStored(prepare(complete(object), old, subresource))),
    validate: validateBuiltin(typeName),
    ...present({ validateFirst: typeName === 'core.v1.Service' ? addressesOfService : undefined }),
  };
};
