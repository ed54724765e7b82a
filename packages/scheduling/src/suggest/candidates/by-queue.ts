import type { Queue } from '@perigee/api/kinds/queues/queue';
import {
  formatResourceList,
  parseResourceList,
  sumResourceLists,
  type WrittenResourceList,
} from '@perigee/api/values/resource-list';
import { patched } from '../../plan/merge.ts';
import { keyOf } from '../../plan/world.ts';
import { quantitiesOf } from '../../queues/amounts.ts';
import { queuedWorkOf } from '../../queues/queue-marks.ts';
import { CLOSED, isClosed } from '../../queues/queue-state.ts';
import type { Shortage } from '../../queues/work-item.ts';
import type { StuckWork } from '../stuck-work.ts';
import type { Candidate } from '../suggestion.ts';

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
  change: { kind: 'put', of: 'queue', object: patched(queue, patch) },
});

const opened = (queue: Queue): readonly Candidate[] => {
  if (!isClosed(queue)) return [];
  const patch = { metadata: { annotations: { [CLOSED]: null } } };
  const text = `open the queue ${queue.metadata.name}: perigee queue open ${queue.metadata.name}`;
  return [queueChange(queue, patch, { reason: 'OpenQueue', text, cost: 2 })];
};

/** A capability with what is missing on top. */
const raised = (queue: Queue, { resource, missing }: Shortage): Candidate => {
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

const added = (name: string): Candidate => {
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

/** Changes that let a queue admit the work. */
export const byQueue = ({ state, key }: StuckWork): readonly Candidate[] => {
  const verdict = key === undefined ? undefined : state.verdicts.get(key);
  const queueNamed = (name: string) => state.queues.get(keyOf({ name }));
  switch (verdict?.kind) {
    case 'no-queue': {
      const work = queuedWorkOf(state.bindings.get(key ?? '')?.metadata ?? {});
      return work === undefined || queueNamed(work.queue) !== undefined ? [] : [added(work.queue)];
    }
    case 'closed': {
      const queue = queueNamed(verdict.queue);
      return queue === undefined ? [] : opened(queue);
    }
    case 'quota':
    case 'never-by-limit': {
      const { shortage } = verdict;
      const queue = queueNamed(shortage.queue);
      return queue === undefined || shortage.limit !== 'capability'
        ? []
        : [raised(queue, shortage)];
    }
    default:
      return [];
  }
};
