import { flushCompileCache } from 'node:module';
import { startEmbeddedServer } from '@perigee/apiserver/embedded/embedded-server';
import { realClock } from '@perigee/kube/clock/real-clock';
import { createAuthority } from '../packages/kube/test/support/certificates.ts';
import type { Target } from './apiserver-protocol.ts';

/** An API server with its objects in a folder, until its parent process ends. */
const [dataFolder = ''] = process.argv.slice(2);
const authority = createAuthority();
const tls = authority.issue({ commonName: 'server', usage: 'server', names: ['127.0.0.1'] });
const server = await startEmbeddedServer({ clock: realClock, dataFolder, port: 0, tls });
const target: Target = { server: server.url, ca: authority.cert, namespace: 'default' };
process.send?.(target);
flushCompileCache();
process.once('disconnect', () => process.exit());
