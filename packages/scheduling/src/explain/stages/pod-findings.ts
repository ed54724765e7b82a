import type { JsonObject } from '@perigee/schema/json';
import { present } from '@perigee/schema/present';
import { objectIn, objectsIn, textIn } from '../../interpreter/fields.ts';
import type { Finding, StageReason } from '../finding.ts';

/** A problem of one pod. */
interface PodProblem {
  readonly reason: StageReason;
  readonly text: string;
  /** The text about one pod alone, if it differs. */
  readonly alone?: string;
}

const IMAGE = new Set([
  'ErrImagePull',
  'ImagePullBackOff',
  'InvalidImageName',
  'ErrImageNeverPull',
]);
const CONFIG = new Set(['CreateContainerConfigError', 'CreateContainerError']);

const containersOf = (pod: JsonObject): readonly JsonObject[] => [
  ...objectsIn(pod, 'status', 'initContainerStatuses'),
  ...objectsIn(pod, 'status', 'containerStatuses'),
];

const lastExit = (container: JsonObject): string => {
  const lastTermination = objectIn(container, 'lastState', 'terminated');
  const code = lastTermination.exitCode ?? objectIn(container, 'state', 'terminated').exitCode;
  return typeof code === 'number' ? `, the last time with exit code ${code}` : '';
};

const containerProblem = (container: JsonObject): PodProblem | undefined => {
  const name = textIn(container, 'name');
  const reason = textIn(container, 'state', 'waiting', 'reason');
  const message = textIn(container, 'state', 'waiting', 'message');
  const words = message === '' ? reason : message;
  if (IMAGE.has(reason)) {
    const image = textIn(container, 'image');
    return { reason: 'ImageNotPulled', text: `the image \`${image}\` cannot be pulled: ${words}` };
  }
  if (reason === 'CrashLoopBackOff') {
    const text = `the container ${name} ends again and again${lastExit(container)}`;
    return { reason: 'CrashLoop', text };
  }
  if (CONFIG.has(reason)) {
    return { reason: 'ConfigMissing', text: `the container ${name} cannot start: ${words}` };
  }
  return undefined;
};

const conditionOf = (pod: JsonObject, type: string): JsonObject =>
  objectsIn(pod, 'status', 'conditions').find((one) => textIn(one, 'type') === type) ?? {};

const mountProblem = (pod: JsonObject, warnings: readonly JsonObject[]): PodProblem | undefined => {
  const name = textIn(pod, 'metadata', 'name');
  const mountWarning = warnings.findLast(
    (event) =>
      textIn(event, 'involvedObject', 'name') === name && textIn(event, 'reason') === 'FailedMount',
  );
  return mountWarning === undefined
    ? undefined
    : { reason: 'ConfigMissing', text: textIn(mountWarning, 'message') };
};

const STARTING: PodProblem = {
  reason: 'PodsStarting',
  text: 'they are starting',
  alone: 'it is starting',
};

const problemOf = (pod: JsonObject, warnings: readonly JsonObject[]): PodProblem | undefined => {
  const phase = textIn(pod, 'status', 'phase');
  if (phase === 'Succeeded' || textIn(pod, 'metadata', 'deletionTimestamp') !== '')
    return undefined;
  if (phase === 'Failed') {
    const words = textIn(pod, 'status', 'message') || textIn(pod, 'status', 'reason');
    const codes = containersOf(pod).map((one) => objectIn(one, 'state', 'terminated').exitCode);
    const code = codes.find((one) => typeof one === 'number' && one !== 0);
    const end = code === undefined ? 'failed' : `failed with exit code ${code}`;
    return { reason: 'PodFailed', text: words === '' ? end : `${end}: ${words}` };
  }
  const scheduledCondition = conditionOf(pod, 'PodScheduled');
  if (textIn(scheduledCondition, 'status') === 'False') {
    const words = textIn(scheduledCondition, 'message') || textIn(scheduledCondition, 'reason');
    const why = words.replace(/\.$/, '');
    const [text, alone] = [`no node takes them: ${why}`, `no node takes it: ${why}`];
    return { reason: 'PodUnschedulable', text, alone };
  }
  const container = containersOf(pod)
    .map(containerProblem)
    .find((one) => one !== undefined);
  if (container !== undefined) return container;
  if (textIn(conditionOf(pod, 'Ready'), 'status') === 'True') return undefined;
  if (phase === 'Running') {
    const text = 'the containers run, and are not ready';
    return { reason: 'PodsNotReady', text };
  }
  return mountProblem(pod, warnings) ?? STARTING;
};

/** An unhealthy pod of the work. */
interface SickPod extends PodProblem {
  readonly cluster: string;
  readonly pod: string;
}

/** The unhealthy pods in one member. */
export const sickPods = (
  cluster: string,
  pods: readonly JsonObject[],
  warnings: readonly JsonObject[],
): readonly SickPod[] =>
  pods.flatMap((pod) => {
    const problem = problemOf(pod, warnings);
    const name = textIn(pod, 'metadata', 'name');
    return problem === undefined ? [] : [{ cluster, pod: name, ...problem }];
  });

const MOST_NAMES = 10;
const MOST_CLUSTERS = 3;

const placesText = (clusters: readonly string[]): string => {
  const nameList = clusters.slice(0, MOST_CLUSTERS).join(', ');
  const more = clusters.length - MOST_CLUSTERS;
  return more > 0 ? `${nameList} and ${more} clusters more` : nameList;
};

/** One finding per problem, over all pods and clusters. */
export const podFindings = (sick: readonly SickPod[]): readonly Finding[] => {
  const groups = Map.groupBy(sick, ({ reason, text }) => `${reason} ${text}`);
  return [...groups.values()].flatMap((same): readonly Finding[] => {
    const [first] = same;
    if (first === undefined) return [];
    const clusters = [...new Set(same.map(({ cluster }) => cluster))];
    const count = `${same.length} ${same.length === 1 ? 'pod' : 'pods'} in ${placesText(clusters)}`;
    return [
      {
        stage: 'pods',
        reason: first.reason,
        severity: first.reason === 'PodsStarting' ? 'info' : 'degrades',
        by: first.reason === 'PodUnschedulable' ? 'member' : 'user',
        ...present({ cluster: clusters.length === 1 ? first.cluster : undefined }),
        message: `${count}: ${(same.length === 1 && first.alone) || first.text}`,
        details: {
          clusters,
          count: same.length,
          pods: same.slice(0, MOST_NAMES).map(({ cluster, pod }) => `${cluster}/${pod}`),
        },
      },
    ];
  });
};
