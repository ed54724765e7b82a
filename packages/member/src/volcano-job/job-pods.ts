import type { Job } from '@perigee/api/kinds/groups/job';
import type { JobTask } from '@perigee/api/kinds/groups/job-task';
import type { Pod, PodSpec, PodTemplate, PodWritten } from '@perigee/kubernetes/core/pod';
import { present } from '@perigee/schema/present';
import { podFromTemplate } from '../pods/pod-from-template.ts';

const TASK = 'volcano.sh/task-spec';
const TASK_INDEX = 'volcano.sh/task-index';
const JOB_NAME = 'volcano.sh/job-name';
const JOB_NAMESPACE = 'volcano.sh/job-namespace';
const QUEUE = 'volcano.sh/queue-name';
const VERSION = 'volcano.sh/job-version';
const RETRIES = 'volcano.sh/job-retry-count';
const TEMPLATE = 'volcano.sh/template-uid';
const PARTITION = 'volcano.sh/partition-id';
const GROUP = 'scheduling.k8s.io/group-name';
/** Marks pods that the job deletes itself. */
export const OUT_OF_SYNC = 'volcano.sh/controller-out-of-sync';

export const groupNameFor = ({ metadata }: Job): string => `${metadata.name}-${metadata.uid}`;

export const podNameFor = ({ metadata }: Job, task: string, index: number): string =>
  `${metadata.name}-${task}-${index}`;

export const taskOf = ({ metadata }: Pod): string => metadata.annotations?.[TASK] ?? '';
export const indexOf = ({ metadata }: Pod): number =>
  Number(metadata.annotations?.[TASK_INDEX] ?? Number.NaN);
export const partitionOf = ({ metadata }: Pod): string => metadata.labels?.[PARTITION] ?? '';
export const versionOf = ({ metadata }: Pod): number =>
  Number(metadata.annotations?.[VERSION] ?? 0);
export const isOutOfSync = ({ metadata }: Pod): boolean =>
  metadata.annotations?.[OUT_OF_SYNC] !== undefined;

const withClaims = (job: Job, spec: PodSpec): PodSpec => {
  const { volumes = [] } = job.spec;
  const claimVolumes = volumes.flatMap(({ volumeClaimName, mountPath }, index) =>
    volumeClaimName ? [{ name: `claim-${index}`, claimName: volumeClaimName, mountPath }] : [],
  );
  if (claimVolumes.length === 0) return spec;
  const mounts = claimVolumes.map(({ name, mountPath }) => ({ name, mountPath }));
  return {
    ...spec,
    volumes: [
      ...(spec.volumes ?? []),
      ...claimVolumes.map(({ name, claimName }) => ({
        name,
        persistentVolumeClaim: { claimName },
      })),
    ],
    containers: spec.containers.map((container) => ({
      ...container,
      volumeMounts: [...(container.volumeMounts ?? []), ...mounts],
    })),
  };
};

/** A pod of a task, with the labels of Volcano. */
export const makeTaskPod = (job: Job, task: JobTask, index: number): PodWritten => {
  const { metadata, spec, status } = job;
  const template = task.template as unknown as PodTemplate;
  const pod = podFromTemplate(job, template, podNameFor(job, task.name, index));
  const { schedulerName = spec.schedulerName, priorityClassName = spec.priorityClassName } =
    template.spec;
  const marks = { [TASK_INDEX]: String(index), [JOB_NAME]: metadata.name, [TASK]: task.name };
  const { partitionPolicy } = task;
  return {
    metadata: {
      ...pod.metadata,
      labels: {
        ...pod.metadata.labels,
        ...marks,
        [JOB_NAMESPACE]: metadata.namespace ?? '',
        [QUEUE]: spec.queue,
        ...present({
          [PARTITION]: partitionPolicy && String(Math.floor(index / partitionPolicy.partitionSize)),
        }),
      },
      annotations: {
        ...pod.metadata.annotations,
        ...marks,
        [GROUP]: groupNameFor(job),
        [QUEUE]: spec.queue,
        [VERSION]: String(status?.version ?? 0),
        [RETRIES]: String(status?.retryCount ?? 0),
        [TEMPLATE]: `${metadata.name}-${task.name}`,
      },
    },
    spec: withClaims(job, {
      ...pod.spec,
      schedulerName,
      ...present({ priorityClassName }),
    }),
  };
};

const isReadyForOthers = ({ status }: Pod): boolean =>
  status?.phase === 'Succeeded' ||
  (status?.phase === 'Running' && (status.containerStatuses ?? []).every(({ ready }) => ready));

/** True when the tasks that a task depends on have progressed far enough. */
export const mayStart = ({ spec }: Job, task: JobTask, pods: readonly Pod[]): boolean => {
  const { name: names = [], iteration } = task.dependsOn ?? {};
  if (names.length === 0) return true;
  const isReady = (name: string): boolean => {
    const other = spec.tasks.find((candidate) => candidate.name === name);
    const ready = pods.filter((pod) => taskOf(pod) === name && isReadyForOthers(pod)).length;
    return ready >= (other?.minAvailable ?? other?.replicas ?? 0);
  };
  return iteration === 'any' ? names.some(isReady) : names.every(isReady);
};
