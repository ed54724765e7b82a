import { writeFileSync } from 'node:fs';
import { realClock } from '@perigee/kube/clock/real-clock';
import { CASES } from '../packages/apiserver/test/admission/cases.ts';
import {
  answerer,
  type Outcome,
  outcomeOf,
} from '../packages/apiserver/test/admission/run-case.ts';
import { CA_BUNDLE, startWebhook } from '../packages/apiserver/test/webhook/webhook-server.ts';
import { openRawPeer } from './open-peer.ts';

/** As long as kube-apiserver takes to learn of a new policy. */
const LEARNING_MS = 2500;

/** Records how a real kube-apiserver admits, for the tests of the embedded one. */
const record = async (): Promise<void> => {
  await using peer = await openRawPeer();
  const { send } = peer;
  const answers: { [name: string]: Outcome } = {};
  await using webhook = await startWebhook(() => 'nothing');
  for (const make of CASES) {
    const namespace = `perigee-${realClock.uuid().slice(0, 8)}`;
    const stage = { namespace, url: webhook.url, caBundle: CA_BUNDLE };
    const one = make(stage);
    const answer = answerer(one);
    webhook.hook.answer = (review) => answer(review, webhook.calls.at(-1)?.path ?? '');
    const { given = [] } = one;
    const createdPaths: string[] = [`/api/v1/namespaces/${namespace}`];
    await send({
      method: 'POST',
      path: '/api/v1/namespaces',
      body: { metadata: { name: namespace } },
    });
    try {
      for (const [path, body] of given) {
        const { status } = await send({ method: 'POST', path, body });
        if (status !== 201) process.stderr.write(`${one.name}: ${path}: ${status}\n`);
        createdPaths.unshift(`${path}/${(body.metadata as { name: string }).name}`);
      }
      if (given.length > 0) await realClock.sleep(LEARNING_MS);
      answers[one.name] = await outcomeOf(one, stage, send);
    } finally {
      for (const path of createdPaths) await send({ method: 'DELETE', path });
      // Nobody may be there to empty the namespace, which is empty.
      const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace }, spec: {} };
      await send({ method: 'PUT', path: `/api/v1/namespaces/${namespace}/finalize`, body });
    }
  }
  const file = new URL('../packages/apiserver/test/admission/answers.json', import.meta.url);
  writeFileSync(file, `${JSON.stringify(answers, null, 2)}\n`);
};

await record();
