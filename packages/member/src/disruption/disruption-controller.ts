import { setForeignCondition } from '@perigee/api/values/conditions';
import { labelSelectorOf, matchesLabels, specSelects } from '@perigee/api/values/label-selector';
import type { Caches } from '@perigee/kube/controller/cached-objects';
import {
  type ControllerDefinition,
  defineController,
} from '@perigee/kube/controller/define-controller';
import { watch } from '@perigee/kube/controller/watch';
import { Pod } from '@perigee/kubernetes/core/pod';
import {
  PodDisruptionBudget,
  type PodDisruptionBudgetStatus,
} from '@perigee/kubernetes/policy/pod-disruption-budget';
import { countOf } from '../deployment/rolling-bounds.ts';
import { isFinished, isPodReady, isTerminating } from '../pods/pod-state.ts';
import { writeStatus } from '../status/write-status.ts';

const budgetStatus = (
  { metadata, spec, status }: PodDisruptionBudget,
  pods: readonly Pod[],
  now: number,
): PodDisruptionBudgetStatus => {
  const livePods = pods.filter((pod) => !isFinished(pod));
  const healthy = livePods.filter((pod) => isPodReady(pod) && !isTerminating(pod)).length;
  const { minAvailable, maxUnavailable } = spec;
  const desired =
    maxUnavailable === undefined
      ? countOf(minAvailable ?? 1, livePods.length, Math.ceil)
      : Math.max(0, livePods.length - countOf(maxUnavailable, livePods.length, Math.ceil));
  const disruptions = livePods.length === 0 ? 0 : Math.max(0, healthy - desired);
  const observedGeneration = metadata.generation ?? 0;
  return {
    currentHealthy: healthy,
    desiredHealthy: desired,
    disruptionsAllowed: disruptions,
    expectedPods: livePods.length,
    observedGeneration,
    conditions: setForeignCondition(
      status?.conditions,
      {
        type: 'DisruptionAllowed',
        status: disruptions > 0 ? 'True' : 'False',
        reason: disruptions > 0 ? 'SufficientPods' : 'InsufficientPods',
        message: '',
        observedGeneration,
      },
      now,
    ),
  };
};

const budgetsOf = ({ metadata }: Pod, caches: Caches) =>
  caches(PodDisruptionBudget)
    .listNamespace(metadata.namespace ?? '')
    .filter(({ spec }) => specSelects(spec.selector, metadata.labels))
    .map(({ metadata: { namespace = '', name } }) => ({ namespace, name }));

/** Keeps disruptionsAllowed of each PodDisruptionBudget. */
export const disruptionController = (): ControllerDefinition =>
  defineController({
    name: 'disruption-controller',
    for: PodDisruptionBudget,
    watches: [watch(Pod, { map: budgetsOf })],
    reconcile: async (ref, { cache, client, clock }) => {
      const budget = cache(PodDisruptionBudget).get(ref);
      if (budget === undefined) return undefined;
      const selector = labelSelectorOf(budget.spec.selector);
      const pods = cache(Pod)
        .listNamespace(ref.namespace ?? '')
        .filter(({ metadata }) => matchesLabels(selector, metadata.labels));
      const status = budgetStatus(budget, pods, clock.now());
      await writeStatus(client, PodDisruptionBudget, budget, status);
      return undefined;
    },
  });
