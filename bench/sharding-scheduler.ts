import { startScheduler } from '@perigee/controllers/clusters/scheduler-lifecycle/start-scheduler';
import { createHttpClient } from '@perigee/kube/client/http-client';
import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { createLogger } from '@perigee/kube/observe/logger';

/** One scheduler in a process of its own. */
process.on('message', async ({ name, server }: { name: string; server: string }) => {
  const logger = createLogger({ clock, level: 'error' });
  const client = createHttpClient({ server }, { clock, logger });
  await startScheduler({ name, client, clock, logger });
  process.send?.('ready');
});
