import { writeFileSync } from 'node:fs';
import { realClock } from '@perigee/kube/clock/real-clock';
import { loadClusterConfig } from '@perigee/kube/kubeconfig/load-cluster-config';
import { BAD_REQUESTS } from '../packages/apiserver/test/http/bad-requests/all-requests.ts';
import type { Answer } from '../packages/apiserver/test/http/bad-requests/bad-request.ts';
import {
  ask,
  createWorld,
  removeWorld,
} from '../packages/apiserver/test/http/bad-requests/peer.ts';

const MOST_TRIES = 20;

/** A server may close the connection on who is still sending, before its answer can be read. */
const persistently = async <T>(work: () => Promise<T>, tries = 1): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (tries === MOST_TRIES) throw error;
    return persistently(work, tries + 1);
  }
};

/**
 * Records how a real kube-apiserver answers bad requests, for the tests of the embedded one. It needs a
 * kubeconfig with a token of somebody who may do everything, PERIGEE_TEST_KUBECONFIG, and a new server: after
 * some minutes its cache forgets the past, and it no longer says when to ask again for an exact version.
 */
const record = async (): Promise<void> => {
  const kubeconfig = process.env.PERIGEE_TEST_KUBECONFIG ?? '';
  const config = await loadClusterConfig({ env: {}, kubeconfig, clock: realClock });
  const { authorization } = (await config.credentials?.()) ?? {};
  const peer = {
    url: config.server,
    ...(config.caBundle === undefined ? {} : { ca: config.caBundle }),
    ...(authorization === undefined ? {} : { authorization }),
  };
  await createWorld(peer);
  try {
    const answers: { [name: string]: Answer } = {};
    for (const bad of BAD_REQUESTS) answers[bad.name] = await persistently(() => ask(peer, bad));
    const file = new URL(
      '../packages/apiserver/test/http/bad-requests/answers.json',
      import.meta.url,
    );
    writeFileSync(file, `${JSON.stringify(answers, null, 2)}\n`);
  } finally {
    await removeWorld(peer);
  }
};

await record();
