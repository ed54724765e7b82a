import type { AggregatedStatusItem } from '@perigee/api/kinds/placement/binding-status';
import type { JsonObject } from '@perigee/schema/json';
import { numberIn, objectIn, objectsIn, pick, textIn, withField } from '../fields.ts';
import type { KindInterpreter } from '../interpreter.ts';
import { podRequirements } from '../pod-requirements.ts';
import { statusesOf } from './generations.ts';
import { healthyIf, podTemplateAt } from './workload.ts';

const apiVersion = 'v1';

/** The first of `phases`, ordered by severity, that any cluster reports. */
const jointPhase = (
  items: readonly AggregatedStatusItem[],
  phases: readonly string[],
): string | undefined => {
  const reportedPhases = new Set(
    items.map(({ status }) =>
      status === undefined ? 'Pending' : textIn(status as JsonObject, 'phase'),
    ),
  );
  return phases.find((phase) => reportedPhases.has(phase));
};

const withPhase = (template: JsonObject, phase: string | undefined): JsonObject =>
  phase === undefined ? template : { ...template, status: { phase } };

const containerStates = (items: readonly AggregatedStatusItem[], field: string): JsonObject => {
  const states = statusesOf(items)
    .flatMap((status) => objectsIn(status, field))
    .map((container) => pick(container, ['ready', 'state']));
  return states.length === 0 ? {} : { [field]: states };
};

/** Keeps mounts that the cluster injects, such as the service account token. */
const retainMounts = (desired: JsonObject, observed: JsonObject, field: string): JsonObject => {
  const containersByName = new Map(
    objectsIn(observed, 'spec', field).map((container) => [container.name, container]),
  );
  const containers = objectsIn(desired, 'spec', field).map((container) => {
    const mounts = containersByName.get(container.name)?.volumeMounts;
    return mounts === undefined ? container : { ...container, volumeMounts: mounts };
  });
  return containers.length === 0 ? desired : withField(desired, ['spec', field], containers);
};

export const pod: KindInterpreter = {
  apiVersion,
  kind: 'Pod',
  ...podTemplateAt('spec'),
  demand: (object) => {
    const requirements = podRequirements(objectIn(object, 'spec'));
    return requirements === undefined ? { replicas: 1 } : { replicas: 1, requirements };
  },
  retain: (desired, observed) => {
    const observedFields = pick(objectIn(observed, 'spec'), [
      'nodeName',
      'serviceAccountName',
      'volumes',
    ]);
    const withFields = Object.entries(observedFields).reduce(
      (result, [field, value]) => withField(result, ['spec', field], value),
      desired,
    );
    return retainMounts(
      retainMounts(withFields, observed, 'containers'),
      observed,
      'initContainers',
    );
  },
  health: ({ status }) => {
    const { phase, conditions } = (status ?? {}) as JsonObject;
    const isReady = objectsIn({ conditions }, 'conditions').some(
      (condition) => condition.type === 'Ready' && condition.status === 'True',
    );
    return healthyIf(phase === 'Succeeded' || (phase === 'Running' && isReady));
  },
  aggregate: (template, items) => {
    const phase = jointPhase(items, ['Failed', 'Pending', 'Running', 'Succeeded']);
    if (phase === undefined) return template;
    const states = containerStates(items, 'containerStatuses');
    const initial = containerStates(items, 'initContainerStatuses');
    return { ...template, status: { phase, ...states, ...initial } };
  },
};

export const persistentVolume: KindInterpreter = {
  apiVersion,
  kind: 'PersistentVolume',
  retain: (desired, observed) => {
    const { claimRef } = objectIn(observed, 'spec');
    return claimRef === undefined ? desired : withField(desired, ['spec', 'claimRef'], claimRef);
  },
  aggregate: (template, items) =>
    withPhase(template, jointPhase(items, ['Failed', 'Pending', 'Available', 'Bound', 'Released'])),
};

export const persistentVolumeClaim: KindInterpreter = {
  apiVersion,
  kind: 'PersistentVolumeClaim',
  retain: (desired, observed) => {
    const volume = textIn(observed, 'spec', 'volumeName');
    return volume === '' ? desired : withField(desired, ['spec', 'volumeName'], volume);
  },
  health: (object) => healthyIf(textIn(object, 'status', 'phase') === 'Bound'),
  /** Reports the uid: a recreated claim of the same name has none of the data. */
  reflect: (object) => ({
    ...objectIn(object, 'status'),
    uid: textIn(object, 'metadata', 'uid'),
  }),
  /**
   * Any lost claim makes the aggregate Lost; else the last phase that is not Bound wins. A claim without a phase is
   * Pending: Karmada takes it for bound.
   */
  aggregate: (template, items) => {
    const phases = items.map(
      ({ status = {} }) => textIn(status as JsonObject, 'phase') || 'Pending',
    );
    if (phases.includes('Lost')) return withPhase(template, 'Lost');
    return withPhase(template, phases.findLast((phase) => phase !== 'Bound') ?? phases[0]);
  },
};

/** Keeps the service account token that the cluster generated. */
export const secret: KindInterpreter = {
  apiVersion,
  kind: 'Secret',
  retain: (desired, observed) =>
    desired.type === 'kubernetes.io/service-account-token' && observed.data !== undefined
      ? { ...desired, data: observed.data }
      : desired,
};

const mergeByName = (desired: JsonObject, observed: JsonObject, field: string): JsonObject => {
  const byName = new Map(
    [...objectsIn(desired, field), ...objectsIn(observed, field)].map((entry) => [
      entry.name,
      entry,
    ]),
  );
  return byName.size === 0 ? desired : { ...desired, [field]: [...byName.values()] };
};

export const serviceAccount: KindInterpreter = {
  apiVersion,
  kind: 'ServiceAccount',
  retain: (desired, observed) =>
    mergeByName(mergeByName(desired, observed, 'secrets'), observed, 'imagePullSecrets'),
};

export const retainService = (desired: JsonObject, observed: JsonObject): JsonObject => {
  const port = numberIn(observed, 'spec', 'healthCheckNodePort') ?? 0;
  const address = textIn(observed, 'spec', 'clusterIP');
  const withPort = port > 0 ? withField(desired, ['spec', 'healthCheckNodePort'], port) : desired;
  return address === '' ? withPort : withField(withPort, ['spec', 'clusterIP'], address);
};
