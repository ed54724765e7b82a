import type { LabelSelectorSpec } from '@perigee/api/values/label-selector';
import { labelSelectorOf, matchesLabels } from '@perigee/api/values/label-selector';
import { PodDisruptionBudget } from '@perigee/kubernetes/policy/pod-disruption-budget';
import type { JsonObject } from '@perigee/schema/json';
import { isJsonObject } from '@perigee/schema/json';
import { mapAt, numberAt, objectAt, objectsAt, textAt } from '@perigee/schema/json-fields';
import { present } from '@perigee/schema/present';
import { formatTime } from '@perigee/schema/values/time';
import { type Action, DONE } from '../registry/action.ts';
import { bodyResource } from '../registry/body-resource.ts';
import { decodeInput } from '../registry/decode-input.ts';
import { type DeleteRequest, deleteObject } from '../registry/delete.ts';
import { getObject } from '../registry/get.ts';
import { metaOf, storedMetaOf } from '../registry/metadata.ts';
import { formOf } from '../registry/object-form.ts';
import { prefixOf, type Registry, tableOf } from '../registry/registry.ts';
import { updateObject } from '../registry/update.ts';
import type { ServedResource } from '../resource/served-resource.ts';
import { forbidden } from '../status/object-refusals.ts';
import { refusal } from '../status/refusal.ts';
import { badRequest } from '../status/request-refusals.ts';

const MOST_UNCONFIRMED = 2000;
/** The manager in `managedFields` of what the server itself writes. */
const SERVER = 'kube-apiserver';

const wouldViolate = (message: string, retryAfterSeconds?: number) =>
  refusal(
    429,
    'TooManyRequests',
    "Cannot evict pod as it would violate the pod's disruption budget.",
    {
      causes: [{ reason: 'DisruptionBudget', message }],
      ...present({ retryAfterSeconds }),
    },
  );

/** A pod that does not run, or is on its way out, is nothing that a budget could protect. */
const isUnprotected = (pod: JsonObject): boolean =>
  storedMetaOf(pod).deletionTimestamp !== undefined ||
  ['Pending', 'Succeeded', 'Failed'].includes(textAt(objectAt(pod, 'status'), 'phase'));

const isReady = (pod: JsonObject): boolean =>
  objectsAt(objectAt(pod, 'status'), 'conditions').some(
    ({ type, status }) => type === 'Ready' && status === 'True',
  );

const selects = (budget: JsonObject, pod: JsonObject): boolean => {
  const { selector } = objectAt(budget, 'spec');
  return (
    isJsonObject(selector) &&
    matchesLabels(labelSelectorOf(selector as LabelSelectorSpec), mapAt(pod, 'metadata', 'labels'))
  );
};

/** A pod that is not ready counts for nothing where enough others are healthy. */
const mayGoUncounted = (budget: JsonObject, pod: JsonObject): boolean => {
  if (isReady(pod)) return false;
  const { unhealthyPodEvictionPolicy } = objectAt(budget, 'spec');
  const status = objectAt(budget, 'status');
  const desired = numberAt(status, 'desiredHealthy') ?? 0;
  return (
    unhealthyPodEvictionPolicy === 'AlwaysAllow' ||
    (desired > 0 && (numberAt(status, 'currentHealthy') ?? 0) >= desired)
  );
};

const checkBudget = (budgets: ServedResource, budget: JsonObject): void => {
  const { name, generation = 0 } = storedMetaOf(budget);
  const status = objectAt(budget, 'status');
  const allowedDisruptions = numberAt(status, 'disruptionsAllowed') ?? 0;
  if ((numberAt(status, 'observedGeneration') ?? 0) < generation) {
    throw wouldViolate(`The disruption budget ${name} is still being processed by the server.`, 10);
  }
  if (allowedDisruptions < 0) throw forbidden(budgets, name, 'pdb disruptions allowed is negative');
  if (Object.keys(objectAt(status, 'disruptedPods')).length > MOST_UNCONFIRMED) {
    const why = 'DisruptedPods map too big - too many evictions not confirmed by PDB controller';
    throw forbidden(budgets, name, why);
  }
  if (allowedDisruptions > 0) return;
  const neededPods = numberAt(status, 'desiredHealthy') ?? 0;
  const healthy = numberAt(status, 'currentHealthy') ?? 0;
  throw wouldViolate(
    `The disruption budget ${name} needs ${neededPods} healthy pods and has ${healthy} currently`,
  );
};

const withOneLess = (budget: JsonObject, podName: string, now: string): JsonObject => {
  const status = objectAt(budget, 'status');
  const disruptionsAllowed = (numberAt(status, 'disruptionsAllowed') ?? 0) - 1;
  const { generation = 0 } = storedMetaOf(budget);
  const others = objectsAt(status, 'conditions').filter(({ type }) => type !== 'DisruptionAllowed');
  const exhausted = {
    type: 'DisruptionAllowed',
    status: 'False',
    observedGeneration: generation,
    lastTransitionTime: now,
    reason: 'InsufficientPods',
    message: '',
  };
  return {
    ...budget,
    status: {
      ...status,
      disruptionsAllowed,
      disruptedPods: { ...objectAt(status, 'disruptedPods'), [podName]: now },
      ...(disruptionsAllowed === 0 ? { conditions: [...others, exhausted] } : {}),
    },
  };
};

const spendBudget = async (registry: Registry, pod: JsonObject, dryRun: boolean): Promise<void> => {
  const budgets = registry.resources.find(PodDisruptionBudget);
  const { name: podName, namespace = '' } = storedMetaOf(pod);
  if (budgets === undefined || isUnprotected(pod)) return;
  const prefix = prefixOf(namespace) ?? '';
  const { entries } = registry.store.range(tableOf(registry, budgets), { prefix });
  const matching = entries.map(formOf(budgets).read).filter((budget) => selects(budget, pod));
  const [budget, another] = matching;
  if (budget === undefined) return;
  if (another !== undefined) {
    const why =
      'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.';
    throw refusal(500, '', why);
  }
  if (mayGoUncounted(budget, pod)) return;
  checkBudget(budgets, budget);
  // Its version is in it: two evictions never spend the same disruption.
  await updateObject(registry, budgets, {
    namespace,
    name: storedMetaOf(budget).name,
    subresource: 'status',
    body: withOneLess(budget, podName, formatTime(registry.clock.now())),
    fieldManager: SERVER,
    dryRun,
  });
};

const markEvicted = (
  registry: Registry,
  pods: ServedResource,
  pod: JsonObject,
  dryRun: boolean,
): Promise<JsonObject> => {
  const status = objectAt(pod, 'status');
  const others = objectsAt(status, 'conditions').filter(({ type }) => type !== 'DisruptionTarget');
  const target = {
    type: 'DisruptionTarget',
    status: 'True',
    lastProbeTime: null,
    lastTransitionTime: formatTime(registry.clock.now()),
    reason: 'EvictionByEvictionAPI',
    message: 'Eviction API: evicting',
  };
  const { name, namespace = '' } = storedMetaOf(pod);
  const body = { ...pod, status: { ...status, conditions: [...others, target] } };
  const options = { subresource: 'status', fieldManager: SERVER, dryRun };
  return updateObject(registry, pods, { namespace, name, body, ...options });
};

/** Ends a pod as far as the disruption budgets allow it. */
export const evictPod: Action = async (registry, pods, request) => {
  const eviction = decodeInput(bodyResource(pods, 'eviction'), request.body, request);
  const { name = '', namespace = '' } = request;
  if (metaOf(eviction).name !== name) {
    throw badRequest('name in URL does not match name in Eviction object');
  }
  const { gracePeriodSeconds, preconditions, propagationPolicy, dryRun } = objectAt(
    eviction,
    'deleteOptions',
  );
  const isDry = request.dryRun === true || (Array.isArray(dryRun) && dryRun.includes('All'));
  const pod = await getObject(registry, pods, { namespace, name });
  await spendBudget(registry, pod, isDry);
  await markEvicted(registry, pods, pod, isDry);
  await deleteObject(registry, pods, {
    namespace,
    name,
    dryRun: isDry,
    ...({ gracePeriodSeconds, preconditions, propagationPolicy } as Partial<DeleteRequest>),
  });
  return DONE;
};
