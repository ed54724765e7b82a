import type { NewCondition } from '@perigee/api/values/conditions';
import { clusterOfExecutionNamespace } from '@perigee/api/values/karmada-names';
import type { JsonObject } from '@perigee/schema/json';
import { present } from '@perigee/schema/present';
import { textIn } from '../../interpreter/fields.ts';
import { workOf } from './member-object.ts';

/** An object in a member that a control plane created, and that no Work names any more. */
export interface Leftover {
  /** Such as `Deployment default/web`. */
  readonly what: string;
  /** The name under which the cluster was registered then. */
  readonly broughtTo?: string;
}

/** True if a Work with this name exists for the cluster. */
export type HasWork = (work: { readonly namespace: string; readonly name: string }) => boolean;

/**
 * Reports an object with a control plane's marks as a leftover; undefined if a Work of its cluster
 * names it.
 */
export const leftoverOf = (
  kind: string,
  object: JsonObject,
  cluster: string,
  hasWork: HasWork,
): Leftover | undefined => {
  const work = workOf(object);
  const broughtTo = work && clusterOfExecutionNamespace(work.namespace);
  if (work !== undefined && broughtTo === cluster && hasWork(work)) return undefined;
  const [namespace, name] = ['namespace', 'name'].map((one) => textIn(object, 'metadata', one));
  const what = `${kind} ${namespace === '' ? '' : `${namespace}/`}${name}`;
  return { what, ...present({ broughtTo }) };
};

/** The number of examples in a message. */
const EXAMPLES = 20;

/** The Leftovers condition of a cluster. */
export const leftoversCondition = (
  leftovers: readonly Leftover[],
  cluster: string,
): NewCondition<'MemberCluster', 'Leftovers'> => {
  const before = [...new Set(leftovers.map(({ broughtTo }) => broughtTo))].filter(
    (name) => name !== undefined && name !== cluster,
  );
  const as = before.length === 0 ? '' : ` as ${before.join(' and ')}`;
  const examples = leftovers.slice(0, EXAMPLES).map(({ what }) => what);
  const more = leftovers.length > EXAMPLES ? `, and ${leftovers.length - EXAMPLES} more` : '';
  return {
    type: 'Leftovers',
    status: 'True',
    reason: 'ObjectsLeft',
    message: `the cluster was registered before${as}, and what was brought there then is still there, without a Work that names it: ${examples.join(', ')}${more}. A policy that places the same here takes it over; delete the rest in the cluster`,
  };
};
