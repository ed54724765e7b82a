import type { ManifestStatus } from '@perigee/api/kinds/placement/work';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import type { JsonObject } from '@perigee/schema/json';
import { isJsonObject } from '@perigee/schema/json';
import { present, unlessEmpty } from '@perigee/schema/present';
import { textIn } from '../../interpreter/fields.ts';
import type { KindInterpreter } from '../../interpreter/interpreter.ts';

/** A manifest of a Work with the observed object in the member. */
export interface ObservedManifest {
  readonly ordinal: number;
  readonly kind: ResourceKind;
  readonly live: JsonObject;
}

const reflectedStatus = (
  { reflect }: KindInterpreter,
  live: JsonObject,
): JsonObject | undefined => {
  if (reflect !== undefined) return reflect(live);
  return isJsonObject(live.status) ? live.status : undefined;
};

/**
 * The status of one manifest in a Work. Kinds without a health check count as healthy once they
 * exist.
 */
export const manifestStatus = (
  { ordinal, kind, live }: ObservedManifest,
  interpreter: KindInterpreter,
): ManifestStatus => {
  const { group, version, plural } = kind;
  const namespace = textIn(live, 'metadata', 'namespace');
  const status = reflectedStatus(interpreter, live);
  return {
    identifier: {
      ordinal,
      ...present({ group: unlessEmpty(group) }),
      version,
      kind: kind.kind,
      resource: plural,
      ...present({ namespace: unlessEmpty(namespace) }),
      name: textIn(live, 'metadata', 'name'),
    },
    ...present({ status }),
    health: interpreter.health?.(live) ?? 'Healthy',
  };
};
