import type { KubeObject } from '@perigee/api/meta/object-meta';
import { present } from '@perigee/schema/present';
import type { ObjectExplanation, ReportedCondition } from './object-explanation.ts';

/** Condition types whose good status is False. */
const BAD_WHEN_TRUE = /^(Failed|Degraded|Stalled|Drained|Leftovers|.*Pressure|.*Failure)$/;

const isBad = ({ type, status }: ReportedCondition): boolean =>
  BAD_WHEN_TRUE.test(type) ? status === 'True' : status === 'False';

const conditionsOf = (object: KubeObject): readonly ReportedCondition[] => {
  const { conditions } =
    (object as { readonly status?: { readonly conditions?: unknown } }).status ?? {};
  return Array.isArray(conditions) ? (conditions as readonly ReportedCondition[]) : [];
};

/** Explains an object that no policy propagates by its conditions alone. */
export const explainByConditions = (object: KubeObject): ObjectExplanation => {
  const { apiVersion, kind, metadata } = object;
  const { namespace, name } = metadata;
  const conditions = conditionsOf(object);
  const bad = conditions.find(isBad);
  const condition = bad ?? conditions.find(({ type }) => type === 'Ready') ?? conditions[0];
  return {
    resource: { apiVersion, kind, ...present({ namespace }), name },
    state: bad === undefined ? 'well' : 'waiting',
    summary:
      condition === undefined
        ? 'it is there; it is not work, and nothing is said about its state'
        : `${condition.type} is ${condition.status}: ${condition.message ?? condition.reason ?? ''}`,
    ...present({ reason: bad?.reason }),
    facts: [],
    conditions,
    commands: [],
  };
};
