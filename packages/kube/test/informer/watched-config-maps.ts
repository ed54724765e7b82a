import assert from 'node:assert/strict';
import type { KubeObject } from '@perigee/api/meta/object-meta';
import { ConfigMap } from '@perigee/kubernetes/core/config-map';
import { Informer } from '../../src/informer/informer.ts';
import { objectKey } from '../../src/informer/object-key.ts';
import type { Fixture } from '../support/tls-api-server-fixture.ts';
import { EventLog } from './event-log.ts';
import { HistoryCheck } from './history-check.ts';
import { StepLog } from './step-log.ts';

/** An informer over the fixture's connection, not started, and what its handlers are told. */
export const watchedConfigMaps = ({ client, clock }: Pick<Fixture, 'client' | 'clock'>) => {
  const steps = new StepLog();
  const informer = new Informer<KubeObject>({ client, clock, kind: ConfigMap, metrics: steps });
  const check = new HistoryCheck(informer);
  const news = new EventLog<KubeObject>();
  informer.addHandler(check);
  informer.addHandler(news);
  return { informer, check, news, steps };
};

const FIRST_STEP_MS = 20;
const LONGEST_STEP_MS = 2_000;
const LONGEST_WAIT_MS = 4 * 60 * 60_000;

/** Lets sockets work and time pass, slowly at first, until the condition holds. */
export const eventually = async (
  { clock }: Pick<Fixture, 'clock'>,
  condition: () => boolean,
): Promise<void> => {
  const limit = clock.now() + LONGEST_WAIT_MS;
  let stepMs = FIRST_STEP_MS;
  while (!condition()) {
    assert.ok(clock.now() < limit, `${condition} did not come true`);
    await clock.advance(stepMs);
    stepMs = Math.min(stepMs * 1.01, LONGEST_STEP_MS);
  }
};

export const isUpToDate = (
  { cluster }: Pick<Fixture, 'cluster'>,
  informer: Informer<KubeObject>,
): boolean => {
  const objects = cluster.objects(ConfigMap);
  const versions = new Map(
    informer.list().map(({ metadata }) => [objectKey(metadata), metadata.resourceVersion]),
  );
  return (
    objects.length === versions.size &&
    objects.every(([key, { metadata }]) => versions.get(key) === metadata.resourceVersion)
  );
};
