import type { NamedResource } from '@perigee/api/values/karmada-names';
import type { Client } from '@perigee/kube/client/client';
import { getOrUndefined } from '@perigee/kube/client/get-or-undefined';
import { ApiError } from '@perigee/kube/errors';
import { ConfigMap } from '@perigee/kubernetes/core/config-map';
import { Secret } from '@perigee/kubernetes/core/secret';
import type { MemberNeed } from '@perigee/scheduling/explain/snapshot';
import { startNeeds } from '@perigee/scheduling/suggest/start-needs';
import type { JsonObject } from '@perigee/schema/json';

/** Of a volume claim that is missing, the member's scheduler speaks itself. */
const KINDS: ReadonlyMap<string, typeof ConfigMap | typeof Secret> = new Map<
  string,
  typeof ConfigMap | typeof Secret
>([
  ['ConfigMap', ConfigMap],
  ['Secret', Secret],
]);

/** Limit of objects that are looked for. */
const MOST_NEEDS = 10;

const isLacking = async (
  client: Client,
  namespace: string,
  { kind, name }: MemberNeed,
): Promise<boolean> => {
  const definition = KINDS.get(kind);
  if (definition === undefined) return false;
  try {
    return (await getOrUndefined(client, definition, { namespace, name })) === undefined;
  } catch (error) {
    // An object that may not be read may well be there.
    if (error instanceof ApiError) return false;
    throw error;
  }
};

/** The ConfigMaps and Secrets without which the pods of an object in a member do not start, and that are not there. */
export const lackingNeeds = async (
  client: Client,
  { apiVersion, kind, namespace }: NamedResource,
  object: JsonObject,
): Promise<readonly MemberNeed[]> => {
  if (namespace === undefined) return [];
  const needs = startNeeds({ ...object, apiVersion, kind } as never).slice(0, MOST_NEEDS);
  const answers = await Promise.all(needs.map((need) => isLacking(client, namespace, need)));
  return needs.filter((_, at) => answers[at] === true);
};
