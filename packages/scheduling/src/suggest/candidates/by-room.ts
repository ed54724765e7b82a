import type { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { isJsonObject, type JsonObject } from '@perigee/schema/json';
import { nanosOf } from '@perigee/schema/values/quantity';
import { parseQuantity } from '@perigee/schema/values/quantity-text';
import type { Template } from '../../placement/binding/desired-binding.ts';
import { divisionStrategy } from '../../placement/scheduler/division-strategy.ts';
import { shortagesOf } from '../../queues/room-shortage.ts';
import type { StuckWork } from '../stuck-work.ts';
import type { Candidate } from '../suggestion.ts';
import { smallerRequests } from './by-requests.ts';
import { workChange } from './work-change.ts';

const nameOf = ({ kind, metadata }: Template): string => `${kind.toLowerCase()}/${metadata.name}`;

const specOf = (template: Template): JsonObject =>
  isJsonObject(template.spec) ? template.spec : {};

/** The number of replicas that fit now: those already placed, and the free room. */
const fittingReplicas = ({ decision }: StuckWork): number => {
  const outcome = decision?.attempts[0];
  const sum = (outcome?.reasoning.candidates ?? []).reduce((all, one) => all + one.available, 0);
  return Math.min(sum, Number.MAX_SAFE_INTEGER);
};

const fewerReplicas = (work: StuckWork, template: Template): readonly Candidate[] => {
  const replicas = Number(specOf(template).replicas ?? 0);
  const fit = fittingReplicas(work);
  const field = 'replicas' in specOf(template) ? 'replicas' : undefined;
  if (field === undefined || fit < 1 || fit >= replicas) return [];
  // Spread constraints may leave some of the room unused.
  const counts = [...new Set([fit, Math.floor(fit / 2), 1])].filter((count) => count >= 1);
  return counts.map((count) =>
    workChange(
      template,
      { spec: { replicas: count } },
      {
        reason: 'FewerReplicas',
        text: `run ${count} ${count === 1 ? 'replica' : 'replicas'} of ${nameOf(template)} instead of ${replicas}${count === fit ? ': so many fit' : ''}`,
        cost: 4 + (4 * (replicas - count)) / replicas,
      },
    ),
  );
};

/** True if the empty cluster would hold that many replicas. */
const canHold = (
  cluster: MemberCluster | undefined,
  replicas: number,
  requests: { readonly [resource: string]: string },
): boolean => {
  const { allocatable = {} } = cluster?.status?.resourceSummary ?? {};
  return Object.entries(requests).every(([resource, amount]) => {
    const most = allocatable[resource];
    if (most === undefined) return true;
    const request = nanosOf(parseQuantity(amount)) * BigInt(replicas);
    return request <= nanosOf(parseQuantity(String(most)));
  });
};

/** Changes that free room, or reduce the demand. */
export const byRoom = (work: StuckWork): readonly Candidate[] => {
  const { state, binding, decision, template } = work;
  const outcome = decision?.attempts[0];
  if (binding === undefined || outcome === undefined) return [];
  const { spec } = binding;
  const shortages = shortagesOf(spec, outcome, [], state.room.all);
  const isDivided = divisionStrategy(spec.placement?.replicaScheduling) !== 'duplicated';
  const requests = (spec.replicaRequirements?.resourceRequest ?? {}) as {
    readonly [resource: string]: string;
  };
  const missingReplicas = (spec.replicas ?? 0) - fittingReplicas(work);
  const byFreeing = shortages.flatMap(
    ({ cluster, resource, asked, fits }): readonly Candidate[] => {
      const replicas = isDivided && missingReplicas > 0 ? missingReplicas : asked - fits;
      if (resource === undefined || replicas <= 0 || spec.replicaRequirements === undefined)
        return [];
      const { available = 0 } =
        outcome.reasoning.candidates.find(({ name }) => name === cluster) ?? {};
      if (!canHold(state.clusters.get(cluster), available + replicas, requests)) return [];
      const each = Object.entries(requests).map(([name, amount]) => `${name} ${amount}`);
      const text = `free room for ${replicas} more replicas in the cluster ${cluster}: each asks for ${each.join(', ')}`;
      return [
        {
          reason: 'FreeRoom',
          text,
          cost: 5 + replicas / 100,
          change: { kind: 'free', cluster, pods: { replicas, requests } },
        },
      ];
    },
  );
  const roomiest = outcome.reasoning.candidates
    .toSorted((a, b) => b.available - a.available)
    .map(({ cluster }) => cluster);
  const scarce = shortages[0]?.resource ?? 'cpu';
  return [
    ...(template === undefined || !isDivided ? [] : fewerReplicas(work, template)),
    ...(template === undefined ? [] : smallerRequests(template, [scarce], roomiest)),
    ...byFreeing,
  ];
};
