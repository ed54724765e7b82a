import { ClusterPropagationPolicy } from '@perigee/api/kinds/placement/cluster-propagation-policy';
import { ClusterResourceBinding } from '@perigee/api/kinds/placement/cluster-resource-binding';
import { PropagationPolicy } from '@perigee/api/kinds/placement/propagation-policy';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import type { ScheduleTrigger } from '@perigee/api/kinds/placement/schedule-trigger';
import { findLabelled } from '@perigee/controllers/placement/triggers/labelled-resources';
import type { Client } from '@perigee/kube/client/client';
import { listAll } from '@perigee/kube/client/list-all';
import { readPlacementClusters } from '@perigee/registration/operations/placement-clusters';
import type { Binding } from '@perigee/scheduling/placement/binding/binding';
import { standardRules } from '@perigee/scheduling/placement/scheduler/standard-rules';
import { lookupAmong } from '@perigee/scheduling/placement/triggers/lookup-among';
import type { JudgedTarget } from '@perigee/scheduling/placement/triggers/next-targets';
import { planTargets } from '@perigee/scheduling/placement/triggers/plan-targets';
import { selectTargets } from '@perigee/scheduling/placement/triggers/select-targets';

/** Predicts what a trigger would do now, by the functions of its controller, on the current state of the server. */
export const readPlan = async (
  client: Client,
  spec: ScheduleTrigger['spec'],
  nowMs: number,
): Promise<readonly JudgedTarget[]> => {
  const [namespaced, clusterWide, own, wide, { facts }] = await Promise.all([
    listAll(client, ResourceBinding),
    listAll(client, ClusterResourceBinding),
    listAll(client, PropagationPolicy),
    listAll(client, ClusterPropagationPolicy),
    readPlacementClusters(client, { nowMs }),
  ]);
  const bindings: readonly Binding[] = [...namespaced.items, ...clusterWide.items];
  const within = (namespaces: readonly string[] | undefined) =>
    namespaces === undefined
      ? bindings
      : bindings.filter(({ metadata }) => namespaces.includes(metadata.namespace ?? ''));
  const lookup = lookupAmong({
    bindings,
    policies: [...own.items, ...wide.items].map(({ metadata }) => metadata),
    clusters: facts,
    hasLabels: await findLabelled(spec, within, { client }),
  });
  const targets = selectTargets(spec, lookup, Infinity);
  return planTargets(targets, spec, { clusters: facts, rules: standardRules, bindings }, nowMs);
};
