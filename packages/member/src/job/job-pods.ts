import type { Job } from '@perigee/kubernetes/batch/job';
import type { Container, Pod, PodWritten } from '@perigee/kubernetes/core/pod';
import { podFromTemplate } from '../pods/pod-from-template.ts';
import { isActive } from '../pods/pod-state.ts';
import { INDEX, indexOf } from './completion-indexes.ts';
import { isIndexed, type PodCount, TRACKING } from './count-pods.ts';

const withIndexVariable = (container: Container): Container => ({
  ...container,
  env: [
    ...(container.env ?? []),
    {
      name: 'JOB_COMPLETION_INDEX',
      valueFrom: { fieldRef: { fieldPath: `metadata.labels['${INDEX}']` } },
    },
  ],
});

const tracked = (pod: PodWritten): PodWritten => ({
  ...pod,
  metadata: { ...pod.metadata, finalizers: [...(pod.metadata.finalizers ?? []), TRACKING] },
});

const indexedPod = (job: Job, index: number): PodWritten => {
  const pod = podFromTemplate(job, job.spec.template);
  const { metadata, spec } = pod;
  const mark = { [INDEX]: String(index) };
  const name = `${job.metadata.name}-${index}`;
  return {
    ...pod,
    metadata: {
      ...metadata,
      generateName: `${name}-`,
      labels: { ...metadata.labels, ...mark },
      annotations: { ...metadata.annotations, ...mark },
    },
    spec: { ...spec, hostname: name, containers: spec.containers.map(withIndexVariable) },
  };
};

/** The lowest indexes that are neither completed nor in progress. */
const freeIndexes = (
  { spec: { completions = 0 } }: Job,
  { completedIndexes, active }: PodCount,
  ending: readonly Pod[],
  most: number,
): readonly number[] => {
  const takenIndexes = new Set(completedIndexes);
  for (const pod of [...active, ...ending]) {
    const index = indexOf(pod, completions);
    if (index !== undefined) takenIndexes.add(index);
  }
  const free: number[] = [];
  for (let index = 0; index < completions && free.length < most; index++) {
    if (!takenIndexes.has(index)) free.push(index);
  }
  return free;
};

/** New pods of a job, each with its index if the job is indexed. */
export const newJobPods = (
  job: Job,
  count: PodCount,
  ending: readonly Pod[],
  most: number,
): readonly PodWritten[] =>
  isIndexed(job.spec)
    ? freeIndexes(job, count, ending, most).map((index) => tracked(indexedPod(job, index)))
    : Array.from({ length: most }, () => tracked(podFromTemplate(job, job.spec.template)));

/** Redundant pods: duplicates of an index, and those of completed indexes. */
export const needlessPods = (job: Job, { active, completedIndexes }: PodCount): readonly Pod[] => {
  if (!isIndexed(job.spec)) return [];
  const usedIndexes = new Set<number>();
  return active.filter(isActive).filter((pod) => {
    const index = indexOf(pod, job.spec.completions ?? 0);
    if (index === undefined || completedIndexes.has(index) || usedIndexes.has(index)) return true;
    usedIndexes.add(index);
    return false;
  });
};
