import { isJsonObject, type JsonObject } from '@perigee/schema/json';
import { readAmount, writtenAmount } from '../../clusters/room/room-amounts.ts';
import { objectIn, objectsIn } from '../../interpreter/fields.ts';
import type { Template } from '../../placement/binding/desired-binding.ts';
import type { ClusterFacts } from '../../placement/scheduler/cluster-facts.ts';
import { mostFree } from '../../placement/scheduler/estimate/node-group.ts';
import type { Candidate } from '../suggestion.ts';
import { workChange } from './work-change.ts';

const SHARES = [3 / 4, 1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 32] as const;

/** One to this many replicas on the node with the most room. */
const MOST_ON_A_NODE = 4;

/** Limit of clusters whose nodes are looked at. */
const MOST_CLUSTERS = 3;

/** Amounts that people would write: thousandths of a cpu, and mebibytes. */
const STEPS: ReadonlyMap<string, number> = new Map([
  ['cpu', 1],
  ['memory', 2 ** 20],
]);

/** The amounts to try, the largest first. */
const smallerAmounts = (
  resource: string,
  request: number,
  clusters: readonly ClusterFacts[],
): readonly number[] => {
  const step = STEPS.get(resource) ?? 1;
  const perNode = clusters.slice(0, MOST_CLUSTERS).flatMap(({ space }) => {
    const groups = space?.free.groups ?? [];
    const most = mostFree(groups, resource);
    const least = Math.min(...groups.map(({ free }) => free.get(resource) ?? 0), most);
    return [least, ...Array.from({ length: MOST_ON_A_NODE }, (_, at) => most / (at + 1))];
  });
  const amounts = [...perNode, ...SHARES.map((share) => request * share)]
    .map((amount) => Math.floor(amount / step) * step)
    .filter((amount) => amount > 0 && amount < request);
  return [...new Set(amounts)].sort((a, b) => b - a);
};

const lowered = (
  template: Template,
  container: JsonObject,
  resource: string,
  clusters: readonly ClusterFacts[],
): readonly Candidate[] => {
  const { kind, metadata } = template;
  const requests = objectIn(container, 'resources', 'requests');
  const written = requests[resource];
  if (typeof written !== 'string' && typeof written !== 'number') return [];
  const request = readAmount(resource, written);
  return smallerAmounts(resource, request, clusters).map((amount) => {
    const less = writtenAmount(resource, amount);
    const resources = {
      ...objectIn(container, 'resources'),
      requests: { ...requests, [resource]: less },
    };
    const patch = { spec: { template: { spec: { containers: [{ ...container, resources }] } } } };
    const text = `let each replica of ${kind.toLowerCase()}/${metadata.name} ask for ${less} ${resource} instead of ${written}`;
    const cost = 5 + 2 * (1 - amount / request);
    return workChange(template, patch, { reason: 'SmallerRequests', text, cost });
  });
};

/**
 * Candidates that lower a scarce request of work with a single container: to what the roomiest node of these clusters
 * has free for one or a few replicas, to what the fullest node has, and to shares of what it asks for.
 */
export const smallerRequests = (
  template: Template,
  resources: readonly string[],
  clusters: readonly ClusterFacts[],
): readonly Candidate[] => {
  const spec = isJsonObject(template.spec) ? template.spec : {};
  const [container, other] = objectsIn(spec, 'template', 'spec', 'containers');
  if (container === undefined || other !== undefined) return [];
  return resources
    .filter((resource) => STEPS.has(resource))
    .flatMap((resource) => lowered(template, container, resource, clusters));
};
