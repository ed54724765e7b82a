import type { NodeClaim } from '@perigee/api/kinds/placement/replica-requirements';
import { labelValue } from '@perigee/api/values/label-requirement';
import { nearNames } from '@perigee/api/values/near-names';
import { isJsonObject, type JsonObject } from '@perigee/schema/json';
import { nodeRequirements } from '../../explain/verdicts/node-requirements.ts';
import { objectIn } from '../../interpreter/fields.ts';
import type { Template } from '../../placement/binding/desired-binding.ts';
import type { PlanState } from '../../plan/plan-state.ts';
import type { StuckWork } from '../stuck-work.ts';
import type { Candidate } from '../suggestion.ts';
import { workChange } from './work-change.ts';

/** Limit of clusters whose nodes are searched for label values. */
const MOST_CLUSTERS = 50;

const selectorOf = (template: Template): JsonObject =>
  isJsonObject(template.spec) ? objectIn(template.spec, 'template', 'spec', 'nodeSelector') : {};

/** The values that a label has on nodes. */
const valuesOf = ({ room }: PlanState, key: string): readonly string[] => {
  const groups = room.all.slice(0, MOST_CLUSTERS).flatMap(({ space }) => space?.free.groups ?? []);
  const values = groups.flatMap(({ features }) => labelValue(features?.labels ?? {}, key) ?? []);
  return [...new Set(values)];
};

const nodeSelector = (
  template: Template,
  key: string,
  value: string | null,
  words: string,
  cost: number,
) =>
  workChange(
    template,
    { spec: { template: { spec: { nodeSelector: { [key]: value } } } } },
    { reason: 'FixNodeSelector', text: words, cost },
  );

/** A candidate that lets the pods run on any node, if an affinity requires others. */
const withoutAffinity = (template: Template): readonly Candidate[] => {
  const pods = isJsonObject(template.spec) ? objectIn(template.spec, 'template', 'spec') : {};
  const required = 'requiredDuringSchedulingIgnoredDuringExecution';
  const hardNodeAffinity = objectIn(pods, 'affinity', 'nodeAffinity')[required];
  if (hardNodeAffinity === undefined) return [];
  const requirements = nodeRequirements({ hardNodeAffinity } as NodeClaim);
  const text = `do not require nodes with ${requirements} (nodeAffinity), if the pods can do without`;
  const affinity = { nodeAffinity: { [required]: null } };
  const patch = { spec: { template: { spec: { affinity } } } };
  return [workChange(template, patch, { reason: 'FixNodeSelector', text, cost: 3 })];
};

/** Candidates that change the pods' node selector or node affinity. */
export const byNodes = ({ state, template }: StuckWork): readonly Candidate[] => {
  if (template === undefined) return [];
  const bySelector = Object.entries(selectorOf(template)).flatMap(
    ([key, value]): readonly Candidate[] => {
      if (typeof value !== 'string') return [];
      const values = valuesOf(state, key);
      const [near] = values.includes(value) ? [] : nearNames(value, values);
      const dropText = `do not ask for nodes with ${key}=${value} (nodeSelector), if the pods can do without`;
      const correctionText = `ask for nodes with ${key}=${near} instead of ${key}=${value}, which no node has (nodeSelector)`;
      return [
        ...(near === undefined ? [] : [nodeSelector(template, key, near, correctionText, 1)]),
        nodeSelector(template, key, null, dropText, 3),
      ];
    },
  );
  return [...bySelector, ...withoutAffinity(template)];
};
