import { startEmbeddedServer } from '@perigee/apiserver/embedded/embedded-server';
import { realClock } from '@perigee/kube/clock/real-clock';
import { ConfigMap } from '@perigee/kubernetes/core/config-map';
import { type FolderTask, OBJECTS } from './apiserver-protocol.ts';
import { configMapOf } from './config-map.ts';
import { liveBytes } from './live-bytes.ts';

const AT_ONCE = 1_000;
const [task = '', dataFolder = ''] = process.argv.slice(2);
await using server = await startEmbeddedServer({ clock: realClock, dataFolder, port: 0 });

const TASKS: { readonly [task in FolderTask]: () => Promise<number> } = {
  fill: async () => {
    for (let at = 0; at < OBJECTS; at += AT_ONCE) {
      const objects = Array.from({ length: AT_ONCE }, (_, n) =>
        configMapOf('default', `config-${at + n}`, 0),
      );
      await Promise.all(objects.map((object) => server.client.create(ConfigMap, object)));
    }
    return OBJECTS;
  },
  memory: async () => liveBytes(),
};

process.send?.(await TASKS[task as FolderTask]());
process.disconnect();
