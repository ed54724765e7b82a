import type { Condition } from '@perigee/api/meta/condition';
import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { ResourceKind, WrittenObject } from '@perigee/api/meta/resource-kind';
import type { LabelSelectorSpec } from '@perigee/api/values/label-selector';
import type { IntOrPercent } from '../apps/deployment.ts';

export interface PodDisruptionBudgetStatus {
  readonly currentHealthy: number;
  readonly desiredHealthy: number;
  readonly disruptionsAllowed: number;
  readonly expectedPods: number;
  readonly observedGeneration?: number;
  readonly conditions?: readonly Condition[];
}

interface BudgetParts {
  readonly spec: {
    readonly selector?: LabelSelectorSpec;
    readonly minAvailable?: IntOrPercent;
    readonly maxUnavailable?: IntOrPercent;
  };
  readonly status?: PodDisruptionBudgetStatus;
}

export type PodDisruptionBudget = KubeObject & BudgetParts;

export const PodDisruptionBudget: ResourceKind<PodDisruptionBudget, WrittenObject & BudgetParts> = {
  group: 'policy',
  version: 'v1',
  kind: 'PodDisruptionBudget',
  plural: 'poddisruptionbudgets',
  scope: 'Namespaced',
};
