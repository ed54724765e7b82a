import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject } from '@perigee/schema/json';
import { watchStream } from '../../src/client/watch-stream.ts';
import { getObject } from '../../src/registry/get.ts';
import { listObjects } from '../../src/registry/list.ts';
import { patchObject } from '../../src/registry/patch.ts';
import { refused } from '../registry/registry-fixture.ts';
import { resourceOf, setUpBuiltinApi } from './builtin-api.ts';

const NAMESPACE = 'default';
const CORE = resourceOf({ apiVersion: 'v1', kind: 'Event' });
const NEWER = resourceOf({ apiVersion: 'events.k8s.io/v1', kind: 'Event' });
const HPA_1 = resourceOf({ apiVersion: 'autoscaling/v1', kind: 'HorizontalPodAutoscaler' });
const HPA_2 = resourceOf({ apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler' });

const withoutMeta = ({ metadata, ...rest }: JsonObject): JsonObject => rest;

const at = (name: string) => ({ namespace: NAMESPACE, name });

// Each pair is what kube-apiserver 1.36 shows of one object.
const OLD_EVENT: JsonObject = {
  kind: 'Event',
  apiVersion: 'v1',
  involvedObject: { kind: 'Pod', namespace: NAMESPACE, name: 'p', uid: 'u' },
  reason: 'R',
  message: 'hello',
  source: { component: 'kubelet', host: 'n1' },
  firstTimestamp: '2026-01-01T00:00:00Z',
  lastTimestamp: '2026-01-01T00:01:00Z',
  count: 3,
  type: 'Warning',
  eventTime: null,
  reportingComponent: '',
  reportingInstance: '',
};

const OLD_EVENT_IN_NEWER_FORM: JsonObject = {
  kind: 'Event',
  apiVersion: 'events.k8s.io/v1',
  eventTime: null,
  reason: 'R',
  regarding: { kind: 'Pod', namespace: NAMESPACE, name: 'p', uid: 'u' },
  note: 'hello',
  type: 'Warning',
  deprecatedSource: { component: 'kubelet', host: 'n1' },
  deprecatedFirstTimestamp: '2026-01-01T00:00:00Z',
  deprecatedLastTimestamp: '2026-01-01T00:01:00Z',
  deprecatedCount: 3,
};

const NEW_EVENT: JsonObject = {
  kind: 'Event',
  apiVersion: 'events.k8s.io/v1',
  eventTime: '2026-01-01T00:00:00.000001Z',
  series: { count: 2, lastObservedTime: '2026-01-01T00:00:00.000001Z' },
  reportingController: 'x/y',
  reportingInstance: 'i',
  action: 'A',
  reason: 'R',
  regarding: { kind: 'Pod', namespace: NAMESPACE, name: 'p2' },
  note: 'hello',
  type: 'Normal',
  deprecatedSource: {},
  deprecatedFirstTimestamp: null,
  deprecatedLastTimestamp: null,
};

const NEW_EVENT_IN_CORE_FORM: JsonObject = {
  kind: 'Event',
  apiVersion: 'v1',
  involvedObject: { kind: 'Pod', namespace: NAMESPACE, name: 'p2' },
  reason: 'R',
  message: 'hello',
  source: {},
  firstTimestamp: null,
  lastTimestamp: null,
  type: 'Normal',
  eventTime: '2026-01-01T00:00:00.000001Z',
  series: { count: 2, lastObservedTime: '2026-01-01T00:00:00.000001Z' },
  action: 'A',
  reportingComponent: 'x/y',
  reportingInstance: 'i',
};

const withEvents = async () => {
  const api = await setUpBuiltinApi();
  await api.create({ ...OLD_EVENT, metadata: { name: 'old' } });
  await api.create({ ...NEW_EVENT, metadata: { name: 'new' } });
  return api;
};

describe('an event', () => {
  it('is one object in two groups', async () => {
    const { registry } = await withEvents();
    assert.deepEqual(withoutMeta(await getObject(registry, CORE, at('old'))), OLD_EVENT);
    assert.deepEqual(
      withoutMeta(await getObject(registry, NEWER, at('old'))),
      OLD_EVENT_IN_NEWER_FORM,
    );
    assert.deepEqual(withoutMeta(await getObject(registry, NEWER, at('new'))), NEW_EVENT);
    assert.deepEqual(
      withoutMeta(await getObject(registry, CORE, at('new'))),
      NEW_EVENT_IN_CORE_FORM,
    );
  });

  it('is selected by the names of the group', async () => {
    const { registry } = await withEvents();
    const namesOf = async (resource: typeof CORE, fieldSelector: string) => {
      const { entries } = await listObjects(registry, resource, { fieldSelector });
      return entries.map(({ key }) => key);
    };
    assert.deepEqual(await namesOf(CORE, 'involvedObject.name=p'), ['default/old']);
    assert.deepEqual(await namesOf(NEWER, 'regarding.name=p'), ['default/old']);
    assert.deepEqual(await namesOf(CORE, 'reportingComponent=x/y'), ['default/new']);
    assert.deepEqual(await namesOf(NEWER, 'reportingController=x/y'), ['default/new']);
    assert.deepEqual(await namesOf(CORE, 'source=kubelet'), ['default/old']);
    assert.deepEqual(await namesOf(CORE, 'source=x/y'), ['default/new']);
    await assert.rejects(
      async () => namesOf(NEWER, 'involvedObject.name=p'),
      refused(400, 'BadRequest'),
    );
  });

  it('is seen by the watches of both groups', async () => {
    const { registry, create } = await setUpBuiltinApi();
    using stop = new DisposableStack();
    const shown = async (resource: typeof CORE) => {
      const abort = stop.adopt(new AbortController(), (controller) => controller.abort());
      const stream = watchStream(registry, resource, {
        resourceVersion: String(registry.store.revision),
        signal: abort.signal,
      });
      const { value } = await stream.next();
      return value as { readonly object: JsonObject };
    };
    const seen = [shown(CORE), shown(NEWER)];
    await create({ ...NEW_EVENT, metadata: { name: 'new' } });
    const [core, newer] = await Promise.all(seen);
    assert.deepEqual(withoutMeta(core?.object ?? {}), NEW_EVENT_IN_CORE_FORM);
    assert.deepEqual(withoutMeta(newer?.object ?? {}), NEW_EVENT);
  });

  it('can be changed in the core group only', async () => {
    const { registry } = await withEvents();
    const change = (resource: typeof CORE, patch: JsonObject) =>
      patchObject(registry, resource, { ...at('new'), type: 'merge', patch });
    await assert.rejects(change(NEWER, { note: 'other' }), refused(422, 'Invalid'));
    const { message } = await change(CORE, { message: 'other' });
    assert.equal(message, 'other');
    assert.equal((await getObject(registry, NEWER, at('new'))).note, 'other');
    const series = { count: 3, lastObservedTime: '2026-01-01T00:00:01.000001Z' };
    assert.deepEqual((await change(NEWER, { series })).series, series);
  });
});

const METRICS: readonly JsonObject[] = [
  {
    type: 'Resource',
    resource: { name: 'memory', target: { type: 'AverageValue', averageValue: '100Mi' } },
  },
  {
    type: 'Pods',
    pods: {
      metric: { name: 'pps', selector: { matchLabels: { a: 'b' } } },
      target: { type: 'AverageValue', averageValue: '1k' },
    },
  },
  {
    type: 'Object',
    object: {
      describedObject: { kind: 'Ingress', name: 'i', apiVersion: 'networking.k8s.io/v1' },
      target: { type: 'Value', value: '10k' },
      metric: { name: 'rps' },
    },
  },
  {
    type: 'External',
    external: { metric: { name: 'q' }, target: { type: 'AverageValue', averageValue: '30' } },
  },
  {
    type: 'ContainerResource',
    containerResource: {
      name: 'cpu',
      target: { type: 'Utilization', averageUtilization: 60 },
      container: 'c',
    },
  },
];

const CPU: JsonObject = {
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } },
};

const SCALED = { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' };

const autoscaler: JsonObject = {
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  metadata: { name: 'h', annotations: { own: 'yes' } },
  spec: {
    scaleTargetRef: SCALED,
    maxReplicas: 5,
    metrics: [CPU, ...METRICS],
    behavior: {
      scaleDown: {
        stabilizationWindowSeconds: 60,
        policies: [{ type: 'Percent', value: 10, periodSeconds: 60 }],
        tolerance: '0.05',
      },
    },
  },
};

const STATUS: JsonObject = {
  currentReplicas: 1,
  desiredReplicas: 2,
  currentMetrics: [
    {
      type: 'Resource',
      resource: { name: 'cpu', current: { averageValue: '5m', averageUtilization: 40 } },
    },
    { type: 'Pods', pods: { metric: { name: 'pps' }, current: { averageValue: '3' } } },
  ],
  conditions: [
    {
      type: 'AbleToScale',
      status: 'True',
      lastTransitionTime: '2026-01-01T00:00:00Z',
      reason: 'R',
      message: 'm',
    },
  ],
};

// Recorded from kube-apiserver 1.36.
const ANNOTATIONS: JsonObject = {
  'autoscaling.alpha.kubernetes.io/behavior':
    '{"ScaleUp":{"StabilizationWindowSeconds":0,"SelectPolicy":"Max","Policies":[{"Type":"Pods","Value":4,"PeriodSeconds":15},{"Type":"Percent","Value":100,"PeriodSeconds":15}],"Tolerance":null},"ScaleDown":{"StabilizationWindowSeconds":60,"SelectPolicy":"Max","Policies":[{"Type":"Percent","Value":10,"PeriodSeconds":60}],"Tolerance":"50m"}}',
  'autoscaling.alpha.kubernetes.io/conditions':
    '[{"type":"AbleToScale","status":"True","lastTransitionTime":"2026-01-01T00:00:00Z","reason":"R","message":"m"}]',
  'autoscaling.alpha.kubernetes.io/current-metrics':
    '[{"type":"Resource","resource":{"name":"cpu","currentAverageUtilization":40,"currentAverageValue":"5m"}},{"type":"Pods","pods":{"metricName":"pps","currentAverageValue":"3"}}]',
  'autoscaling.alpha.kubernetes.io/metrics':
    '[{"type":"Resource","resource":{"name":"memory","targetAverageValue":"100Mi"}},{"type":"Pods","pods":{"metricName":"pps","targetAverageValue":"1k","selector":{"matchLabels":{"a":"b"}}}},{"type":"Object","object":{"target":{"kind":"Ingress","name":"i","apiVersion":"networking.k8s.io/v1"},"metricName":"rps","targetValue":"10k"}},{"type":"External","external":{"metricName":"q","targetAverageValue":"30"}},{"type":"ContainerResource","containerResource":{"name":"cpu","targetAverageUtilization":60,"container":"c"}}]',
  own: 'yes',
};

const withAutoscaler = async () => {
  const api = await setUpBuiltinApi();
  await api.create(autoscaler);
  const patch = (resource: typeof HPA_1, body: JsonObject, subresource?: string) =>
    patchObject(api.registry, resource, {
      ...at('h'),
      type: 'merge',
      patch: body,
      ...(subresource === undefined ? {} : { subresource }),
    });
  await patch(HPA_2, { status: STATUS }, 'status');
  const get = async (resource: typeof HPA_1) => getObject(api.registry, resource, at('h'));
  return { ...api, patch, get };
};

describe('an autoscaler', () => {
  it('keeps in annotations what the old version has no fields for', async () => {
    const { get } = await withAutoscaler();
    const { metadata, spec, status } = await get(HPA_1);
    assert.deepEqual((metadata as JsonObject).annotations, ANNOTATIONS);
    assert.deepEqual(spec, {
      scaleTargetRef: SCALED,
      minReplicas: 1,
      maxReplicas: 5,
      targetCPUUtilizationPercentage: 50,
    });
    assert.deepEqual(status, {
      currentReplicas: 1,
      desiredReplicas: 2,
      currentCPUUtilizationPercentage: 40,
    });
  });

  it('loses nothing when it is changed in the old version', async () => {
    const { get, patch } = await withAutoscaler();
    const before = await get(HPA_2);
    await patch(HPA_1, { spec: { targetCPUUtilizationPercentage: 70 } });
    const after = await get(HPA_2);
    const cpu = {
      ...CPU,
      resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 70 } },
    };
    assert.deepEqual(after.spec, { ...(before.spec as JsonObject), metrics: [...METRICS, cpu] });
    assert.deepEqual(after.status, before.status);
    assert.deepEqual((after.metadata as JsonObject).annotations, { own: 'yes' });
  });

  it('keeps its status when the annotations that stand for it are taken away', async () => {
    const { get, patch } = await withAutoscaler();
    await patch(HPA_1, { metadata: { annotations: null } });
    const { spec, status } = await get(HPA_2);
    assert.deepEqual(status, STATUS);
    assert.deepEqual((spec as JsonObject).metrics, [CPU]);
  });

  it('measures the CPU when the old version asks for nothing', async () => {
    const { create } = await setUpBuiltinApi();
    const body = {
      apiVersion: 'autoscaling/v1',
      kind: 'HorizontalPodAutoscaler',
      spec: { scaleTargetRef: SCALED, maxReplicas: 3 },
    };
    const { spec } = await create(body);
    assert.deepEqual(spec, {
      scaleTargetRef: SCALED,
      minReplicas: 1,
      maxReplicas: 3,
      targetCPUUtilizationPercentage: 80,
    });
  });

  it('is told what is wrong in the names of the new version', async () => {
    const { create } = await setUpBuiltinApi();
    const body = {
      apiVersion: 'autoscaling/v1',
      kind: 'HorizontalPodAutoscaler',
      spec: { scaleTargetRef: { kind: 'Deployment', name: 'd' }, maxReplicas: 3 },
    };
    await assert.rejects(
      create({ ...body, spec: { ...body.spec, targetCPUUtilizationPercentage: 0 } }),
      /spec\.scaleTargetRef\.apiVersion.*spec\.metrics\[0\]\.resource\.target\.averageUtilization/,
    );
  });
});
