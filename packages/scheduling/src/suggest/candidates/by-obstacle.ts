import { isJsonObject, type JsonObject } from '@perigee/schema/json';
import { brakeOf } from '../../explain/stages/template-stage.ts';
import { withField } from '../../interpreter/fields.ts';
import { SKIPS_MEMBERS } from '../../placement/work/synced-namespace.ts';
import { CONFLICT_RESOLUTION } from '../../placement/work/work-names.ts';
import { applyPatch } from '../../plan/merge.ts';
import { keyOf } from '../../plan/world.ts';
import type { Obstacle } from '../obstacle.ts';
import type { StuckWork } from '../stuck-work.ts';
import type { Candidate } from '../suggestion.ts';
import { avoidCluster } from './avoid-cluster.ts';
import { byApis, byTaints } from './by-cluster.ts';
import { byNodes } from './by-nodes.ts';
import { byOverride } from './by-override.ts';
import { smallerRequests } from './by-requests.ts';
import { policyChange, policyTitle } from './policy-change.ts';
import { workChange } from './work-change.ts';

const takenOver = ({ template }: StuckWork, cluster: string): readonly Candidate[] => {
  if (template === undefined) return [];
  const { kind, metadata } = template;
  const text = `let the work take over the ${kind} ${metadata.name} that is in the cluster ${cluster} already, if it is the same work`;
  const patch = { metadata: { annotations: { [CONFLICT_RESOLUTION]: 'overwrite' } } };
  return [workChange(template, patch, { reason: 'TakeOver', text, cost: 2 })];
};

const carriedAlong = (
  { policy }: StuckWork,
  { of, name }: Extract<Obstacle, { readonly kind: 'dependency' }>,
): readonly Candidate[] => {
  if (policy === undefined) return [];
  const text = `send the ${of} ${name} along with the work, and all else that it depends on: propagateDeps in ${policyTitle(policy)}`;
  const words = { reason: 'PropagateDependencies', text, cost: 1 } as const;
  return [policyChange(policy, { spec: { propagateDeps: true } }, words)];
};

const namespaceSent = ({ state, template }: StuckWork): readonly Candidate[] => {
  const name = template?.metadata.namespace;
  const namespace = name === undefined ? undefined : state.namespaces.get(keyOf({ name }));
  if (namespace === undefined || name === undefined) return [];
  const patch = { metadata: { labels: { [SKIPS_MEMBERS]: null } } };
  return [
    {
      reason: 'PropagateNamespace',
      text: `let the members have the namespace ${name}: take the label ${SKIPS_MEMBERS} off it`,
      cost: 2,
      target: { apiVersion: 'v1', kind: 'Namespace', name },
      patch,
      change: { kind: 'put', of: 'namespace', object: applyPatch(namespace, patch) },
    },
  ];
};

const startCandidates = ({ template }: StuckWork): readonly Candidate[] => {
  const spec = template?.spec;
  if (template === undefined || !isJsonObject(spec) || spec.replicas !== 0) return [];
  const text = 'run one replica, or more';
  const patch = { spec: { replicas: 1 } };
  return [workChange(template, patch, { reason: 'MoreReplicas', text, cost: 1 })];
};

const resumption = ({ template }: StuckWork): readonly Candidate[] => {
  const brake = template && brakeOf(template as never as JsonObject);
  if (template === undefined || brake === undefined) return [];
  const text = `let the work go on: ${brake.join('.')} is true in it`;
  const patch = withField({}, brake, false);
  return [workChange(template, patch, { reason: 'ResumeWork', text, cost: 1 })];
};

/** To leave out a cluster that could be used gives up a wish: it costs more than what lets the work in. */
const GIVES_UP = 4;

const asLast = (avoiding: readonly Candidate[]): readonly Candidate[] =>
  avoiding.map((one) => ({ ...one, cost: one.cost + GIVES_UP }));

const leftOut = (
  work: StuckWork,
  { cluster, reason }: Extract<Obstacle, { readonly kind: 'left-out' }>,
): readonly Candidate[] => {
  const lettingIn =
    reason === 'ApiNotServed'
      ? byApis(work, [cluster])
      : reason === 'TaintNotTolerated'
        ? byTaints(work, [cluster])
        : [];
  const avoiding = avoidCluster(work, cluster, 'cannot be used');
  const [first] = lettingIn;
  return first === undefined || first.reason === 'AvoidCluster'
    ? [...lettingIn, ...avoiding]
    : [...lettingIn, ...asLast(avoiding)];
};

const smallerPods = ({ state, template }: StuckWork, cluster: string): readonly Candidate[] => {
  const facts = state.room.get(cluster);
  return template === undefined || facts === undefined
    ? []
    : smallerRequests(template, ['cpu', 'memory'], [facts]);
};

const against = (obstacle: Obstacle, work: StuckWork): readonly Candidate[] => {
  switch (obstacle.kind) {
    case 'cluster':
      return avoidCluster(work, obstacle.cluster, obstacle.why);
    case 'left-out':
      return leftOut(work, obstacle);
    case 'conflict':
      return [
        ...takenOver(work, obstacle.cluster),
        ...avoidCluster(work, obstacle.cluster, 'has another object of that name'),
      ];
    case 'api':
      return [
        ...byApis(work, [obstacle.cluster]),
        ...asLast(avoidCluster(work, obstacle.cluster, 'does not serve it')),
      ];
    case 'nodes':
      return [
        ...avoidCluster(work, obstacle.cluster, 'has no node that takes the pods'),
        ...byNodes(work),
        ...byOverride(work),
        ...smallerPods(work, obstacle.cluster),
      ];
    case 'dependency':
      return carriedAlong(work, obstacle);
    case 'namespace':
      return namespaceSent(work);
    case 'override':
      return byOverride(work);
    case 'idle':
      return startCandidates(work);
    case 'paused':
      return resumption(work);
  }
};

/** Candidates that remove the obstacles of placed work. */
export const byObstacle = (work: StuckWork): readonly Candidate[] => {
  const all = (work.obstacles ?? []).flatMap((one) => against(one, work));
  // Several obstacles may ask for the same change.
  return [...new Map(all.map((one) => [one.text, one])).values()];
};
