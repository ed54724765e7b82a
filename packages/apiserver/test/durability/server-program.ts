import { realClock } from '@perigee/kube/clock/real-clock';
import { startEmbeddedServer } from '../../src/embedded/embedded-server.ts';

/** A whole server on a folder, until it is killed or whoever started it is gone. */
const [dataFolder = ''] = process.argv.slice(2);
const { url } = await startEmbeddedServer({ clock: realClock, dataFolder });
process.send?.(url);
process.once('disconnect', () => process.exit());
