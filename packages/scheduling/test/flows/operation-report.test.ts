import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@perigee/schema/json';
import { movingContainers, operationReport } from '../../src/flows/operation-report.ts';

const command = ['perigee-mover', '/mover/orders/order.json'];

const pod = (states: readonly JsonObject[], more: JsonObject = {}, isMover = true): JsonObject => ({
  spec: {
    nodeName: 'node-1',
    containers: states.map((_, at) => ({ name: `c${at}`, ...(isMover ? { command } : {}) })),
  },
  status: {
    containerStatuses: states.map((state, at) => ({ name: `c${at}`, state })),
    ...more,
  },
});

const running: JsonObject = { running: {} };
const ended = (exitCode: number, message: object | string, reason = 'Error'): JsonObject => ({
  terminated: {
    exitCode,
    reason,
    message: typeof message === 'string' ? message : JSON.stringify(message),
  },
});
const lines = (...said: readonly (object | string)[]) =>
  new Map(
    said.map((one, at) => [`c${at}`, `${typeof one === 'string' ? one : JSON.stringify(one)}\n`]),
  );

const progress = (bytesDone: number, bytesTotal: number) => ({
  type: 'progress',
  phase: 'copy',
  bytesDone,
  bytesTotal,
  filesDone: 1,
  filesTotal: 2,
  percentage: 12.7,
  bytesPerSecond: 10.5,
  secondsLeft: 7,
});
const result = (bytes: number, digest: string) => ({ type: 'result', bytes, files: 2, digest });

test('progress is the last line of who copies, in whole numbers', () => {
  const { node, progress: told } = operationReport(pod([running]), lines(progress(1, 8)));
  assert.equal(node, 'node-1');
  assert.deepEqual(told, {
    bytesDone: 1,
    bytesTotal: 8,
    filesDone: 1,
    filesTotal: 2,
    bytesPerSecond: 10,
    percentage: 12,
    secondsLeft: 7,
  });
});

test('progress of several is told together, once all tell', () => {
  const both = pod([running, ended(0, result(6, 'tree1:a'))]);
  const { progress: told, result: none } = operationReport(both, lines(progress(1, 8)));
  assert.deepEqual(
    { ...(told as JsonObject) },
    {
      bytesDone: 7,
      bytesTotal: 14,
      filesDone: 3,
      filesTotal: 4,
      bytesPerSecond: 10,
      percentage: 50,
      secondsLeft: 7,
    },
  );
  assert.equal(none, undefined);
  assert.equal(operationReport(pod([running, running]), lines(progress(1, 8))).progress, undefined);
});

test('the share of several counts by their sizes, as each tells its own', () => {
  const share = (percentage: number, bytesTotal: number) => ({
    ...progress(0, bytesTotal),
    percentage,
  });
  const both = operationReport(pod([running, running]), lines(share(50, 300), share(10, 100)));
  assert.equal((both.progress as JsonObject).percentage, 40);
  const nothing = operationReport(pod([running, running]), lines(share(50, 0), share(10, 0)));
  assert.equal((nothing.progress as JsonObject).percentage, 10);
});

test('the result is the termination message of who copied', () => {
  const one = operationReport(pod([ended(0, result(6, 'tree1:a'))]), new Map());
  assert.deepEqual(one.result, { bytes: 6, files: 2, digest: 'tree1:a' });
  const two = (a: string, b: string) =>
    operationReport(pod([ended(0, result(6, a)), ended(0, result(1, b))]), new Map()).result;
  const { bytes, files, digest } = two('tree1:a', 'tree1:b') as JsonObject;
  assert.deepEqual([bytes, files], [7, 4]);
  assert.match(String(digest), /^trees1:[0-9a-f]{64}$/);
  assert.deepEqual(two('tree1:a', 'tree1:b'), two('tree1:a', 'tree1:b'));
  assert.notDeepEqual(two('tree1:a', 'tree1:b'), two('tree1:b', 'tree1:a'));
});

test('a failure is told in the words of who failed', () => {
  const failure = { type: 'failure', reason: 'DiskFull', message: 'no room' };
  const cases: readonly (readonly [JsonObject, string])[] = [
    [pod([ended(21, failure)]), 'DiskFull: no room'],
    [pod([ended(137, progress(1, 2))]), 'c0 ended with exit code 137'],
    [pod([ended(137, progress(1, 2), 'OOMKilled')]), 'c0 ended with exit code 137 (OOMKilled)'],
    // A mover that could not be started has not told anything; whoever tried has.
    [
      pod([ended(128, 'cannot start: "x/" cannot be opened: EROFS', 'StartError')]),
      'c0 ended with exit code 128 (StartError): cannot start: "x/" cannot be opened: EROFS',
    ],
    [
      pod([ended(134, `${JSON.stringify(progress(1, 2))}\nFATAL ERROR: out of memory\n`)]),
      'c0 ended with exit code 134: FATAL ERROR: out of memory',
    ],
    [pod([ended(4, 'it is broken\n')], {}, false), 'c0 ended with exit code 4: it is broken'],
    [pod([ended(4, '')], {}, false), 'c0 ended with exit code 4'],
    [pod([{ waiting: {} }], { message: 'hostPath /x is not there' }), 'hostPath /x is not there'],
    [
      pod([{ waiting: { reason: 'CreateContainerConfigError', message: 'no such key' } }]),
      'CreateContainerConfigError: no such key',
    ],
    [
      pod([], { conditions: [{ type: 'PodScheduled', status: 'False', message: 'no claim' }] }),
      'no claim',
    ],
  ];
  for (const [one, message] of cases)
    assert.equal(operationReport(one, new Map()).message, message);
});

test('what a storage is asked again for is told while it is', () => {
  const line = { ...progress(1, 8), retries: 3, retryReason: 'http://s3: no connection' };
  const { message } = operationReport(pod([running]), lines(line));
  assert.equal(message, 'http://s3: no connection');
});

test('what users print is not taken for what the mover says, and nonsense is nothing', () => {
  const forged = operationReport(pod([ended(0, result(6, 'x'))], {}, false), new Map());
  assert.deepEqual(forged, { node: 'node-1' });
  for (const text of ['', '[', 'null', '7', '{"type":"progress"', 'x'.repeat(100_000)]) {
    assert.deepEqual(operationReport(pod([running]), lines(text)), { node: 'node-1' });
  }
  const long = operationReport(pod([ended(1, 'y'.repeat(5000))], {}, false), new Map());
  assert.equal(String(long.message).length, 1024);
});

test('logs are read of those that copy and run, and of no others', () => {
  assert.deepEqual(movingContainers(pod([running, ended(0, ''), running])), ['c0', 'c2']);
  assert.deepEqual(movingContainers(pod([running], {}, false)), []);
});
