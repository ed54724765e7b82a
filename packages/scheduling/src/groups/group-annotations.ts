import type { NetworkTopology } from '@perigee/api/kinds/groups/network-topology';
import { present } from '@perigee/schema/present';
import { checkLabelValue } from '@perigee/schema/values/names';

export type Annotations = { readonly [key: string]: string };

const QUEUE = 'scheduling.volcano.sh/queue-name';
const MIN_MEMBER = 'scheduling.volcano.sh/group-min-member';
const MIN_TASK_MEMBER = 'groups.perigee.io/min-task-member';
const TOPOLOGY_MODE = 'volcano.sh/network-topology-mode';
const HIGHEST_TIER = 'volcano.sh/network-topology-highest-tier';
const JDB_MIN_AVAILABLE = 'volcano.sh/jdb-min-available';
const JDB_MAX_UNAVAILABLE = 'volcano.sh/jdb-max-unavailable';

/** Prefix of annotations that a group inherits from its pods and owners, for schedulers. */
const INHERITED = 'volcano.sh/';
/** Annotations of a single pod, which a group does not inherit. */
const OF_POD: ReadonlySet<string> = new Set(['volcano.sh/task-spec', 'volcano.sh/task-index']);

const LARGEST = 2 ** 31 - 1;
const LONGEST_LIST = 4096;
/** Bounds all inherited annotations: they are written twice, and the API server allows 256 KiB. */
const MOST_INHERITED = 16_384;

const countIn = (text: string | undefined): number | undefined => {
  if (text === undefined || !/^\d{1,10}$/.test(text.trim())) return undefined;
  const count = Number(text);
  return count <= LARGEST ? count : undefined;
};

/**
 * Settings of a group from annotations; each is taken from the nearest object with a valid value.
 */
export interface GroupSettings {
  readonly minMember: number;
  readonly minTaskMember?: { readonly [task: string]: number };
  readonly queue?: string;
  readonly networkTopology?: NetworkTopology;
  readonly annotations: Annotations;
}

const firstOf = <T>(
  all: readonly Annotations[],
  key: string,
  read: (text: string | undefined) => T | undefined,
): T | undefined => {
  for (const annotations of all) {
    const value = read(annotations[key]);
    if (value !== undefined) return value;
  }
  return undefined;
};

/** `driver=1,executor=4`. */
const tasksIn = (text: string | undefined): { readonly [task: string]: number } | undefined => {
  if (text === undefined || text.length > LONGEST_LIST) return undefined;
  const entries = text.split(',').map((part) => {
    const [task = '', least, more] = part.split('=').map((word) => word.trim());
    const isTask = task !== '' && checkLabelValue(task).length === 0 && more === undefined;
    return [isTask ? task : '', countIn(least)] as const;
  });
  const isUnderstood = entries.every(([task, least]) => task !== '' && least !== undefined);
  const sum = entries.reduce((total, [, least = 0]) => total + least, 0);
  return isUnderstood && sum <= LARGEST
    ? (Object.fromEntries(entries) as { [task: string]: number })
    : undefined;
};

const nameIn = (text: string | undefined): string | undefined =>
  text !== undefined && /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/.test(text) ? text : undefined;

/** Either annotation enables a topology; an unknown mode means `hard`. */
const topologyIn = (all: readonly Annotations[]): NetworkTopology | undefined => {
  const mode = firstOf(all, TOPOLOGY_MODE, (text) => text?.toLowerCase());
  const tier = firstOf(all, HIGHEST_TIER, countIn);
  if (mode === undefined && tier === undefined) return undefined;
  return {
    mode: mode === 'soft' ? 'soft' : 'hard',
    ...present({ highestTierAllowed: tier }),
  };
};

const inheritedAnnotations = (all: readonly Annotations[]): Annotations => {
  const result: { [key: string]: string } = {};
  let length = 0;
  for (const annotations of all) {
    // The two budgets exclude each other: the nearest object with either one decides both.
    const hasBudget = JDB_MIN_AVAILABLE in result || JDB_MAX_UNAVAILABLE in result;
    for (const [key, value] of Object.entries(annotations)) {
      if (!key.startsWith(INHERITED) || OF_POD.has(key) || key in result) continue;
      if (hasBudget && (key === JDB_MIN_AVAILABLE || key === JDB_MAX_UNAVAILABLE)) continue;
      if (length + key.length + value.length > MOST_INHERITED) continue;
      length += key.length + value.length;
      result[key] = value;
    }
  }
  return result;
};

/**
 * Reads the settings of a group. `near` holds the annotations of the pod and its owners, upwards;
 * those of the namespace only provide a default queue.
 */
export const groupSettings = (
  near: readonly Annotations[],
  namespace: Annotations,
): GroupSettings => {
  const queue = firstOf([...near, namespace], QUEUE, nameIn);
  const minTaskMember = firstOf(near, MIN_TASK_MEMBER, tasksIn);
  const networkTopology = topologyIn(near);
  const ofTasks = Object.values(minTaskMember ?? {}).reduce((sum, least) => sum + least, 0);
  return {
    minMember: firstOf(near, MIN_MEMBER, countIn) ?? Math.max(1, ofTasks),
    ...present({ minTaskMember, queue, networkTopology }),
    annotations: inheritedAnnotations(near),
  };
};
