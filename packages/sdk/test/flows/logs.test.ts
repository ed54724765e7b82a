import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { DataLoad } from '@perigee/api/kinds/flows/data-load';
import {
  type EmbeddedServer,
  startEmbeddedServer,
} from '@perigee/apiserver/embedded/embedded-server';
import { ApiClient } from '@perigee/kube/client/api-client';
import { BriefTransport } from '@perigee/kube/client/brief-transport';
import type { PodLogRequest } from '@perigee/kube/client/pod-logs';
import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { Pod } from '@perigee/kubernetes/core/pod';
import { operationLabel } from '@perigee/scheduling/flows/operation-run-objects';
import { UsageError } from '../../src/errors.ts';
import { flow } from '../../src/flows/flow.ts';
import type { LogOptions } from '../../src/flows/step-logs.ts';
import type { Perigee } from '../../src/perigee.ts';
import { NAMESPACE, perigeeOver } from '../perigee-over.ts';

describe('the logs of a step', () => {
  const requests: PodLogRequest[] = [];
  let server: EmbeddedServer;
  let member: ApiClient;
  let perigee: Perigee;

  before(async () => {
    server = await startEmbeddedServer({ clock });
    const { url, registry } = await server.openCluster('m1');
    registry.podLogs?.serve(async function* (request: PodLogRequest) {
      requests.push(request);
      const name = request.container;
      // A line may be cut anywhere, also within a letter.
      const bytes = Buffer.from(`${name}: één\n${name}: no end`);
      yield bytes.subarray(0, name.length + 3);
      yield bytes.subarray(name.length + 3);
    });
    const config = { server: url };
    member = new ApiClient(config, new BriefTransport(config), { clock, userAgent: 'test' });
    perigee = perigeeOver(server.client, async (cluster) => {
      assert.equal(cluster, 'm1');
      return member;
    });
    await perigee.datasets.apply('raw', { mounts: [{ mountPoint: 's3://bucket/raw' }] });
  });
  after(async () => {
    await member[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });

  const linesOf = async (name: string, options: LogOptions = {}): Promise<readonly string[]> => {
    const run = await perigee.flows.get(name);
    const lines: string[] = [];
    for await (const { cluster, pod, line } of run.logs('load', options)) {
      lines.push(`${cluster}/${pod} ${line}`);
    }
    return lines;
  };

  it('are not there before it has run', async () => {
    await flow('early').load({ dataset: 'raw' }).run({ on: perigee });
    await assert.rejects(linesOf('early'), (error) => {
      assert.ok(error instanceof UsageError);
      assert.match(error.message, /DataLoad early-load has not run anywhere yet/);
      return true;
    });
  });

  it('come line by line, from every container or from one, of the cluster where it ran', async () => {
    await flow('late').load({ dataset: 'raw' }).run({ on: perigee });
    const ref = { namespace: NAMESPACE, name: 'late-load' };
    const status = {
      phase: 'Executing',
      duration: '-',
      clusters: [{ name: 'm1', phase: 'Executing' }],
    };
    const patch = { type: 'merge', body: { status } } as const;
    await server.client.patch(DataLoad, ref, patch, { subresource: 'status' });
    const operation = await server.client.get(DataLoad, ref);
    const pod = await member.create(Pod, {
      metadata: {
        namespace: NAMESPACE,
        name: 'p',
        labels: { 'flows.perigee.io/operation': operationLabel(operation) },
      },
      spec: {
        nodeName: 'n',
        initContainers: [{ name: 'get', image: 'x' }],
        containers: [{ name: 'run', image: 'x' }],
      },
    } as never);
    const running = { state: { running: {} }, ready: true, restartCount: 0, image: 'x' };
    const statuses = {
      phase: 'Running',
      initContainerStatuses: [{ ...running, name: 'get', imageID: '' }],
      containerStatuses: [{ ...running, name: 'run', imageID: '' }],
    };
    const podRef = { namespace: NAMESPACE, name: pod.metadata.name };
    const podPatch = { type: 'merge', body: { status: statuses } } as const;
    await member.patch(Pod, podRef, podPatch, { subresource: 'status' });
    assert.deepEqual(await linesOf('late'), [
      'm1/p get: één',
      'm1/p get: no end',
      'm1/p run: één',
      'm1/p run: no end',
    ]);
    requests.length = 0;
    const options = { container: 'run', cluster: 'm1', tail: 1, follow: true };
    assert.deepEqual(await linesOf('late', options), ['m1/p run: één', 'm1/p run: no end']);
    assert.equal(requests.length, 1);
    assert.deepEqual([requests[0]?.follow, requests[0]?.tailLines], [true, 1]);
    await assert.rejects(linesOf('late', { cluster: 'm2' }), /did not run in m2, but in m1/);
  });
});
