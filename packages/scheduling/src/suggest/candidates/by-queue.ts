import type { Queue } from '@perigee/api/kinds/queues/queue';
import { nearNames } from '@perigee/api/values/near-names';
import {
  formatResourceList,
  parseResourceList,
  sumResourceLists,
  type WrittenResourceList,
} from '@perigee/api/values/resource-list';
import type { Template } from '../../placement/binding/desired-binding.ts';
import { queuedWorkOf } from '../../placement/binding/queue-marks.ts';
import { applyPatch } from '../../plan/merge.ts';
import type { PlanState } from '../../plan/plan-state.ts';
import { keyOf } from '../../plan/world.ts';
import { quantitiesOf } from '../../queues/amounts.ts';
import { CLOSED, isClosed } from '../../queues/queue-state.ts';
import type { Shortage } from '../../queues/work-item.ts';
import type { StuckWork } from '../stuck-work.ts';
import type { Candidate } from '../suggestion.ts';
import { workChange } from './work-change.ts';

const queueChange = (
  queue: Queue,
  patch: object,
  words: Pick<Candidate, 'reason' | 'text' | 'cost'>,
): Candidate => ({
  ...words,
  target: {
    apiVersion: 'scheduling.volcano.sh/v1beta1',
    kind: 'Queue',
    name: queue.metadata.name,
  },
  patch,
  change: { kind: 'put', of: 'queue', object: applyPatch(queue, patch) },
});

const openCandidates = (queue: Queue): readonly Candidate[] => {
  if (!isClosed(queue)) return [];
  const patch = { metadata: { annotations: { [CLOSED]: null } } };
  const text = `open the queue ${queue.metadata.name}: perigee queue open ${queue.metadata.name}`;
  return [queueChange(queue, patch, { reason: 'OpenQueue', text, cost: 2 })];
};

/** A capability raised by the missing amount. */
const raiseCapability = (queue: Queue, { resource, missing }: Shortage): Candidate => {
  const capability = parseResourceList(queue.spec.capability as WrittenResourceList | undefined);
  const more = quantitiesOf(new Map([[resource, missing]]));
  const sum = formatResourceList(sumResourceLists([capability, more]))[resource] ?? '';
  const { name } = queue.metadata;
  return queueChange(
    queue,
    { spec: { capability: { [resource]: sum } } },
    {
      reason: 'RaiseQueue',
      text: `raise the capability of the queue ${name} to ${resource} ${sum}`,
      cost: 4,
    },
  );
};

const newQueue = (name: string): Candidate => {
  const manifest = {
    apiVersion: 'scheduling.volcano.sh/v1beta1',
    kind: 'Queue',
    metadata: { name },
    spec: {},
  };
  const metadata = { name, uid: 'suggested', resourceVersion: '0', creationTimestamp: '' };
  return {
    reason: 'AddQueue',
    text: `create the queue ${name}, or name one that exists`,
    cost: 3,
    change: { kind: 'put', of: 'queue', object: { ...manifest, metadata } as never },
    manifest,
  };
};

/** Labels and annotations of a workload that name its queue. */
const QUEUE_NAMES = ['volcano.sh/queue-name', 'scheduling.volcano.sh/queue-name'];

/** The work with the name of an existing queue in place of a misspelt one. */
const renameCandidates = (
  template: Template | undefined,
  name: string,
  { queues }: PlanState,
): readonly Candidate[] => {
  const names = [...queues.values()].map(({ metadata }) => metadata.name);
  const [near] = nearNames(name, names);
  if (template === undefined || near === undefined) return [];
  return (['labels', 'annotations'] as const).flatMap((field) =>
    QUEUE_NAMES.filter((one) => template.metadata[field]?.[one] === name).map((one) => {
      const text = `name the queue ${near} instead of ${name}, which does not exist, in the work`;
      const patch = { metadata: { [field]: { [one]: near } } };
      return workChange(template, patch, { reason: 'FixQueueName', text, cost: 1 });
    }),
  );
};

/** Changes that let a queue admit the work. */
export const byQueue = ({ state, key, template }: StuckWork): readonly Candidate[] => {
  const verdict = key === undefined ? undefined : state.verdicts.get(key);
  const queueNamed = (name: string) => state.queues.get(keyOf({ name }));
  switch (verdict?.kind) {
    case 'no-queue': {
      const work = queuedWorkOf(state.bindings.get(key ?? '')?.metadata ?? {});
      return work === undefined || queueNamed(work.queue) !== undefined
        ? []
        : [...renameCandidates(template, work.queue, state), newQueue(work.queue)];
    }
    case 'closed': {
      const queue = queueNamed(verdict.queue);
      return queue === undefined ? [] : openCandidates(queue);
    }
    case 'quota':
    case 'never-by-limit': {
      const { shortage } = verdict;
      const queue = queueNamed(shortage.queue);
      return queue === undefined || shortage.limit !== 'capability'
        ? []
        : [raiseCapability(queue, shortage)];
    }
    default:
      return [];
  }
};
