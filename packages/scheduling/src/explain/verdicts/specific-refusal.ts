import { labelValue } from '@perigee/api/values/label-requirement';
import { taintText, tolerates } from '../../clusters/tolerations.ts';
import type { ClusterFacts } from '../../placement/scheduler/cluster-facts.ts';
import type { WorkloadGroups } from '../../placement/scheduler/filter.ts';
import type { Verdict } from '../../placement/scheduler/outcome.ts';
import type { PlacementRequest } from '../../placement/scheduler/placement-request.ts';
import { affinityMismatch } from './affinity-mismatch.ts';

/** The term that refused a cluster, with its values and those of the cluster. */
export interface SpecificRefusal {
  /** The field or fact that decided: `label tier`, `provider`, `taint`, `api`. */
  readonly term: string;
  readonly wanted: readonly string[];
  readonly found: readonly string[];
  readonly message: string;
}

/** The inputs of a refusal. */
export interface RefusalContext {
  readonly request: PlacementRequest;
  readonly groups?: WorkloadGroups | undefined;
}

type Describe = (cluster: ClusterFacts, context: RefusalContext) => SpecificRefusal | undefined;

/** The taints that the control plane sets on unhealthy clusters. */
const HEALTH_TAINT = /^cluster\.karmada\.io\/(not-ready|unreachable)$/;

const taintRefusal: Describe = ({ taints }, { request }) => {
  const { clusterTolerations = [] } = request.placement;
  const taint = taints.find((one) => !clusterTolerations.some((other) => tolerates(other, one)));
  if (taint === undefined) return undefined;
  const text = taintText(taint);
  const [, state] = HEALTH_TAINT.exec(taint.key) ?? [];
  if (state !== undefined) {
    const since = taint.timeAdded === undefined ? '' : ` since ${taint.timeAdded}`;
    const message = `${state.replace('-', ' ')}${since} (taint \`${text}\`)`;
    return { term: 'taint', wanted: [], found: [text], message };
  }
  const tolerations = clusterTolerations.map(
    ({ key = '*', operator = 'Equal', value = '', effect = '*' }) =>
      operator === 'Exists' ? `${key}:${effect}` : `${key}=${value}:${effect}`,
  );
  const but =
    tolerations.length === 0 ? 'tolerates no taints' : `tolerates only ${tolerations.join(', ')}`;
  return {
    term: 'taint',
    wanted: tolerations,
    found: [text],
    message: `taint \`${text}\`, and the policy ${but}`,
  };
};

const apiRefusal: Describe = ({ apis }, { request: { api } }) => {
  const [apiVersion = '', kind = ''] = api.split(' ');
  const others = [...apis].filter((one) => one.endsWith(` ${kind}`));
  const instead =
    others.length === 0 ? '' : `; that of ${others.map((one) => one.split(' ')[0]).join(', ')} is`;
  return {
    term: 'api',
    wanted: [api],
    found: others,
    message: `${kind} of ${apiVersion} is not served there${instead}`,
  };
};

const lacksProperty =
  (what: string): Describe =>
  () => ({
    term: what,
    wanted: [`any ${what}`],
    found: [],
    message: `no ${what} is named, and the spread constraint spreads by ${what}`,
  });

const lacksLabel: Describe = ({ labels }, { request }) => {
  const keys = (request.placement.spreadConstraints ?? []).flatMap(
    ({ spreadByLabel }) => spreadByLabel || [],
  );
  const key = keys.find((one) => !labelValue(labels, one)) ?? '';
  return {
    term: `label ${key}`,
    wanted: [`any value of ${key}`],
    found: [],
    message: `no label \`${key}\`, and the spread constraint spreads by it`,
  };
};

const groupClusters = (members: readonly ReadonlySet<string>[] | undefined): readonly string[] =>
  [...new Set((members ?? []).flatMap((one) => [...one]))].toSorted();

const groupElsewhere: Describe = ({ name }, { request, groups }) => {
  const groupMembers = groupClusters(groups?.affine(request));
  const group = request.spec.workloadAffinityGroups?.affinityGroup ?? '';
  const message = `the work belongs with the group ${group}, which runs in ${groupMembers.join(', ')}`;
  return { term: 'workloadAffinity', wanted: groupMembers, found: [name], message };
};

const groupHere: Describe = ({ name }, { request }) => {
  const group = request.spec.workloadAffinityGroups?.antiAffinityGroup ?? '';
  const message = `the work keeps away from the group ${group}, of which some runs here`;
  return { term: 'workloadAntiAffinity', wanted: [`none of ${group}`], found: [name], message };
};

const eviction: Describe = ({ name }, { request }) => {
  const task = (request.spec.gracefulEvictionTasks ?? []).find(
    ({ fromCluster }) => fromCluster === name,
  );
  const why = [task?.reason, task?.message].filter((part) => part).join(': ');
  return {
    term: 'gracefulEvictionTasks',
    wanted: [],
    found: [task?.reason ?? ''],
    message: `the work is being taken out${why === '' ? '' : `: ${why}`}`,
  };
};

const twin: Describe = ({ sameAs = '' }) => ({
  term: 'identity',
  wanted: [sameAs],
  found: [sameAs],
  message: `the same cluster as ${sameAs}, which is used instead`,
});

const dataElsewhere: Describe = (cluster, { request: { data } }) => {
  const name = data?.missingIn?.(cluster.name) ?? data?.name ?? '';
  const message = `the policy allows it, and the data is not there: ${name}`;
  return { term: 'data', wanted: [name], found: [], message };
};

const BY_REASON: { readonly [reason: string]: Describe } = {
  AffinityMismatch: (cluster, { request }) => affinityMismatch(cluster, request),
  ApiNotServed: apiRefusal,
  BeingEvicted: eviction,
  DataNotThere: dataElsewhere,
  GroupIsElsewhere: groupElsewhere,
  GroupIsHere: groupHere,
  NoLabel: lacksLabel,
  NoProvider: lacksProperty('provider'),
  NoRegion: lacksProperty('region'),
  NoZone: lacksProperty('zone'),
  SameCluster: twin,
  TaintNotTolerated: taintRefusal,
};

/**
 * The term and the values that a refusal is due to. Computed on demand after the decision: the scheduler itself only
 * counts refusals by upstream's messages.
 */
export const specificRefusal = (
  verdict: Pick<Verdict, 'reason'>,
  cluster: ClusterFacts,
  context: RefusalContext,
): SpecificRefusal | undefined => BY_REASON[verdict.reason]?.(cluster, context);
