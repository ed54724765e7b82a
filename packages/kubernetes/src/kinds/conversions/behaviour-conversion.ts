import { isJsonObject, type JsonObject, type JsonValue } from '@perigee/schema/json';
import { objectAt, objectsAt } from '@perigee/schema/json-fields';

const capital = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

const small = (name: string): string => name.charAt(0).toLowerCase() + name.slice(1);

/** Go finds fields in whatever case they are spelled, and leaves those that are null. */
const readable = (value: JsonValue): JsonValue => {
  if (Array.isArray(value)) return value.map(readable);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) =>
      inner === null || inner === undefined ? [] : [[small(name), readable(inner)]],
    ),
  );
};

const policyText = ({ type = '', value = 0, periodSeconds = 0 }: JsonObject): JsonObject => ({
  Type: type,
  Value: value,
  PeriodSeconds: periodSeconds,
});

const rulesText = (rules: JsonObject): JsonObject => ({
  StabilizationWindowSeconds: rules.stabilizationWindowSeconds ?? null,
  SelectPolicy: rules.selectPolicy ?? null,
  Policies: rules.policies === undefined ? null : objectsAt(rules, 'policies').map(policyText),
  Tolerance: rules.tolerance ?? null,
});

/** The behaviour as kube-apiserver writes it into an annotation: with the names of its Go fields. */
export const olderBehaviour = (behaviour: JsonObject): JsonObject =>
  Object.fromEntries(
    ['scaleUp', 'scaleDown'].map((name) => [
      capital(name),
      behaviour[name] === undefined ? null : rulesText(objectAt(behaviour, name)),
    ]),
  );

/** The behaviour in an annotation; nothing if it is empty. */
export const newerBehaviour = (written: JsonValue | undefined): JsonObject | undefined => {
  if (!isJsonObject(written)) return undefined;
  const behaviour = readable(written);
  return isJsonObject(behaviour) && Object.keys(behaviour).length > 0 ? behaviour : undefined;
};
