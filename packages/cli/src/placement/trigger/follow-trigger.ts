import { ScheduleTrigger } from '@perigee/api/kinds/placement/schedule-trigger';
import type { Client } from '@perigee/kube/client/client';
import { getOrUndefined } from '@perigee/kube/client/get-or-undefined';
import { realClock } from '@perigee/kube/clock/real-clock';
import { summaryOf } from '@perigee/scheduling/placement/triggers/trigger-status';
import { CommandError } from '../../errors.ts';
import { EXIT } from '../../exit-codes.ts';
import { tell } from '../../output/tell.ts';

const POLL_MS = 500;

/** Waits until a trigger has ended, and prints its progress whenever it changes. */
export const followTrigger = async (
  client: Client,
  name: string,
  timeoutMs: number,
): Promise<ScheduleTrigger> => {
  const endsAt = realClock.monotonic() + timeoutMs;
  let lastLine = '';
  for (;;) {
    const trigger = await getOrUndefined(client, ScheduleTrigger, { name });
    if (trigger === undefined) {
      throw new CommandError(EXIT.notFound, `trigger ${name} was deleted before it was done`);
    }
    const { counts, finishTime, observedGeneration } = trigger.status ?? {};
    if (finishTime !== undefined && observedGeneration === trigger.metadata.generation) {
      return trigger;
    }
    const summary = counts === undefined ? '' : summaryOf(counts);
    if (summary !== '' && summary !== lastLine) tell(summary);
    lastLine = summary;
    if (realClock.monotonic() >= endsAt) {
      const hint = `it goes on; see "kubectl get scheduletrigger ${name}"`;
      throw new CommandError(EXIT.failed, `trigger ${name} is not done yet: ${hint}`);
    }
    await realClock.sleep(POLL_MS);
  }
};
