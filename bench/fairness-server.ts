import { startEmbeddedServer } from '@perigee/apiserver/embedded/embedded-server';
import { createMemoryStore } from '@perigee/apiserver/store/memory-store';
import { realClock } from '@perigee/kube/clock/real-clock';
import { LISTED_FAIRLY, type StallTarget } from './fairness-protocol.ts';
import { podOf } from './pod.ts';

/** An API server with many pods, until its parent process ends. */
const store = createMemoryStore();
for (let at = 0; at < LISTED_FAIRLY; at += 1_000) {
  const pods = Array.from(
    { length: 1_000 },
    (_, n) => podOf(at + n) as { metadata: { name: string } },
  );
  await Promise.all(
    pods.map((pod) =>
      store.write('root//pods', `default/${pod.metadata.name}`, () => ({ put: pod })),
    ),
  );
}
const { url } = await startEmbeddedServer({ clock: realClock, store });
const target: StallTarget = { url };
process.send?.(target);
process.once('disconnect', () => process.exit());
