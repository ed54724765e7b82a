import type { WorkExplanation } from '../explain/explain-work.ts';
import type { Finding, Stage } from '../explain/finding.ts';
import { read, type WorkSnapshot } from '../explain/snapshot.ts';
import type { Obstacle } from './obstacle.ts';

const MISSING = /(configmap|secret|persistentvolumeclaim) "([^"]+)" not found/i;

const KINDS: { readonly [word: string]: string } = {
  configmap: 'ConfigMap',
  secret: 'Secret',
  persistentvolumeclaim: 'PersistentVolumeClaim',
};

const missingObject = ({ message }: Finding): Obstacle | undefined => {
  const [, word = '', name = ''] = MISSING.exec(message) ?? [];
  const of = KINDS[word.toLowerCase()];
  return of === undefined ? undefined : { kind: 'dependency', of, name };
};

const leftOut = ({ details }: Finding): readonly Obstacle[] => {
  const clusters = (details?.clusters ?? []) as readonly {
    readonly name: string;
    readonly reason: string;
  }[];
  return clusters.map(({ name, reason }) => ({ kind: 'left-out', cluster: name, reason }));
};

/** Words of an API server that cannot take the object as it is, in contrast to a right, a quota or a webhook. */
const BLAMES_CONTENT =
  /is invalid:|cannot be handled as|strict decoding|unable to parse|failed to create typed patch object/;
const DENIED_BY_RULES = /denied (the )?request/;
/** Words of ours and of clients about a kind that a member does not serve. */
const NOT_SERVED =
  /does not serve \S+ in |no matches for kind|could not find the requested resource/;

/** A kind that is not served there, or content that may be what an override made of it. */
const refusal = ({ cluster, details, message }: Finding): Obstacle => {
  const words = typeof details?.said === 'string' ? details.said : message;
  if (cluster !== undefined && NOT_SERVED.test(words)) return { kind: 'api', cluster };
  const isContent = BLAMES_CONTENT.test(words) && !DENIED_BY_RULES.test(words);
  return cluster !== undefined && isContent
    ? { kind: 'override', refusedIn: cluster }
    : { kind: 'override' };
};

/** The obstacles of a finding; undefined if no suggestion can remove them. */
const obstaclesIn = (finding: Finding, snapshot: WorkSnapshot): readonly Obstacle[] | undefined => {
  const { reason, cluster, details } = finding;
  switch (reason) {
    // The binding itself shows these two.
    case 'DispatchSuspended':
    case 'ScaledToZero':
      return reason === 'ScaledToZero' ? [{ kind: 'idle' }] : [];
    case 'Paused':
      return [{ kind: 'paused' }];
    case 'LeftOut':
      return leftOut(finding);
    case 'ClusterUnreachable':
    case 'ClusterNotReady':
    case 'ClusterMissing': {
      const why = { ClusterUnreachable: 'is not reachable', ClusterNotReady: 'is not ready' };
      const words = reason === 'ClusterMissing' ? 'does not exist' : why[reason];
      return cluster === undefined ? undefined : [{ kind: 'cluster', cluster, why: words }];
    }
    case 'NamespaceMissing':
      return [{ kind: 'namespace' }];
    case 'OverrideRefused':
      return [{ kind: 'override' }];
    case 'ApplyFailed':
      return [refusal(finding)];
    case 'ConflictInMember': {
      const state = snapshot.members.get(cluster ?? '');
      const live = state && read(state, undefined)?.object;
      return cluster === undefined || live === undefined
        ? undefined
        : [{ kind: 'conflict', cluster, live }];
    }
    case 'ConfigMissing': {
      const dependency = missingObject(finding);
      return dependency && [dependency];
    }
    case 'PodUnschedulable': {
      const clusters = (details?.clusters ?? []) as readonly string[];
      const dependency = missingObject(finding);
      return dependency === undefined
        ? clusters.map((one) => ({ kind: 'nodes', cluster: one }))
        : [dependency];
    }
    default:
      return undefined;
  }
};

/** The stages that tell how it is in members; the others are decisions, which a plan takes anew. */
const IN_MEMBERS: ReadonlySet<Stage> = new Set<Stage>(['cluster', 'member', 'pods']);

/** Findings that may pass by themselves, as pods get ready. */
const MAY_PASS: ReadonlySet<Finding['reason']> = new Set<Finding['reason']>([
  'ReplicasNotReady',
  'PodsNotReady',
  'Unhealthy',
]);

/**
 * The obstacles of placed work; undefined if no suggestion can remove one of them. Of work that is held back as well,
 * those that were found in members, and do not pass by themselves.
 */
export const obstaclesOf = (
  { findings: allFindings }: WorkExplanation,
  snapshot: WorkSnapshot,
  isPlaced = true,
): readonly Obstacle[] | undefined => {
  const findings = isPlaced
    ? allFindings
    : allFindings.filter(({ stage, reason }) => IN_MEMBERS.has(stage) && !MAY_PASS.has(reason));
  const isPaused = findings.some(({ reason }) => reason === 'Paused');
  const obstacles = findings
    .filter(({ severity, reason }) => severity !== 'info' || reason === 'ScaledToZero')
    // A pause explains why replicas are missing.
    .filter(({ reason }) => !isPaused || reason !== 'ReplicasNotReady')
    .map((finding) => obstaclesIn(finding, snapshot));
  return obstacles.some((one) => one === undefined)
    ? undefined
    : obstacles.flatMap((one) => one ?? []);
};
