import { Queue } from '@perigee/api/kinds/queues/queue';
import { CLOSED } from '@perigee/scheduling/queues/queue-state';
import type { Command } from 'commander';
import { checkName } from '../check-name.ts';
import { connect } from '../connect.ts';

const FIELD_MANAGER = 'perigee-cli';

/** Closes or opens a queue. */
export const runQueueState = async (
  name: string,
  state: 'Open' | 'Closed',
  command: Command,
): Promise<void> => {
  checkName(name, 'a queue');
  await using client = await connect(command);
  const body = { metadata: { annotations: { [CLOSED]: state === 'Closed' ? 'true' : null } } };
  await client.patch(Queue, { name }, { type: 'merge', body }, { fieldManager: FIELD_MANAGER });
  process.stdout.write(`queue ${name} ${state === 'Closed' ? 'closed' : 'opened'}\n`);
};
