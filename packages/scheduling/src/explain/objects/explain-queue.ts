import { Queue } from '@perigee/api/kinds/queues/queue';
import { apiVersionOf } from '@perigee/api/meta/resource-kind';
import { present } from '@perigee/schema/present';
import { isClosed } from '../../queues/queue-state.ts';
import { fact, type ObjectExplanation } from './object-explanation.ts';

const amountsText = (amounts: { readonly [resource: string]: unknown } | undefined): string =>
  Object.entries(amounts ?? {})
    .map(([resource, amount]) => `${resource} ${amount}`)
    .join(', ');

/** Explains the state of a queue and its usage. */
export const explainQueue = (queue: Queue): ObjectExplanation => {
  const { metadata, spec, status = {} } = queue;
  const { pending = 0, running = 0, inqueue = 0 } = status;
  const counts = `${running + inqueue} admitted, ${pending} waiting`;
  const isBlocked = isClosed(queue) && pending > 0;
  return {
    resource: { apiVersion: apiVersionOf(Queue), kind: 'Queue', name: metadata.name },
    state: isBlocked ? 'waiting' : 'well',
    summary: isClosed(queue) ? `closed: it lets nothing new through; ${counts}` : `open: ${counts}`,
    ...present({
      todo: isBlocked ? `Open it: \`perigee queue open ${metadata.name}\`.` : undefined,
    }),
    facts: [
      ...fact('parent', spec.parent),
      ...fact('uses', amountsText(status.allocated)),
      ...fact('deserves', amountsText(spec.deserved)),
      ...fact('guarantee', amountsText(spec.guarantee?.resource)),
      ...fact('at most', amountsText(spec.capability)),
    ],
    conditions: [],
    commands: ['perigee queue -o wide', ...(pending > 0 ? ['perigee queue why WORK'] : [])],
  };
};
